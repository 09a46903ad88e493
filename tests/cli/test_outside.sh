#!/bin/sh
# Names, reasons, paths and keys are printed so that nothing in them is obeyed.
cd "$(dirname "$0")/../.." || exit 2
case ${B:=build} in /*) ;; *) B=$PWD/$B ;; esac
exec python3 tests/cli/outside.py "$B/tmap"
