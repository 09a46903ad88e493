#!/bin/sh
# Work grows with the input, not with its square: eight times the input takes at most 24 times as long
# (8 where it is linear, 64 where it is not), in processor time and above a floor that a start takes.
cd "$(dirname "$0")/../.." || exit 2
case ${B:=build} in /*) ;; *) B=$PWD/$B ;; esac
exec python3 tests/cli/growth.py "$B/tmap"
