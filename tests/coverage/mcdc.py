#!/usr/bin/env python3
"""Conditions of src that the tests showed to decide alone (MC/DC), per folder, from clang's coverage.

    mcdc.py LLVM BUILD             the table; exit code 1: in a folder more conditions are open than
                                   tests/coverage/open allows
    mcdc.py LLVM BUILD FOLDER      the decisions of src/FOLDER with open conditions: file:line, their
                                   numbers from 1, the line's text

LLVM is the prefix and suffix of the tools, as llvm-19. BUILD/raw/*.profraw is what the programs wrote."""
import collections
import json
import pathlib
import subprocess
import sys

import table

OBJECTS = ["tmap", "libtmap.so", "libtmap-symbolic.so", "libtmap-emulate.so"]


def tool(llvm, name):
    return llvm.replace("llvm", f"llvm-{name}", 1)


def read(llvm, build):
    """{file: {(line, column, end line, end column): {condition: shown to decide alone?}}}."""
    data, decisions = build / "all.profdata", collections.defaultdict(dict)
    subprocess.run([tool(llvm, "profdata"), "merge", "-sparse", "-o", data, *(build / "raw").glob("*.profraw")],
                   check=True)
    found = subprocess.run([tool(llvm, "cov"), "export", "-instr-profile", data, build / OBJECTS[0],
                            *(f"-object={build / name}" for name in OBJECTS[1:])],
                           check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    for file in json.loads(found.stdout)["data"][0]["files"]:
        name = file["filename"].removeprefix(f"{table.TOP}/")
        for record in file.get("mcdc_records", []):
            # the same text in several expansions: a condition is shown if any of them shows it
            known = decisions[name].setdefault(tuple(record[:4]), {})
            for i, shown in enumerate(record[-1]):
                known[i] = known.get(i, False) or shown
    return decisions


def conditions(decisions, folder):
    of = [shown for file in decisions if table.area(file) == folder
          for d in decisions[file].values() for shown in d.values()]
    return len(of), sum(of)


def print_table(decisions):
    wrong = []
    print(f"{'':10} {'conditions':>10} {'shown':>14} {'open':>6}")
    for folder, limits in table.allowed().items():
        if len(limits) < 3:
            continue
        of, shown = conditions(decisions, folder)
        print(f"{folder:10} {of:10} {shown:6} {100 * shown / max(of, 1):5.1f} % {of - shown:6}")
        if of - shown > limits[2]:
            wrong.append(f"src/{folder}: {of - shown} conditions are open, at most {limits[2]} before"
                         " (tests/coverage/open)")
    print("\n".join(wrong))
    return bool(wrong)


def show(decisions, folder):
    for file in sorted(f for f in decisions if table.area(f) == folder):
        source = (table.TOP / file).read_text().splitlines()
        for place, shown in sorted(decisions[file].items()):
            open_ones = [str(i + 1) for i in shown if not shown[i]]
            if open_ones:
                print(f"{file}:{place[0]}: {' '.join(open_ones)} of {len(shown)}: {source[place[0] - 1].strip()}")


if __name__ == "__main__":
    llvm, build = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    found = read(llvm, build)
    sys.exit(print_table(found) if len(sys.argv) == 3 else show(found, sys.argv[3]))
