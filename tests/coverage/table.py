#!/usr/bin/env python3
"""Lines and branches of src that the tests reached, that are excused, and that are open, per folder.

    table.py BUILD                 the table; exit code 1: more is open in a folder than tests/coverage/open
                                   allows, or an excuse excuses nothing
    table.py BUILD open FOLDER     what is open in src/FOLDER: file:line, the function, the line's text
    table.py BUILD draft FOLDER    the same as rows of tests/coverage/excuses/FOLDER, without their kind

A line counts once, however many programs contain it; a branch likewise. Branches that the compiler
adds for exceptions do not count. Reads gcov's own JSON (gcc) of every object below BUILD/src.

An excuse is a row of tests/coverage/excuses/FOLDER:  KIND WHAT FILE FUNCTION TEXT
  KIND      a word of tests/coverage/kinds, which gives the reason
  WHAT      line: never run; or the number of its branches that are not taken
  FILE      below src/FOLDER;  FUNCTION: * where a table is expanded in many
  TEXT      the line as it stands, its spaces made one; an edit of the line asks for the excuse anew"""
import collections
import gzip
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
TOP = HERE.parents[1]
Place = collections.namedtuple("Place", "file function text")


def read(build):
    """{file: {line: [count, [branch counts], function]}}, summed over all objects."""
    files = {}
    data = sorted(pathlib.Path(build).resolve().glob("src/**/*.gcda"))
    # gcov names what it writes after the source's last part: core/decode.c and emulate/decode.c
    for _, of_folder in itertools.groupby(data, key=lambda path: path.parent):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["gcov", "-b", "-i", "-H", *map(str, of_folder)], cwd=folder,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            for path in pathlib.Path(folder).glob("*.gcov.json.gz"):
                with gzip.open(path) as f:
                    add(files, json.load(f))
    return files


def add(files, report):
    for file in report["files"]:
        lines = files.setdefault(file["file"], {})
        for line in file["lines"]:
            known = lines.setdefault(line["line_number"], [0, {}, line.get("function_name", "*")])
            known[0] += line["count"]
            branches = [b for b in line["branches"] if not b["throw"]]
            # a .def is expanded many times: the same text with other branches is another place
            place = known[1].setdefault(len(branches), [0] * len(branches))
            for i, b in enumerate(branches):
                place[i] += b["count"]


def area(name):
    parts = name.split("/")
    return parts[1] if len(parts) > 2 and parts[0] == "src" else None


def kinds():
    rows = (line for line in (HERE / "kinds").read_text().splitlines() if line and line[0] not in "# ")
    return {line.split()[0] for line in rows}


def excuses(folder):
    """{(place): [row's number, never run?, branches]}, and what is wrong with the rows themselves."""
    path, known, rows, wrong = HERE / "excuses" / folder, kinds(), {}, []
    for number, row in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
        if not row or row.startswith("#"):
            continue
        words = row.split(" ", 4)
        if len(words) != 5 or words[0] not in known or not (words[1] == "line" or words[1].isdigit()):
            wrong.append(f"{path.relative_to(TOP)}:{number}: not KIND line|N FILE FUNCTION TEXT, or no such kind")
            continue
        excuse = rows.setdefault(Place(*words[2:]), [number, False, 0])
        if words[1] == "line":
            excuse[1] = True
        else:
            excuse[2] += int(words[1])
    return rows, wrong


class Folder:
    """What was reached in src/NAME, what is excused, and what is open."""

    def __init__(self, name, files):
        self.name, self.sum = name, collections.Counter()
        self.open = []  # (file, line, place, never run?, branches)
        self.excuses, self.wrong = excuses(name)
        self.used = set()
        for file in sorted(f for f in files if area(f) == name):
            source = (TOP / file).read_text(errors="replace").splitlines()
            for line, (count, places, function) in sorted(files[file].items()):
                text = " ".join(source[line - 1].split()) if line <= len(source) else ""
                function = "*" if file.endswith(".def") else function
                place = Place(file.split("/", 2)[2], function, text)
                self.line(file, line, place, count, [b for p in places.values() for b in p])
        path = f"tests/coverage/excuses/{name}"
        self.wrong += [f"{path}:{row[0]}: excuses nothing" for place, row in self.excuses.items()
                       if place not in self.used]

    def line(self, file, number, place, count, branches):
        missed = sum(b == 0 for b in branches)
        excuse = self.excuses.get(place, [0, False, 0])
        never = count == 0 and not excuse[1]
        # a line that never ran needs one excuse: its branches are those of the line
        excused = missed if count == 0 and excuse[1] else min(missed, excuse[2])
        if (count == 0 and excuse[1]) or excused:
            self.used.add(place)
        self.sum.update(lines=1, branches=len(branches), lines_reached=count != 0,
                        branches_reached=len(branches) - missed, lines_open=never, branches_open=missed - excused)
        if never or missed > excused:
            self.open.append((file, number, place, never, missed))


def allowed():
    """{folder: (lines, branches[, conditions])} that may be open."""
    rows = [line.split() for line in (HERE / "open").read_text().splitlines() if line and line[0] != "#"]
    return {row[0]: tuple(map(int, row[1:])) for row in rows}


def table(files):
    wrong, may = [], allowed()
    print(f"{'':10} {'lines':>6} {'reached':>14} {'excused':>8} {'open':>5}"
          f"  {'branches':>8} {'reached':>14} {'excused':>8} {'open':>5}")
    for name in sorted({area(f) for f in files} - {None}):
        f = Folder(name, files)
        wrong += f.wrong
        cells = [f"{name:10}"]
        for what, limit in zip(("lines", "branches"), may.get(name, (0, 0))):
            of, reached, left = f.sum[what], f.sum[what + "_reached"], f.sum[what + "_open"]
            cells.append(f"{of:{6 if what == 'lines' else 9}} {reached:6} {100 * reached / max(of, 1):5.1f} %"
                         f" {of - reached - left:8} {left:5}")
            if left > limit:
                wrong.append(f"src/{name}: {left} {what} are open, at most {limit} before (tests/coverage/open)")
        print(" ".join(cells))
    print("\n".join(wrong))
    return bool(wrong)


def show(files, folder, draft):
    for file, line, place, never, missed in Folder(folder, files).open:
        what = "line" if never else str(missed)
        if draft:
            print("?", what, *place)
        else:
            print(f"{file}:{line}: {what if never else what + ' branches'}, {place.function}: {place.text}")


if __name__ == "__main__":
    found = read(sys.argv[1])
    sys.exit(table(found) if len(sys.argv) == 2 else show(found, sys.argv[3], sys.argv[2] == "draft"))
