#!/usr/bin/env python3
"""Lines and branches that the tests reached, per folder of src: a table, or what was missed.

    table.py BUILD            the table; exit code 1: a folder is below its line of tests/coverage/floor
    table.py BUILD FOLDER     file:line of what no test reached in src/FOLDER, branches with their number

A line counts once, however many programs contain it; a branch likewise. Branches that the compiler
adds for exceptions do not count. Reads gcov's own JSON (gcc) of every object below BUILD/src."""
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile


def read(build):
    """{file: {line: [count, [branch counts]]}}, summed over all objects."""
    files = {}
    data = sorted(pathlib.Path(build).resolve().glob("src/**/*.gcda"))
    with tempfile.TemporaryDirectory() as folder:
        for at in range(0, len(data), 40):
            subprocess.run(["gcov", "-b", "-i", "-H", *map(str, data[at:at + 40])], cwd=folder,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        for path in pathlib.Path(folder).glob("*.gcov.json.gz"):
            with gzip.open(path) as f:
                add(files, json.load(f))
    return files


def add(files, report):
    for file in report["files"]:
        lines = files.setdefault(file["file"], {})
        for line in file["lines"]:
            known = lines.setdefault(line["line_number"], [0, {}])
            known[0] += line["count"]
            branches = [b for b in line["branches"] if not b["throw"]]
            # a .def is expanded many times: the same text with other branches is another place
            place = known[1].setdefault(len(branches), [0] * len(branches))
            for i, b in enumerate(branches):
                place[i] += b["count"]


def area(name):
    parts = name.split("/")
    return parts[1] if len(parts) > 2 and parts[0] == "src" else None


def floors():
    """{folder: (lines, branches)} of the last record, in percent."""
    text = (pathlib.Path(__file__).parent / "floor").read_text()
    rows = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    return {name: (float(lines), float(branches)) for name, lines, branches in rows}


def table(files):
    sums = {}
    for name, lines in files.items():
        if not area(name):
            continue
        s = sums.setdefault(area(name), [0, 0, 0, 0])
        for count, places in lines.values():
            branches = [b for place in places.values() for b in place]
            s[0] += count > 0
            s[1] += 1
            s[2] += sum(b > 0 for b in branches)
            s[3] += len(branches)
    fell = []
    floor = floors()
    print(f"{'':10} {'lines':>16} {'branches':>18}")
    for name in sorted(sums):
        l, of_l, b, of_b = sums[name]
        print(f"{name:10} {l:6} of {of_l:6} {100 * l / of_l:5.1f} %"
              f" {b:6} of {of_b:6} {100 * b / max(of_b, 1):5.1f} %")
        for what, at, least in zip(("lines", "branches"), (100 * l / of_l, 100 * b / max(of_b, 1)),
                                   floor.get(name, ())):
            if at < least:
                fell.append(f"{name}: {at:.1f} % of {what}, {least} % before")
    print("\n".join(fell))
    return bool(fell)


def missed(files, folder):
    for name in sorted(files):
        if area(name) != folder:
            continue
        for line, (count, places) in sorted(files[name].items()):
            if count == 0:
                print(f"{name}:{line}: never")
            elif any(b == 0 for place in places.values() for b in place):
                gone = [i for place in places.values() for i, b in enumerate(place) if b == 0]
                print(f"{name}:{line}: branches {' '.join(map(str, gone))}")


if __name__ == "__main__":
    found = read(sys.argv[1])
    sys.exit(table(found) if len(sys.argv) == 2 else missed(found, sys.argv[2]))
