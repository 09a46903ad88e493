#!/bin/sh
# The rows of tensor memory, pairs and tcgen05.mma against the assembler: what of an allocation's
# columns, a kind, its scale factors and the CTAs of a group it takes for each target.
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
ptxas=$(command -v ptxas || ls /usr/local/cuda/bin/ptxas 2>/dev/null)
case $("$ptxas" --version 2>/dev/null) in
*release\ 13.* | *release\ 1[4-9].*) ;;
*) echo "ok 1 # SKIP tcgen05 forms: an assembler of CUDA 13.0 or newer"; echo 1..1; exit 0 ;;
esac
exec python3 - "$B/tmap" "$ptxas" <<'PYTHON'
import json, os, subprocess, sys, tempfile
tmap, ptxas = sys.argv[1:]
TARGETS = ["sm_90a", "sm_100", "sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_110a", "sm_120a", "sm_121a"]
LOAD = {"dtype": "bf16", "dim": [64, 64], "stride": [128], "box": [64, 64], "swizzle": "128B"}
K = {"f16": 16, "tf32": 8, "f8f6f4": 32, "i8": 32, "mxf8f6f4": 32, "mxf4": 64, "mxf4nvf4": 64}

def assembles(target, body):
    text = (f".version 9.0\n.target {target}\n.address_size 64\n.visible .entry k() {{\n"
            ".reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p; .shared .align 16 .b8 s[16];\n"
            f"setp.ne.b32 %p, %r1, 0;\n{body}\nret;\n}}\n")
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as f:
        f.write(text)
        f.flush()
        return subprocess.run([ptxas, "-arch", target, f.name, "-o", os.devnull],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

forms = []  # (what, PTX, record of pipeline, rows that may refuse it)
for group in (1, 2):
    for n in (16, 32, 48, 64, 512, 1024):
        forms.append((f"alloc {n}, group {group}",
                      f"tcgen05.alloc.cta_group::{group}.sync.aligned.shared::cta.b32 [s], {n};",
                      {"tmem_columns": n, "cta_group": group}, ["TMA185", "TMA186", "TMA190", "TMA191"]))
    for kind in ("f16", "tf32", "f8f6f4", "i8"):
        forms.append((f"{kind}, group {group}",
                      f"tcgen05.mma.cta_group::{group}.kind::{kind} [%r2], %d1, %d2, %r3, %p;",
                      {"cta_group": group, "mma": {"kind": kind, "m": 128, "n": 64}},
                      ["TMA190", "TMA191", "TMA196"]))
    for kind in ("mxf8f6f4", "mxf4", "mxf4nvf4"):
        for block in (16, 32):
            forms.append((f"{kind}.block{block}, group {group}",
                          f"tcgen05.mma.cta_group::{group}.kind::{kind}.block_scale.block{block} "
                          "[%r2], %d1, %d2, %r3, [%r4], [%r5], %p;",
                          {"cta_group": group,
                           "mma": {"kind": kind, "m": 128, "n": 64, "scale_block": block}},
                          ["TMA190", "TMA191", "TMA196", "TMA202"]))

records = "".join(json.dumps({"stages": 1, "loads": [LOAD], **record}) + "\n" for _, _, record, _ in forms)
n = 0
for target in TARGETS:
    out = subprocess.run([tmap, "pipeline", "--arch", target, "-f", "jsonl"], input=records,
                         capture_output=True, text=True).stdout.splitlines()
    wrong = []
    for (what, ptx, _, rows), line in zip(forms, out):
        refused = [r for r in json.loads(line)["rules"] if r in rows]
        if assembles(target, ptx) == bool(refused):
            wrong.append(f"{what}: rows {refused}")
    n += 1
    if len(out) != len(forms):
        wrong.append(f"{len(out)} answers to {len(forms)} records")
    print(f"{'not ok' if wrong else 'ok'} {n} - {target}: {len(forms)} forms as the assembler takes them")
    for w in wrong:
        print(f"# {w}")
print(f"1..{n}")
sys.exit(0)
PYTHON
