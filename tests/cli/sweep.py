#!/usr/bin/env python3
"""Every command of the golden tests with what can go wrong around it: each ends with a true error.

    sweep.py [--every N] [--signals N] [--sample N] [--shard I/N] [--only NAME] [--kinds A,B]
             [--seconds N] [--show N] [BUILD]

--sample N takes each N-th command, --shard I/N the N-th part of what is done with them. A build with the
address sanitizer is swept as the others are; what a sanitizer reports is bad, whatever else is said. What --seconds cuts off is said, and is not ok.

  memory   each N-th allocation fails, once and from then on: no crash; an answer that differs from
           the whole one says so, by its exit code or in words
  output   /dev/full, closed, a file (or a temporary file) that may not grow: exit code 2 or 5, and
           words; a pipe that nobody
           reads: the same without words, or the end by SIGPIPE
  calls    each N-th read, write, open, mapping, rename and sync fails (strace): the same answer, or an
           error in words
  streams  standard input and errors closed: the answer is the same
  signals  SIGINT and SIGTERM at random moments: the command ends by them, or whole; nothing is left in
           TMPDIR
Prints TAP, a line a kind, with the number of runs."""
import argparse
import os
import pathlib
import random
import resource
import shlex
import shutil
import signal
import subprocess
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = TOP / "tests" / "golden"
LIMIT_S, NO_END = 60, 999  # NO_END: the exit code of what was stopped then


# Commands that no golden test has, run at the top of the tree; and those that allocate so often, inside isl
# and Z3, that each N-th allocation has to do.
SYMBOLIC, BROKEN = "examples/symbolic/gemm_a_bf16.json", "examples/descriptors/failures/pytorch-167892.json"
LEGAL = "tests/golden/check-legal/in.json"
MORE = ["tmap decode tests/data/maps/encode-hex.txt", "tmap report tests/golden/check-several/in.json",
        "tmap trace --output /dev/null -- /bin/true", "tmap kernels scan build/tmap", "tmap kernels list",
        f"tmap guard --as c {SYMBOLIC}", f"tmap guard --as python {SYMBOLIC}", f"tmap condition {SYMBOLIC}",
        f"tmap condition -f json {SYMBOLIC}", f"tmap check --prove {BROKEN}", f"tmap repair --patch {BROKEN}",
        f"tmap check --arch all {BROKEN}", f"tmap encode --as c {LEGAL}", f"tmap encode --as json {LEGAL}",
        "tmap rules -f json --subject pipeline", "tmap explain TMA014",
        "tmap oracle replay tests/golden/h200-580.bin", "tmap diff documented driver",
        "tmap diff -f json 12.4 13.0", f"tmap repair --prove {BROKEN}",
        "tmap solve --prove tests/golden/solve-text/in.json"]
MANY = {"tmap diff": 97, "tmap check --prove": 7, "tmap repair --prove": 997, "tmap solve --prove": 59999}


class Late(Exception):
    """The time that was given is over."""


class Case:
    """One golden command, and what it does undisturbed."""

    def __init__(self, folder, tmap):
        self.name, self.each, self.asks = folder.name, 1, False
        self.folder = folder
        text = (folder / "cmd").read_text().strip()
        words = shlex.split(text)
        # an output that is opened again by name writes over itself in a file
        self.plain = words[0] == "tmap" and not set(text) & set("|<>;&\n") and "/dev/" not in text
        self.words = [str(tmap), *words[1:]]

    @classmethod
    def of_line(cls, line, tmap):
        self = cls.__new__(cls)
        self.name, self.folder, self.plain = line, TOP, True
        self.words = [str(tmap), *line.split()[1:]]
        self.asks = bool({"condition", "guard", "diff", "--prove"} & set(line.split()))
        self.each = next((n for start, n in MANY.items() if line.startswith(start)), 1)
        return self

    ends = float("inf")

    def is_undecided(self, r):
        """An answer, where isl or Z3 is asked. What ends them ends a helper process alone (helper.c)."""
        return self.asks and r.returncode == 4

    def run(self, **how):
        if time.monotonic() > Case.ends:
            raise Late
        environment = {**os.environ, **PLAIN, **how.pop("more", {})}
        how.setdefault("stdout", subprocess.PIPE)
        how.setdefault("stderr", subprocess.PIPE)
        how.setdefault("stdin", subprocess.DEVNULL)
        try:
            return subprocess.run(self.words, cwd=self.folder, env=environment, timeout=LIMIT_S,
                                  check=False, **how)
        except subprocess.TimeoutExpired as late:
            return subprocess.CompletedProcess(self.words, NO_END, late.stdout or b"", late.stderr or b"")


# A sanitizer that found something has an exit code of its own. It brings its own malloc, before which the
# one that fails is loaded; it cannot look for leaks while strace traces.
PLAIN = {"LC_ALL": "C", "COLUMNS": "100",
         "ASAN_OPTIONS": "exitcode=199:verify_asan_link_order=0:allocator_may_return_null=1"}
# strace counts the calls of each process apart: one process, then.
TRACED = {"ASAN_OPTIONS": PLAIN["ASAN_OPTIONS"] + ":detect_leaks=0", "TMAP_HELPER": "no"}


def sound(r):
    """The program ended by itself, and no sanitizer has spoken."""
    return 0 <= r.returncode < 128 and b"Sanitizer" not in r.stderr and b"runtime error" not in r.stderr


class Tally:
    def __init__(self, kind):
        self.kind, self.runs, self.own, self.bad = kind, 0, 0, []

    def note(self, good, case, what):
        self.runs += 1
        if not good:
            self.bad.append(f"{case.name}: {what}")

    def tap(self, number, options):
        print(f"{'not ok' if self.bad else 'ok'} {number} - {self.kind}: {self.runs} runs, "
              f"{len(self.bad)} bad" + (f", {self.own} undecided" if self.own else ""), flush=True)
        for line in self.bad[:options.show]:
            print(f"# {line}")
        return bool(self.bad)


def picked(first, last, options, each=1):
    """Each N-th number from first to last, of which this shard takes its part."""
    shard, shards = map(int, options.shard.split("/"))
    every = max(options.every, each)
    return range(first + random.randrange(every) + shard * every, last + 1, shards * every)


def mine(cases, options):
    shard, shards = map(int, options.shard.split("/"))
    return cases[shard::shards]


def memory(cases, options, tally):
    with tempfile.TemporaryDirectory() as folder:
        library, count = f"{folder}/fail.so", f"{folder}/count"
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", library,
                        str(TOP / "tests/cli/preload/fail_malloc.c")], check=True)
        for case in cases:
            pathlib.Path(count).unlink(missing_ok=True)
            case.run(more={"LD_PRELOAD": library, "COUNT_TO": count})
            total = int(pathlib.Path(count).read_text())
            for at in picked(1, total, options, case.each):
                for on in ({}, {"FAIL_ON": "1"}):
                    r = case.run(more={"LD_PRELOAD": library, "FAIL_AT": str(at), **on})
                    same = r.returncode == case.whole.returncode and r.stdout == case.whole.stdout
                    said = r.returncode == 5 or b"memory" in r.stdout + r.stderr
                    good = sound(r) and (same or said)
                    tally.own += not good and case.is_undecided(r)
                    good = good or case.is_undecided(r)
                    tally.note(good, case, f"allocation {at} of {total}{' on' if on else ''}: "
                                           f"exit {r.returncode}")


def refused(case, r, silently=False):
    """What cannot be written is an error, where there is something to write."""
    if not case.whole.stdout:
        return r.returncode == case.whole.returncode
    return r.returncode in (2, 5) and (silently or bool(r.stderr))


def limit_files(size):
    def set_limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return set_limit


def output(cases, options, tally):
    for case in mine(cases, options):
        with open("/dev/full", "wb") as full:
            r = case.run(stdout=full)
        tally.note(refused(case, r), case, f"/dev/full: exit {r.returncode}")
        r = case.run(preexec_fn=lambda: os.close(1), stdout=None)
        tally.note(refused(case, r), case, f"output closed: exit {r.returncode}")
        for part in (0, len(case.whole.stdout) // 2, max(len(case.whole.stdout) - 1, 0)):
            with tempfile.TemporaryFile() as file:
                r = case.run(stdout=file, preexec_fn=limit_files(part))
                file.seek(0)
                good = refused(case, r) and case.whole.stdout.startswith(file.read())
            tally.note(good, case, f"a file of {part} bytes at most: exit {r.returncode}")
        r = case.run(preexec_fn=limit_files(0))
        same = (r.returncode, r.stdout) == (case.whole.returncode, case.whole.stdout)
        said = r.returncode in (2, 5) and r.stderr not in (b"", case.whole.stderr)
        tally.note(same or said, case, f"no room for temporary files: exit {r.returncode}")
        for ignore in (False, True):
            ends = os.pipe()
            os.close(ends[0])
            how = {"preexec_fn": lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN)} if ignore else {}
            r = case.run(stdout=ends[1], **how)
            os.close(ends[1])
            good = refused(case, r, True) or (not ignore and r.returncode == -signal.SIGPIPE)
            tally.note(good, case, f"a pipe without a reader: exit {r.returncode}")


def begun(lines):
    """Where the command itself begins: the loader's last munmap is past, and the sanitizer's own files."""
    own = [i for i, line in enumerate(lines) if '"/proc/self/' in line]
    return next((i for i, line in enumerate(lines) if i > max(own, default=-1) and " munmap(" in line), 0)


FAILING = {"read": "EIO", "pread64": "EIO", "write": "EIO", "openat": "EMFILE", "mmap": "ENOMEM",
           "rename": "EIO", "fsync": "EIO", "close": "EIO", "ftruncate": "EIO", "mkdir": "EACCES"}


def calls(cases, options, tally):
    with tempfile.TemporaryDirectory() as folder:
        log = f"{folder}/log"
        for case in cases:
            words = case.words
            case.words = ["strace", "-f", "-qq", "-o", log, "-e", "trace=open,munmap," + ",".join(FAILING), *words]
            case.run(more=TRACED)
            lines = pathlib.Path(log).read_text().splitlines()
            loaded = begun(lines)
            for name, error in FAILING.items():
                if name == "mmap" and "asan" in options.build:
                    continue  # the sanitizer's own: it ends without memory for its shadow
                total = sum(f" {name}(" in line for line in lines)
                first = 1 + sum(f" {name}(" in line for line in lines[:loaded])
                for at in picked(first, total, options):
                    case.words = ["strace", "-f", "-qq", "-o", "/dev/null", "-e",
                                  f"inject={name}:error={error}:when={at}", *words]
                    r = case.run(more=TRACED)
                    same = r.returncode == case.whole.returncode and r.stdout == case.whole.stdout
                    said = r.returncode != 0 and r.stderr != case.whole.stderr or b'"error"' in r.stdout
                    tally.note(sound(r) and (same or said), case,
                               f"{name} {at} of {total}: exit {r.returncode}")
            case.words = words


def streams(cases, options, tally):
    for case in mine(cases, options):
        for fd in (0, 2):
            r = case.run(preexec_fn=lambda fd=fd: os.close(fd))
            good = r.returncode == case.whole.returncode and r.stdout == case.whole.stdout
            tally.note(good or case.reads_stdin, case, f"{fd} closed: exit {r.returncode}")


def signals(cases, options, tally):
    for case in mine(cases, options):
        for _ in range(options.signals):
            with tempfile.TemporaryDirectory() as folder:
                number = random.choice((signal.SIGINT, signal.SIGTERM))
                child = subprocess.Popen(case.words, cwd=case.folder, stdin=subprocess.DEVNULL,
                                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                         env={**os.environ, **PLAIN, "TMPDIR": folder})
                time.sleep(random.random() * case.seconds)
                child.send_signal(number)
                out, _ = child.communicate(timeout=LIMIT_S)
                code, whole = child.returncode, out == case.whole.stdout
                # a question to isl or Z3 that is cancelled is undecided
                good = code in (-number, 128 + number, 4 if case.asks else -number) or (code == case.whole.returncode and whole)
                left = os.listdir(folder)
                tally.note(good and not left, case, f"{number.name}: exit {code}, left {left}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--signals", type=int, default=20)
    parser.add_argument("--sample", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--kinds", default="memory,output,calls,streams,signals")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=12, help="how many bad runs are named")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("build", nargs="?", default="build")
    options = parser.parse_args()
    random.seed(options.seed)
    Case.ends = time.monotonic() + options.seconds
    folders = sorted(p.parent for p in GOLDEN.glob("*/cmd"))
    cases = [Case(f, (TOP / options.build / "tmap").resolve()) for f in folders if options.only in f.name]
    tmap = (TOP / options.build / "tmap").resolve()
    cases += [Case.of_line(line, tmap) for line in MORE if options.only in line]
    cases = [c for c in cases if c.plain][::options.sample]
    for case in cases:
        start = time.monotonic()
        case.whole = case.run()
        case.seconds = time.monotonic() - start
        case.reads_stdin = "-" in case.words or not any("in." in w for w in case.words)
    failed, number = False, 0
    for kind in (memory, output, calls, streams, signals):
        if kind.__name__ not in options.kinds.split(","):
            continue
        number += 1
        if kind is calls and not shutil.which("strace"):
            print(f"ok {number} # SKIP failing calls: no strace here")
            continue
        tally = Tally(f"{kind.__name__}, {len(cases)} commands")
        try:
            kind(cases, options, tally)
        except Late:
            tally.bad.append("cut off: --seconds")
        failed |= tally.tap(number, options)
    print(f"1..{number}")
    return failed


if __name__ == "__main__":
    raise SystemExit(main())
