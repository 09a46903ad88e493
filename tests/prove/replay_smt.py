#!/usr/bin/env python3
"""usage: replay_smt.py [--limit MS] FILE...

Each SMT-LIB file asked again of cvc5 and of Z3, where they are there (the programs, or the Python
packages cvc5 and z3-solver). A solver must read every line without an error and must not answer
the opposite of the file's status; "unknown" within the limit is counted. Last line: the counts.
Exit code 1 on an error or an opposite answer, 77 where no solver is there."""
import re
import shutil
import subprocess
import sys
import tempfile


def program(name, arguments):
    path = shutil.which(name)
    if not path:
        return None

    def ask(text, limit):
        with tempfile.NamedTemporaryFile("w", suffix=".smt2") as file:
            file.write(text)
            file.flush()
            run = subprocess.run([path] + [a.replace("%d", str(limit)) for a in arguments] + [file.name],
                                 capture_output=True, text=True)
            return run.stdout + run.stderr
    return ask


def cvc5_package():
    try:
        import cvc5
    except ImportError:
        return None

    def ask(text, limit):
        terms = cvc5.TermManager()
        solver = cvc5.Solver(terms)
        solver.setOption("tlimit-per", str(limit))
        solver.setOption("incremental", "true")
        parser = cvc5.InputParser(solver)
        out = ""
        try:
            parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "certificate")
            while True:
                command = parser.nextCommand()
                if command.isNull():
                    return out
                out += str(command.invoke(solver, parser.getSymbolManager()) or "")
        except Exception as error:  # whatever the binding raises is an error of the text
            return out + "error " + str(error)
    return ask


def z3_package():
    try:
        import z3
    except ImportError:
        return None

    def ask(text, limit):
        context = z3.Context()
        z3.Z3_global_param_set("timeout", str(limit))
        return z3.Z3_eval_smtlib2_string(context.ref(), text)
    return ask


SOLVERS = {
    "cvc5": program("cvc5", ["--lang=smt2", "--incremental", "--tlimit-per=%d"]) or cvc5_package(),
    "Z3": program("z3", ["-smt2", "-t:%d"]) or z3_package(),
}


def main(arguments):
    limit = 20000
    if arguments[:1] == ["--limit"]:
        limit, arguments = int(arguments[1]), arguments[2:]
    solvers = {name: ask for name, ask in SOLVERS.items() if ask}
    if not solvers:
        print("no cvc5 and no Z3 to replay with")
        return 77
    bad = 0
    for name, ask in solvers.items():
        count = {"sat": 0, "unsat": 0, "unknown": 0}
        for path in arguments:
            text = open(path).read()
            expected = re.search(r"\(set-info :status (\w+)\)", text).group(1)
            out = ask(text, limit)
            answers = re.findall(r"^(sat|unsat|unknown)$", out, re.M)
            if "error" in out or len(answers) != 1:
                print(f"{path}: {name}: {out.strip()[:300]}")
                bad += 1
                continue
            count[answers[0]] += 1
            if {answers[0], expected} == {"sat", "unsat"}:
                print(f"{path}: {name} says {answers[0]}, not {expected}")
                bad += 1
        print(f"{name}: {len(arguments)} certificates, {count['unsat']} unsat, {count['sat']} sat, "
              f"{count['unknown']} unknown")
    print(f"{bad} failures")
    return 1 if bad else 0


sys.exit(main(sys.argv[1:]))
