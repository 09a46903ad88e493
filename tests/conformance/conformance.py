#!/usr/bin/env python3
"""conformance.py: runs a validator of tensor maps over tmap's conformance suite.

    conformance.py run SUITE --command 'my-validator --stdin'
    conformance.py run SUITE --callable my_module:is_legal [--contract driver] [--show 3] [--json]
    conformance.py manifest SUITE VERSION

SUITE is the folder of FEATURE.jsonl. A command reads the suite's lines and answers a line to each:
legal, illegal, or skip for what it has no words for. A callable gets a line as a dict and returns True,
False or None. Printed are, by feature, how many were judged, false legal (it says legal and the driver
refused) and false illegal. Exit code 1 where there is either. Needs Python 3.8 alone.
"""

import argparse
import hashlib
import importlib
import json
import pathlib
import subprocess
import sys

CONTRACTS = ("driver", "documented", "hardware", "safe")


def lines(suite):
    """Every case, by feature, in the order of the files' names."""
    for path in sorted(pathlib.Path(suite).glob("*.jsonl")):
        with open(path) as file:
            for line in file:
                yield json.loads(line)


def by_command(command, cases):
    text = "".join(json.dumps(case, separators=(",", ":")) + "\n" for case in cases)
    run = subprocess.run(command, shell=True, input=text, text=True, stdout=subprocess.PIPE)
    said = run.stdout.splitlines()
    if len(said) != len(cases):
        raise SystemExit(f"{command}: {len(said)} answers to {len(cases)} cases (exit {run.returncode})")
    words = {"legal": True, "illegal": False, "skip": None}
    return [words[word.strip()] for word in said]


def by_callable(name, cases):
    module, function = name.split(":")
    sys.path.insert(0, "")
    judge = getattr(importlib.import_module(module), function)
    return [judge(case) for case in cases]


class Count:
    """Of one feature."""

    def __init__(self):
        self.judged = self.skipped = self.unknown = 0
        self.false_legal, self.false_illegal = [], []

    def add(self, case, said, contract):
        truth = case["verdicts"][contract]
        if said is None:
            self.skipped += 1
        elif truth == "unknown":
            self.unknown += 1
        else:
            self.judged += 1
            if said and truth == "illegal":
                self.false_legal.append(case)
            if not said and truth == "legal":
                self.false_illegal.append(case)


def simplest(cases):
    """The case that breaks the fewest rules, then the shortest: the one to send to its authors."""
    return min(cases, key=lambda c: (len(c["rules"]), len(json.dumps(c["case"])), c["id"]))


def report(counts, show, out):
    out(f"{'feature':24} {'judged':>7} {'false legal':>12} {'false illegal':>14} {'skipped':>8}")
    for feature, c in sorted(counts.items()):
        out(f"{feature:24} {c.judged:7} {len(c.false_legal):12} {len(c.false_illegal):14} {c.skipped:8}")
    for what in ("false_legal", "false_illegal"):
        by_rule = {}
        for c in counts.values():
            for case in getattr(c, what):
                by_rule.setdefault(" ".join(case["rules"]) or case["feature"], []).append(case)
        for rules, cases in sorted(by_rule.items(), key=lambda x: (len(x[0].split()), -len(x[1])))[:show]:
            one = simplest(cases)
            out(f"\n{what.replace('_', ' ')}, {len(cases)} like it ({rules}): {one['id']}")
            out("  " + json.dumps(one["case"]))


def run(args):
    cases = list(lines(args.suite))
    said = by_command(args.command, cases) if args.command else by_callable(args.callable, cases)
    counts = {}
    for case, answer in zip(cases, said):
        counts.setdefault(case["feature"], Count()).add(case, answer, args.contract)
    total = {what: sum(len(getattr(c, what)) for c in counts.values())
             for what in ("false_legal", "false_illegal")}
    total.update({what: sum(getattr(c, what) for c in counts.values()) for what in ("judged", "skipped", "unknown")})
    if args.json:
        total["features"] = {f: {"judged": c.judged, "skipped": c.skipped, "false_legal": len(c.false_legal),
                                 "false_illegal": len(c.false_illegal)} for f, c in counts.items()}
        print(json.dumps(total))
    else:
        report(counts, args.show, print)
        print(f"\n{total['judged']} judged under contract {args.contract}: {total['false_legal']} false legal, "
              f"{total['false_illegal']} false illegal; {total['skipped']} skipped")
    return 1 if total["false_legal"] or total["false_illegal"] else 0


def manifest(args):
    """What is in the suite, and the hash of each file."""
    suite = pathlib.Path(args.suite)
    files = {}
    for path in sorted(suite.glob("*.jsonl")):
        data = path.read_bytes()
        files[path.name] = {"cases": data.count(b"\n"), "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    said = {"suite": 1, "tmap": args.version, "cases": sum(f["cases"] for f in files.values()),
            "bytes": sum(f["bytes"] for f in files.values()), "files": files}
    (suite / "manifest.json").write_text(json.dumps(said, indent=1) + "\n")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="what", required=True)
    one = commands.add_parser("run")
    one.add_argument("suite")
    which = one.add_mutually_exclusive_group(required=True)
    which.add_argument("--command")
    which.add_argument("--callable")
    one.add_argument("--contract", choices=CONTRACTS, default="driver")
    one.add_argument("--show", type=int, default=5, help="disagreements to show, the simplest of each kind")
    one.add_argument("--json", action="store_true")
    two = commands.add_parser("manifest")
    two.add_argument("suite")
    two.add_argument("version")
    args = parser.parse_args()
    return run(args) if args.what == "run" else manifest(args)


if __name__ == "__main__":
    sys.exit(main())
