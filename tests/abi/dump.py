#!/usr/bin/env python3
"""What a compiled program relies on, a line each: exported symbols, enumerators, structs, members.

    dump.py BUILD            the lines, from BUILD's libraries and the headers of include/
    dump.py BUILD BASELINE   TAP: what the baseline has and this tree has not (docs/ABI.md)

Structs are read from the debug information that the compiler makes of the headers alone."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
LIBRARIES = ("libtmap", "libtmap-symbolic", "libtmap-emulate", "libtmap-cuda")
ENTRY = re.compile(r"<(\d+)><[0-9a-f]+>: Abbrev Number: \d+ \((DW_TAG_\w+)\)")
FIELD = re.compile(r"(DW_AT_\w+)\s*: (.*)")


def symbols(build):
    for library in LIBRARIES:
        out = subprocess.run(["nm", "-D", "--defined-only", f"{build}/{library}.so"], check=True,
                             capture_output=True, text=True).stdout
        for line in out.splitlines():
            name = line.split()[-1].split("@")[0]
            if name.startswith("tmap_"):
                yield f"symbol {library} {name}"


def debug_info():
    """(depth, tag, attributes) of every entry."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "all.c")
        headers = sorted(p.name for p in (TOP / "include/tmap").glob("*.h"))
        source.write_text("".join(f'#include "tmap/{h}"\n' for h in headers))
        subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-g", "-gdwarf-4", "-O0", "-c",
                        "-fno-eliminate-unused-debug-types", f"-I{TOP}/include", "-o",
                        f"{folder}/all.o", str(source)], check=True)
        text = subprocess.run(["readelf", "--debug-dump=info", f"{folder}/all.o"], check=True,
                              capture_output=True, text=True).stdout
    entries = []
    for line in text.splitlines():
        if m := ENTRY.search(line):
            entries.append((int(m[1]), m[2], {}))
        elif entries and (m := FIELD.search(line)):
            entries[-1][2][m[1]] = m[2].split("): ")[-1].strip().split("\t")[0]
    return entries


def types():
    owner = ""
    for depth, tag, at in debug_info():
        name = at.get("DW_AT_name", "")
        if depth == 1:
            owner = name if name.startswith("tmap_") else ""
            if tag == "DW_TAG_structure_type" and owner and "DW_AT_byte_size" in at:
                yield f"struct {owner} {at['DW_AT_byte_size']} bytes"
        elif tag == "DW_TAG_member" and owner and depth == 2:
            yield f"member {owner}.{name} at {at.get('DW_AT_data_member_location', '0')}"
        elif tag == "DW_TAG_enumerator" and name.startswith("TMAP_"):
            yield f"enumerator {name} {at['DW_AT_const_value']}"


def dump(build):
    return sorted(set(symbols(build)) | set(types()))


def major():
    return int(re.search(r"^SOMAJOR\s*:= (\d+)", (TOP / "Makefile").read_text(), re.M)[1])


def compare(build, baseline):
    now, then = set(dump(build)), set(pathlib.Path(baseline).read_text().splitlines())
    gone = sorted(then - now)
    kept = ("symbol", "enumerator")
    for number, kind in enumerate(("symbol", "enumerator", "struct", "member"), 1):
        lost = [line for line in gone if line.startswith(kind)]
        # until 1.0 a program is compiled against the headers of the library that it runs with
        good = not lost or (major() == 0 and kind not in kept)
        print(f"{'ok' if good else 'not ok'} {number} - every {kind} that was there is there: "
              f"{sum(line.startswith(kind) for line in now)} of them, {len(lost)} changed")
        for line in lost[:20]:
            print(f"# was: {line}")
    print("1..4")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        compare(sys.argv[1], sys.argv[2])
    else:
        print("\n".join(dump(sys.argv[1])))
