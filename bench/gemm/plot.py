#!/usr/bin/env python3
"""plot.py FOLDER: docs/gemm-ratio.svg from the records in bench/gemm/h200 (`make gemm-plot`).

One row for each product, one dot for each shape: the time of cublasLt's best by ours. What a shape
is like shows in the dot's form, not its colour; the axis is logarithmic and fitted to the data.
"""
import math
import sys

# The last run of each type: file, label, and the element's bytes where shapes are drawn: those of whole 16-byte rows count.
ROWS = [
    ("exhaust-bf16", "bf16", 0), ("registers-bf16", "bf16, random shapes", 2),
    ("f16", "fp16", 0), ("registers-f16", "fp16, random shapes", 2),
    ("tf32", "tf32", 0), ("registers-tf32", "tf32, random shapes", 4), ("s8", "int8", 0),
    ("registers-s8", "int8, random shapes", 1), ("e4m3p", "e4m3, promoted", 0),
    ("chains-e4m3p", "e4m3 promoted, random", 1), ("e4m3", "e4m3", 0), ("shares-e4m3", "e4m3, random shapes", 1),
    ("chains-e5m2p", "e5m2 promoted, random", 1), ("chains-e5m2", "e5m2, random shapes", 1),
]
WIDTH, LEFT, RIGHT, TOP, ROW, RADIUS = 1000, 180, 95, 92, 42, 3.2
FORMS = [("square", "M = N = K"), ("circle", "M up to 128"), ("triangle", "other shapes")]


def read(path, element_bytes):
    """(m, n, k, ratio) of each shape: lines of `gemm exhaust`, `compare` or `drawn`."""
    for line in open(path):
        f = line.rstrip("\n").split("\t")
        if f[0] in ("name", "steady") or line[0] == "#":
            continue
        if f[0] == "exhaust":
            yield (*map(int, f[1:4]), float(f[8]) / float(f[6]))
        elif not element_bytes:
            yield (*map(int, f[3:6]), float(f[16]))
        elif int(f[2]) * element_bytes % 16 == 0 and int(f[3]) * element_bytes % 16 == 0:
            yield (*map(int, f[1:4]), float(f[8]))


def form_of(m, n, k):
    return "square" if m == n == k else "circle" if m <= 128 else "triangle"


def mark(form, x, y):
    r = RADIUS
    if form == "square":
        return f"<rect x='{x - r:.1f}' y='{y - r:.1f}' width='{2 * r}' height='{2 * r}' fill='#222'/>"
    if form == "circle":
        return f"<circle cx='{x:.1f}' cy='{y:.1f}' r='{r}' fill='white' stroke='#222' stroke-width='1.4'/>"
    points = f"{x:.1f},{y - r:.1f} {x + r:.1f},{y + r:.1f} {x - r:.1f},{y + r:.1f}"
    return f"<polygon points='{points}' fill='#999' stroke='#222'/>"


def swarm(xs):
    """How far each dot moves up or down so that none covers another, as far as the row allows."""
    placed = []
    steps = [0] + [s * i for i in range(1, 23) for s in (-1, 1)]
    for x in xs:
        free = [d for d in steps
                if all((x - a) ** 2 + (d - b) ** 2 > (2.1 * RADIUS) ** 2 for a, b in placed)]
        placed.append((x, free[0] if free else steps[len(placed) % len(steps)]))
    return [d for _, d in placed]


def text(x, y, s, more=""):
    return f"<text x='{x:.1f}' y='{y:.1f}' {more}>{s}</text>"


def axis(at, low, high, bottom):
    ticks = [t / 20 for t in range(2, 60) if low <= t / 20 <= high]
    for t in ticks:
        one = abs(t - 1) < 1e-9
        yield (f"<line x1='{at(t):.1f}' y1='{TOP}' x2='{at(t):.1f}' y2='{bottom}' "
               f"stroke='{'#222' if one else '#ddd'}'/>")
        if one or round(t * 20) % 2 == 0:
            yield text(at(t), TOP - 6, f"{t:.1f}", "text-anchor='middle'")


def legend():
    x = LEFT
    for form, says in FORMS:
        yield mark(form, x, 46) + text(x + 10, 50, says)
        x += 130
    yield f"<line x1='{x}' y1='38' x2='{x}' y2='54' stroke='#222' stroke-width='3'/>"
    yield text(x + 10, 50, "geometric mean")


def main(folder):
    rows = [(label, sorted(read(f"{folder}/{name}.tsv", size), key=lambda s: s[3]))
            for name, label, size in ROWS]
    ratios = [s[3] for _, shapes in rows for s in shapes]
    low, high = min(ratios) / 1.02, max(ratios) * 1.02
    scale = (WIDTH - LEFT - RIGHT) / math.log(high / low)
    at = lambda ratio: LEFT + scale * math.log(ratio / low)
    bottom = TOP + ROW * len(rows)
    print(f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {bottom + 10}' "
          f"width='{WIDTH}' height='{bottom + 10}' font-family='sans-serif' font-size='13'>")
    print("<rect width='100%' height='100%' fill='white'/>")
    print(text(8, 22, "Speed relative to cublasLt's best algorithm: right of 1, tmap is faster "
                      "(one NVIDIA H200; each dot a shape)", "font-weight='bold'"))
    print("\n".join(legend()))
    print("\n".join(axis(at, low, high, bottom)))
    print(text(WIDTH - 8, TOP - 6, "mean, shapes", "text-anchor='end'"))
    for i, (label, shapes) in enumerate(rows):
        y = TOP + ROW * i + ROW / 2
        mean = math.exp(sum(math.log(s[3]) for s in shapes) / len(shapes))
        print(f"<line x1='8' y1='{y + ROW / 2}' x2='{WIDTH - 8}' y2='{y + ROW / 2}' stroke='#eee'/>")
        print(text(LEFT - 12, y + 4, label, "text-anchor='end'"))
        print(f"<line x1='{at(mean):.1f}' y1='{y - 21}' x2='{at(mean):.1f}' y2='{y + 21}' "
              "stroke='#222' stroke-width='3'/>")
        xs = [at(s[3]) for s in shapes]
        for s, x, d in zip(shapes, xs, swarm(xs)):
            print(mark(form_of(*s[:3]), x, y + d))
        print(text(WIDTH - 8, y + 4, f"{mean:.3f}, {len(shapes)}", "text-anchor='end'"))
    print("</svg>")


main(sys.argv[1])
