#!/usr/bin/env python3
"""Learns what the cost model's errors have in common (src/kernels/gemm/residual.c).

  fit -r -k 0 -c kk kk.txt -c kn kn.txt >timings.txt; fit -r -p 3 e4m3p.txt >>timings.txt
  learn.py timings.txt [TREES [HELD_OUT...]] >src/kernels/gemm/residual_trees.def

Boosted trees, each of one question a level, over the logarithm of the measured time over the
modelled one, less its mean over the product's quicker configurations: what decides is the order of
a product's configurations, not their time. TREES: 250. HELD_OUT: timings of other products, of which it
is told how well a pick does as the trees grow. Learn anew when the model's constants change. Needs numpy.
"""
import os
import subprocess
import sys

import numpy as np

DEPTH, BINS, RATE, CALM, ROWS, FEATURES = 6, 64, 0.35, 1.0, 0.9, 0.8
# A leaf's value is in 1/UNITS of the logarithm and has 8 bits (residual.c, as DEPTH).
UNITS, MOST_VALUE = 1024, 127
LIKELY, WITHIN, SETTLES_US, MOST_RESIDUAL = 8, 1.1, 500, 0.1  # residual.h
# Timings that are NEAR times slower than the best are left out; the weight of one that is slower by
# BEHIND is half of the best's. All of a product weigh PRODUCT, which is less where FEW do.
NEAR, BEHIND, PRODUCT, FEW = 1.5, 0.08, 30, 10


class Timings:
    """shape, us, cost and features of every timing."""

    def __init__(self, path):
        lines, files = [], []
        with open(path, encoding="ascii") as f:
            for line in f:
                if line[0] == "#":  # of another file, whose shapes are numbered anew
                    self.names = line.split()[4:]
                    files.append(len(lines))
                else:
                    lines.append(line)
        table = np.loadtxt(lines, dtype=np.float64)
        for first in files:
            table[first:, 0] += table[:, 0].max() + 1
        _, self.shape = np.unique(table[:, 0], return_inverse=True)
        self.us, self.cost, self.x = table[:, 1], table[:, 2], table[:, 3:].astype(np.int32)
        self.best = np.full(self.shape.max() + 1, np.inf)
        np.minimum.at(self.best, self.shape, self.us)

    def told(self, log_factor):
        """The pick's share of the best measured: mean, and of those beyond 20 us below 0.93."""
        order = np.lexsort((self.cost, self.shape))
        begin = np.flatnonzero(np.r_[True, np.diff(self.shape[order]) > 0])
        counts = np.diff(np.r_[begin, len(order)])
        rank = np.arange(len(order)) - np.repeat(begin, counts)
        least = np.repeat(self.cost[order[begin]], counts)
        likely = order[(rank < np.where(least > SETTLES_US, 1, LIKELY))
                       & (self.cost[order] <= WITHIN * least)]
        cost = self.cost * np.exp(np.clip(log_factor, -MOST_RESIDUAL, MOST_RESIDUAL))
        likely = likely[np.lexsort((cost[likely], self.shape[likely]))]
        first = likely[np.r_[True, np.diff(self.shape[likely]) > 0]]
        share = self.best[self.shape[first]] / self.us[first]
        long = self.us[first] > 20
        return "%.4f, worst %.3f; beyond 20 us %.4f, %d of %d below 0.93" % (
            np.exp(np.log(share).mean()), share.min(), np.exp(np.log(share[long]).mean()),
            (share[long] < 0.93).sum(), long.sum())


def cuts_of(column):
    """Up to BINS - 1 values that part a feature's."""
    values = np.unique(column)
    if len(values) > BINS:
        values = np.unique(np.quantile(column, np.linspace(0, 1, BINS), method="lower"))
    return values[:-1]


def grow(binned, cuts, gradient, weight, rng):
    """One tree's questions: (feature, most)."""
    varied = [f for f in range(len(cuts)) if len(cuts[f]) > 0]
    leaf = np.zeros(gradient.size, np.int64)
    questions = []
    for level in range(DEPTH):
        best = (-1.0, 0, 0)
        for f in rng.permutation(varied)[:max(1, int(len(varied) * FEATURES))]:
            at = leaf * BINS + binned[f]
            size = BINS << level
            g = np.bincount(at, gradient, size).reshape(-1, BINS).cumsum(1)
            w = np.bincount(at, weight, size).reshape(-1, BINS).cumsum(1)
            right_g, right_w = g[:, -1:] - g, w[:, -1:] - w
            gain = (g * g / (w + CALM) + right_g * right_g / (right_w + CALM)).sum(0)
            gain = gain[:len(cuts[f])]
            if gain.max() > best[0]:
                best = (gain.max(), f, int(gain.argmax()))
        _, f, cut = best
        questions.append((f, int(cuts[f][cut])))
        leaf |= (binned[f] > cut).astype(np.int64) << level
    return questions


def leaves_of(x, questions):
    """The leaf of every row."""
    leaf = np.zeros(len(x), np.int64)
    for level, (f, most) in enumerate(questions):
        leaf |= (x[:, f] > most).astype(np.int64) << level
    return leaf


def learn(timings, trees, held_out):
    """Yields each tree: questions and values."""
    behind = np.log(timings.us / timings.best[timings.shape])
    kept = behind < np.log(NEAR)
    shape, x = timings.shape[kept], timings.x[kept]
    error = np.log(timings.us / timings.cost)[kept]
    weight = 1 / (1 + (behind[kept] / BEHIND) ** 2)
    per_shape = np.bincount(shape, weight)
    weight *= PRODUCT / np.maximum(per_shape[shape], FEW)
    per_shape = np.maximum(np.bincount(shape, weight), 1e-9)
    cuts = [cuts_of(x[:, f]) for f in range(x.shape[1])]
    assert all(abs(int(c)) < 1 << 15 for cut in cuts for c in cut)  # residual.c's int16_t
    binned = np.array([np.searchsorted(c, x[:, f], "left") for f, c in enumerate(cuts)], np.uint8)
    rng = np.random.default_rng(1)
    told = [np.zeros(len(t.us)) for t in held_out]
    for t in range(trees):
        left = error - (np.bincount(shape, weight * error) / per_shape)[shape]
        some = rng.random(len(left)) < ROWS
        questions = grow(binned[:, some], cuts, (weight * left)[some], weight[some], rng)
        leaf = leaves_of(x, questions)
        w = np.bincount(leaf, weight, 1 << DEPTH)
        value = RATE * np.bincount(leaf, weight * left, 1 << DEPTH) / (w + PRODUCT * CALM)
        value = np.clip(np.round(value * UNITS), -MOST_VALUE, MOST_VALUE).astype(int)
        error -= value[leaf] / UNITS
        for h, others in enumerate(held_out):
            told[h] += value[leaves_of(others.x, questions)] / UNITS
            if t % 25 == 24:
                print("%d trees: %s" % (t + 1, others.told(told[h])), file=sys.stderr)
        yield questions, value


def main():
    timings = Timings(sys.argv[1])
    trees = int(sys.argv[2]) if len(sys.argv) > 2 else 250
    held_out = [Timings(path) for path in sys.argv[3:]]
    for t in [timings] + held_out:
        print("before: " + t.told(np.zeros(len(t.us))), file=sys.stderr)
    print("/* Written by bench/gemm/fit/learn.py from %d timings of %d products. */"
          % (len(timings.us), len(timings.best)))
    learnt_of = os.path.join(os.path.dirname(os.path.abspath(__file__)), "learnt_of.sh")
    constants = subprocess.run(["sh", learnt_of], capture_output=True, text=True, check=True).stdout
    print("/* Constants and facts: %s */" % constants.strip())
    print("/* clang-format off */")
    for questions, value in learn(timings, trees, held_out):
        asks = ", ".join("ASKS(%s, %d)" % (timings.names[f], most) for f, most in questions)
        print("TREE(%s,\n     %s)" % (asks, ", ".join(map(str, value))))


if __name__ == "__main__":
    main()
