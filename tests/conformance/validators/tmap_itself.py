"""tmap check over the suite's lines: TMAP names the command, CONTRACT the contract (driver)."""

import os
import subprocess
import sys

from common import json

groups = {}
for number, line in enumerate(sys.stdin):
    case = json.loads(line)
    groups.setdefault(json.dumps(case["target"], sort_keys=True), []).append((number, case["case"]))
verdicts = {}
for target, cases in groups.items():
    t = json.loads(target)
    run = subprocess.run(
        [os.environ["TMAP"], "check", "-f", "jsonl", "--contract", os.environ.get("CONTRACT", "driver"), "--cuda", t["cuda"],
         "--ptx", t["ptx"], "--driver", str(t["driver"]), "--arch", t["arch"]],
        input="".join(json.dumps(c) + "\n" for _, c in cases), text=True, stdout=subprocess.PIPE)
    for (number, _), line in zip(cases, run.stdout.splitlines()):
        verdicts[number] = json.loads(line)["verdict"]
for number in range(len(verdicts)):
    print({"legal": "legal", "illegal": "illegal"}.get(verdicts[number], "skip"))
