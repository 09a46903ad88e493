"""Reads what one cuda.h says of tensor maps: values, prototypes, the structure, the sentences.

The text of the header is NVIDIA's, so sentences are kept as hashes under the parameter they speak
of, and a change between two headers as the few words that differ.
"""

import difflib
import hashlib
import os
import re
import subprocess
import tempfile

MEASURE = """#include <cuda.h>
#include <stdio.h>
int main(void) { printf("%zu %zu\\n", sizeof(CUtensorMap), _Alignof(CUtensorMap)); return 0; }
"""


def enumerations(text):
    """{type: {enumerator: value}} of every CUtensorMap* enumeration."""
    found, text = {}, re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    for body, name in re.findall(r"typedef enum \w+\s*\{([^}]*)\}\s*(CUtensorMap\w+)\s*;", text):
        value, found[name] = -1, {}
        for item in filter(None, (i.strip() for i in body.split(","))):
            key, _, given = item.partition("=")
            value = int(given, 0) if given else value + 1
            found[name][key.strip()] = value
    return found


def prototypes(text):
    """{function: its prototype, spaces normalised}"""
    flat = re.findall(r"CUresult CUDAAPI (cuTensorMap\w+)\(([^)]*)\);", text)
    return {name: re.sub(r"\s+", " ", arguments) for name, arguments in flat}


def layout(directory):
    """(size, alignment) of CUtensorMap, as the C compiler lays it out."""
    with tempfile.TemporaryDirectory() as tmp:
        source, program = os.path.join(tmp, "m.c"), os.path.join(tmp, "m")
        with open(source, "w") as f:
            f.write(MEASURE)
        subprocess.run(
            [os.environ.get("CC", "cc"), "-std=c11", "-I", directory, source, "-o", program],
            check=True,
        )
        size, align = subprocess.run(
            [program], check=True, capture_output=True, text=True
        ).stdout.split()
    return {"bytes": int(size), "alignment": int(align)}


def clean(line):
    line = re.sub(r"^\s*\*\s?", "", line)
    line = re.sub(r"\\p\s+|::|\\ref\s+", "", line)
    return re.sub(r"\s+", " ", line).strip()


def code_line(line):
    """One line of an example, without its remark; an enumerator without its comma."""
    return re.sub(r"[,\s]+$", "", re.sub(r"//.*", "", line))


def blocks(comment):
    """[(subject, block of text)]; a block is a paragraph, a list item or a line of code."""
    subject, out, code, nested = "general", [], False, False
    for raw in comment.split("\n"):
        line = clean(raw)
        if line.startswith(("\\sa", "\\notefnerr")):
            break
        if line.startswith(("\\code", "\\endcode")):
            code = line.startswith("\\code")
            out.append((subject, None))
            continue
        top = re.match(r"\s*\*\s?-\s+\\p\s+(\w+)", raw)
        subject = top.group(1) if top else subject
        if re.match(r"\\param|\\return", line):
            subject = "return" if line.startswith("\\return") else "parameter list"
        leaves = nested and not re.match(r"\s*\*\s{2,}", raw)
        nested = bool(re.match(r"\s*\*\s{2,}-", raw)) or (nested and not leaves)
        fresh = code or leaves or line.startswith(("-", "\\")) or not out or out[-1][1] is None
        if not line or code:
            out.extend([(subject, code_line(line) or None), (subject, None)])
        elif fresh:
            out.append((subject, line))
        else:
            out[-1] = (out[-1][0], out[-1][1] + " " + line)
    return [(s, t) for s, t in out if t]


def sentences(text):
    """{function: [(subject, sentence)]} from the comment before each prototype."""
    found = {}
    for comment, name in re.findall(
        r"/\*\*((?:(?!\*/).)*?)\*/\s*CUresult CUDAAPI (cuTensorMap\w+)\(", text, flags=re.S
    ):
        found[name] = [
            (subject, s.strip(" -"))
            for subject, block in blocks(comment)
            for s in re.split(r"(?<=[.:])\s+(?=[A-Z])", block)
            if s.strip(" -")
        ]
    return found


def digest(sentence):
    return hashlib.sha256(sentence.encode()).hexdigest()[:12]


def read(directory):
    with open(os.path.join(directory, "cuda.h"), encoding="utf-8") as f:
        text = f.read()
    return {
        "enums": enumerations(text),
        "functions": prototypes(text),
        "struct": layout(directory),
        "sentences": sentences(text),
    }


def words(sentence, span):
    """The words of span with two on each side, at most sixteen: enough to say what changed."""
    all_, (a, b) = sentence.split(), span
    some = all_[max(0, a - 2) : b + 2]
    return " ".join(some[:16]) + (" ..." if len(some) > 16 else "")


def difference(old, new):
    """The first and last place where two sentences differ, as a pair of short fragments."""
    a, b = old.split(), new.split()
    ops = [
        op for op in difflib.SequenceMatcher(None, a, b, False).get_opcodes() if op[0] != "equal"
    ]
    return (words(old, (ops[0][1], ops[-1][2])), words(new, (ops[0][3], ops[-1][4])))


def changes(old, new):
    """[{function, subject, before, after}] between the sentences of two headers."""
    found = []
    for function in sorted(set(old) | set(new)):
        if function not in old:
            found.append(
                {"function": function, "subject": "", "before": "", "after": "new function"}
            )
            continue
        gone = [s for s in old[function] if s not in new.get(function, ())]
        come = [s for s in new.get(function, ()) if s not in old[function]]
        for subject, sentence in come:
            near = [g for g in gone if g[0] == subject]
            best = max(
                near,
                default=None,
                key=lambda g: difflib.SequenceMatcher(
                    None, g[1].split(), sentence.split()
                ).ratio(),
            )
            if (
                best
                and difflib.SequenceMatcher(None, best[1].split(), sentence.split()).ratio() > 0.45
            ):
                gone.remove(best)
                before, after = difference(best[1], sentence)
            else:
                before, after = "", words(sentence, (2, 8))
            found.append(
                {"function": function, "subject": subject, "before": before, "after": after}
            )
        for subject, sentence in gone:
            found.append(
                {
                    "function": function,
                    "subject": subject,
                    "before": words(sentence, (2, 8)),
                    "after": "",
                }
            )
    return found
