#!/bin/sh
# Every rule's own example, as `tmap rules` prints it: on its target the illegal record violates the
# rule and the legal one, which differs in one field, does not. Read back, each is the same record.
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} exec python3 - <<'PY'
import json
import os
import subprocess
import collections

tmap = os.environ.get("B", "build") + "/tmap"


def lines(*arguments, text=None):
    run = subprocess.run([tmap, *arguments], input=text, capture_output=True, text=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


rules = lines("rules", "-f", "jsonl")
groups = collections.defaultdict(list)
for rule in rules:
    example = rule["example"]
    if "legal" in example:
        groups[tuple(str(example["target"][k]) for k in ("cuda", "ptx", "driver", "arch"))].append(rule)

answers = {}
for (cuda, ptx, driver, arch), members in groups.items():
    records = [rule["example"][kind] for rule in members for kind in ("legal", "illegal")]
    found = lines("check", "--cuda", cuda, "--ptx", ptx, "--driver", driver, "--arch", arch,
                  "--advise", "-f", "jsonl", "-", text="\n".join(map(json.dumps, records)))
    assert len(found) == len(records), "a record without an answer"
    for i, rule in enumerate(members):
        answers[rule["rule"]] = found[2 * i], found[2 * i + 1]

n = 0
for rule in rules:
    n += 1
    if rule["rule"] not in answers:
        known = rule["subject"] == "pipeline"
        print(f"{'ok' if known else 'not ok'} {n} - {rule['rule']} is about pipelines: no record")
        continue
    legal, illegal = answers[rule["rule"]]
    key = "advised" if rule["effect"] == "advisory" else "rules"
    why = [a["error"] for a in (legal, illegal) if "error" in a]
    if not why and rule["rule"] in legal.get(key, []):
        why.append("the legal record violates it")
    if not any(e["sign"] == "+" for e in rule["evidence"]):
        # Nothing has shown it yet, so it belongs to no contract and must not decide.
        if not why and rule["rule"] in illegal.get(key, []):
            why.append("nothing has shown it, and yet it decides")
    elif not why and rule["rule"] not in illegal.get(key, []):
        why.append(f"the illegal record does not violate it ({illegal.get(key)})")
    print(f"{'not ok' if why else 'ok'} {n} - {rule['rule']} {rule['name']}{': ' + why[0] if why else ''}")
print(f"1..{n}")
PY
