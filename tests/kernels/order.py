#!/usr/bin/env python3
"""Checks the order of fences, waits and copies on every path through the kernels of a PTX file.

    order.py FILE.ptx        one line per broken rule and kernel: KERNEL RULE; exit code 1 when any

Each rule is an automaton over a kernel's instructions; every path of the control flow is followed
(branches on %tid.x the same way each time). The rules are the PTX ISA's: async proxy, mbarrier and
bulk-group sections, tensormap proxy. And `watchdog`: a wait that is in vain ends by itself."""
import re
import sys

sys.setrecursionlimit(100000)

STORE = r"cp\.(reduce\.)?async\.bulk\.(tensor\.\dd\.)?global\.shared"
LOAD = r"cp\.async\.bulk\.(tensor\.\dd\.)?shared::\w+\.global"
HAND = r"bar\.arrive \S+ 160;"  # to the warp that stores for a warpgroup
TENSOR = r"cp\.(reduce\.)?async\.bulk\.tensor"

# rule: what it says, then (state, event, next state); "!" is the breach. No transition: no change.
RULES = {
    "proxy-fence": [  # bytes that threads wrote: fence, then barrier, then the engine's store
        ("*", r"st\.shared\.v4|stmatrix", "written"),
        ("written", r"fence\.proxy\.async", "fenced"),
        ("fenced", r"bar\.sync|barrier\.sync|" + HAND, ""),
        ("written", HAND, "!"), ("written", STORE, "!"), ("fenced", STORE, "!")],
    "init-fence": [  # an initialised barrier is published before the engine signals it
        ("*", r"mbarrier\.init", "raw"),
        ("raw", r"fence\.mbarrier_init", ""),
        ("raw", LOAD, "!")],
    "descriptor-fence": [  # an edited descriptor: released, acquired, used
        ("*", r"tensormap\.replace", "edited"),
        ("edited", r"tensormap\.cp_fenceproxy.*release", "released"),
        ("released", r"fence\.proxy\.tensormap.*acquire", ""),
        ("edited", TENSOR, "!"), ("released", TENSOR, "!")],
    "drain": [  # no block leaves while its stores are under way
        ("*", STORE, "storing"),
        ("storing", r"cp\.async\.bulk\.wait_group 0", ""),
        ("storing", r"ret;", "!")],
    "reuse": [  # what a store reads is not written again before it has been read
        ("*", STORE, "reading"),
        ("reading", r"cp\.async\.bulk\.wait_group", ""),
        ("reading", "REFILL", "!")],
}

# A product's launch may begin before its predecessor has ended (programmatic dependent launch): until
# it has waited for that, it may touch nothing in global memory but its own report before a trap.
EARLY = [
    ("early", r"griddepcontrol\.wait", ""),
    ("early", rf"{LOAD}|{STORE}|^(@!?%p\d+ )?(ld|st|atom|red)\.(?!volatile)(\w+\.)*global", "!")]
OVERLAPS = r"(gemm|order)_"


def kernels(text):
    for m in re.finditer(r"\.entry (\w+)\(.*?\n\{(.*?)\n\}", text, re.S):
        yield m[1], [s.strip() for s in m[2].split("\n") if s.strip()]


def thread_predicates(lines):
    """Predicates that compare %tid.x: a thread decides them once."""
    tid = {m[1] for s in lines if (m := re.match(r"mov\.u32\s+(%r\d+), %tid\.x", s))}
    return {m[1] for s in lines if (m := re.match(r"setp\.\w+\.\w+\s+(%p\d+), (%r\d+), 0", s))
            and m[2] in tid}


def successors(lines, labels, i, known, sticky):
    m = re.match(r"(?:@(!?)(%p\d+)\s+)?bra(?:\.uni)?\s+(\$?\w+)", lines[i])
    if not m:
        return [] if re.match(r"(ret|exit|trap);", lines[i]) else [(i + 1, known)]
    if not m[2]:
        return [(labels[m[3]], known)]
    out, decided = [], dict(known)
    for taken in (True, False):
        value = taken != bool(m[1])
        if m[2] in sticky and decided.get(m[2], value) != value:
            continue
        now = tuple(sorted({**decided, m[2]: value}.items())) if m[2] in sticky else known
        out.append((labels[m[3]] if taken else i + 1, now))
    return out


def breaks(lines, rule, refill, start=""):
    labels = {s[:-1]: i for i, s in enumerate(lines) if s.endswith(":")}
    sticky = thread_predicates(lines)
    todo, seen = [(0, start, ())], set()
    while todo:
        at = todo.pop()
        i, state, known = at
        if at in seen or i >= len(lines):
            continue
        seen.add(at)
        for before, event, after in rule:
            if before in ("*", state) and re.search(refill if event == "REFILL" else event, lines[i]):
                if after == "!":
                    return True
                state = after
                break
        todo += [(j, state, k) for j, k in successors(lines, labels, i, known, sticky)]
    return False


ASK = r"(?:mbarrier\.try_wait|ld\.acquire)\S* [%\w]+, (\[.*);"
ONWARD = rf"{LOAD}|{STORE}|mbarrier\.arrive|wgmma|bar\.sync|(?<!m)barrier\.|^ret;"


def quits(lines, labels, i, asked, timed, seen):
    """From line i: asking the same again and no more, the timer is read and the kernel traps."""
    if i >= len(lines) or (i, timed) in seen:
        return False
    seen.add((i, timed))
    if lines[i] == "trap;":
        return timed
    m = re.search(ASK, lines[i])
    if m and m[1] != asked or re.search(ONWARD, lines[i]):
        return False
    timed = timed or "%globaltimer" in lines[i]
    return any(quits(lines, labels, j, asked, timed, seen)
               for j, _ in successors(lines, labels, i, (), set()))


def unwatched(lines):
    """Waits that ask again (mbarrier.try_wait, a flag's ld.acquire) and may do so for ever: none of
    the ways on from the question leads by the timer to a trap."""
    labels = {s[:-1]: i for i, s in enumerate(lines) if s.endswith(":")}
    asks = [(i, m[1]) for i, s in enumerate(lines) if (m := re.search(ASK, s))]
    return any(not quits(lines, labels, i + 1, asked, False, set()) for i, asked in asks)


def main():
    text, bad, n = open(sys.argv[1]).read(), 0, 0
    for name, lines in kernels(text):
        n += 1
        turned = any("st.shared.v4" in s for s in lines)  # threads write what the engine stores
        for title, rule in RULES.items():
            if breaks(lines, rule, r"st\.shared\.v4" if turned else LOAD):
                print(name, title)
                bad += 1
        if re.match(OVERLAPS, name) and breaks(lines, EARLY, LOAD, "early"):
            print(name, "launch-order")
            bad += 1
        if unwatched(lines):
            print(name, "watchdog")
            bad += 1
    if n == 0:
        print("no kernel in", sys.argv[1])
    sys.exit(1 if bad or n == 0 else 0)


main()
