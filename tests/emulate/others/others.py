"""Kernels of other compilers on the emulator, each against a plain sum: TAP.

  others.py [-k WORD] [--schedule NAME] [--keep FOLDER] [--list FILE]

A kernel that the emulator cannot run, or that a finding or a wrong number is about, is a failure, but for what
expected.tsv says of it. --list writes a line a kernel: name, whether it is right, copies, tensor core
instructions, what was found.
"""
import argparse
import importlib
import pathlib
import sys
import time

import numpy

import run


MODULES = ("triton_cases", "gluon_cases", "tilelang_cases", "cutlass_cases", "cute_dsl_cases")


def known(path):
    """Findings that compilers' own habits make, by their text."""
    rows = [line.rstrip("\n").split("\t") for line in path.read_text().splitlines() if line and line[0] != "#"]
    return [(kernel, text) for kernel, text, _why in rows]


def wrong(case):
    """How many elements are off by more than the bound."""
    total = 0
    for found, wanted, bound in case.wanted:
        off = abs(numpy.asarray(found, numpy.float64) - numpy.asarray(wanted, numpy.float64))
        total += int((~(off <= bound)).sum())
    return total


def one(lib, case, options, habits):
    case.compile()
    if options.keep:
        (pathlib.Path(options.keep) / f"{case.name}.ptx").write_text(case.ptx)
    ran = run.launch(lib, case.ptx, case.args, case.grid, case.warps, case.smem, schedule=case.schedule or options.schedule,
                     cluster=case.cluster)
    findings = [f for f in ran.findings
                if not any(case.name.startswith(k.rstrip("*")) and text in f for k, text in habits)]
    off = wrong(case)
    good = ran.finished and not findings and off == 0
    why = "" if good else f"finished {ran.finished}, {off} wrong" + "".join(f"; {f[:240]}" for f in findings[:2])
    return good, why, ran.counts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-k", default="")
    parser.add_argument("--schedule", default="latest")
    parser.add_argument("--keep")
    parser.add_argument("--list")
    options = parser.parse_args()
    habits = known(pathlib.Path(__file__).with_name("expected.tsv"))
    lib, number, good, rows = run.library(), 0, 0, []
    words = options.k.split(",")
    for name in MODULES:
        try:
            module = importlib.import_module(name)
        except ImportError as e:
            print(f"# SKIP {name}: {e}")
            continue
        for case in module.cases():
            if not any(w in case.name for w in words):
                continue
            number += 1
            start = time.time()
            try:
                right, why, counts = one(lib, case, options, habits)
            except Exception as e:  # what cannot be compiled or loaded is a row, too
                right, why, counts = False, f"{type(e).__name__}: {str(e)[:300]}".replace("\n", " "), [0] * 7
            good += right
            rows.append(f"{case.name}\t{'right' if right else 'not'}\t{counts[2]}\t{counts[4]}\t{why}")
            print(f"{'ok' if right else 'not ok'} {number} - {case.name}  # {time.time() - start:.1f} s {why}", flush=True)
    print(f"1..{number}\n# {good} of {number} kernels are right")
    if options.list:
        pathlib.Path(options.list).write_text("\n".join(rows) + "\n")
    return good != number


sys.exit(main())
