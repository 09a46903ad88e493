"""action.py ACTION NAME=VALUE...: runs a composite action's steps as GitHub's runner does: inputs with
their defaults, ${{ }} in env alone, bash -e -o pipefail, GITHUB_PATH heard between steps.

Reads the part of YAML that such a file is written in; anything else is an error.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile


def parse(lines, indent=0):
    """Mappings, lists of mappings, plain and literal (|) scalars."""
    out = None
    while lines:
        line = lines[0]
        depth = len(line) - len(line.lstrip())
        if depth < indent:
            break
        body = line.strip()
        if body.startswith("- "):
            out = [] if out is None else out
            lines[0] = " " * (depth + 2) + body[2:]
            out.append(parse(lines, depth + 2))
            continue
        match = re.fullmatch(r"([\w-]+):(?: (.*))?", body)
        if not match:
            raise SystemExit(f"cannot read {line!r}")
        out = {} if out is None else out
        key, value = match.groups()
        lines.pop(0)
        if value == "|":
            block = []
            while lines and (not lines[0].strip() or len(lines[0]) - len(lines[0].lstrip()) > depth):
                block.append(lines.pop(0))
            cut = min(len(b) - len(b.lstrip()) for b in block if b.strip())
            out[key] = "\n".join(b[cut:] for b in block) + "\n"
        elif value is None:
            out[key] = parse(lines, depth + 1)
        else:
            out[key] = value.strip('"')
    return out


def main():
    path = pathlib.Path(sys.argv[1])
    action = parse([line for line in path.read_text().splitlines() if line.strip()])
    given = dict(word.split("=", 1) for word in sys.argv[2:])
    inputs = {}
    for name, said in action["inputs"].items():
        if name not in given and said.get("required") == "true":
            raise SystemExit(f"input {name} is required")
        inputs[name] = given.pop(name, said.get("default", ""))
    if given or action["runs"]["using"] != "composite":
        raise SystemExit(f"no such inputs: {given}")
    known = {f"inputs.{k}": v for k, v in inputs.items()} | {"github.action_path": str(path.parent.resolve())}
    with tempfile.TemporaryDirectory() as tmp:
        paths = pathlib.Path(tmp, "path")
        paths.touch()
        for step in action["runs"]["steps"]:
            assert "${{" not in step["run"], "an input in a script is an injection"
            env = {k: re.sub(r"\$\{\{ *([\w.]+) *\}\}", lambda m: known[m.group(1)], v)
                   for k, v in step.get("env", {}).items()}
            search = os.pathsep.join([*paths.read_text().split(), os.environ["PATH"]])
            run = subprocess.run(["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
                                 env={**os.environ, **env, "PATH": search, "GITHUB_PATH": str(paths)})
            if run.returncode:
                return run.returncode
    return 0


sys.exit(main())
