#!/usr/bin/env python3
"""What Triton makes of random GEMM configurations on the GPU at hand, one JSON object a line.

Each is compiled and run in a process of its own, since a bad kernel can spoil a context; the result
is compared with torch. tests/data/triton_configs.jsonl is a recording; tests/solve/test_prune.c
holds the `triton` model to it. Usage: triton_configs.py COUNT SEED SECONDS > out.jsonl
"""
import json
import multiprocessing as mp
import random
import sys
import time

TYPES = {"BFLOAT16": ("bfloat16", 2), "FLOAT16": ("float16", 2), "UINT8": ("float8_e4m3fn", 1)}


def configurations(count, seed):
    r = random.Random(seed)
    seen = set()
    while len(seen) < count:
        c = (r.choice([64, 128, 256]), r.choice([64, 128, 256]), r.choice([32, 64, 128]),
             r.choice([1, 2, 3, 4, 5, 6]), r.choice([4, 8, 8, 16]),
             r.choice(["BFLOAT16", "BFLOAT16", "FLOAT16", "UINT8"]))
        seen.add(c)
    first = [(128, 128, 128, 4, 16, "BFLOAT16"), (128, 128, 128, 3, 8, "BFLOAT16"),
             (256, 256, 128, 5, 16, "BFLOAT16"), (64, 64, 32, 1, 4, "BFLOAT16")]
    return first + sorted(seen - set(first), key=lambda c: r.random())


def kernel():
    import triton
    import triton.language as tl

    @triton.jit
    def gemm(a_desc, b_desc, c_desc, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
        row = tl.program_id(0) * BM
        col = tl.program_id(1) * BN
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, tl.cdiv(K, BK)):
            a = a_desc.load([row, k * BK])
            b = b_desc.load([col, k * BK])
            acc = tl.dot(a, b.T, acc)
        c_desc.store([row, col], acc.to(tl.bfloat16))

    return triton, gemm


def one(config):
    import torch
    from triton.tools.tensor_descriptor import TensorDescriptor
    triton, gemm = kernel()
    bm, bn, bk, stages, warps, dtype = config
    out = {"BLOCK_M": bm, "BLOCK_N": bn, "BLOCK_K": bk, "num_stages": stages, "num_warps": warps,
           "dtype": dtype, "triton": triton.__version__}
    n = 512
    try:
        torch.manual_seed(1)
        a = torch.randint(-3, 4, (n, n), device="cuda").to(getattr(torch, TYPES[dtype][0]))
        b = torch.randint(-3, 4, (n, n), device="cuda").to(getattr(torch, TYPES[dtype][0]))
        c = torch.zeros((n, n), device="cuda", dtype=torch.bfloat16)
        da, db = TensorDescriptor.from_tensor(a, [bm, bk]), TensorDescriptor.from_tensor(b, [bn, bk])
        dc = TensorDescriptor.from_tensor(c, [bm, bn])
        k = gemm[(triton.cdiv(n, bm), triton.cdiv(n, bn))](da, db, dc, n, bm, bn, bk,
                                                            num_stages=stages, num_warps=warps)
        torch.cuda.synchronize()
        want = (a.float() @ b.float().T).to(torch.bfloat16)
        out.update(status="ran", correct=bool((c == want).all().item()),
                   shared=int(k.metadata.shared), regs=int(getattr(k, "n_regs", -1) or -1),
                   spills=int(getattr(k, "n_spills", -1) or 0))
    except Exception as e:  # what the compiler or the launch says is the result
        text = str(e)
        out.update(status="failed", kind=type(e).__name__, error=text.replace("\n", " ")[:300])
    return out


def child(config, queue):
    queue.put(one(config))


def main():
    count, seed, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    start, width = time.time(), 14
    todo, running = configurations(count, seed), []
    ctx = mp.get_context("fork")
    while (todo or running) and time.time() - start < seconds:
        while todo and len(running) < width:
            q = ctx.Queue()
            c = todo.pop(0)
            p = ctx.Process(target=child, args=(c, q))
            p.start()
            running.append((p, q, c, time.time()))
        for item in list(running):
            p, q, c, t = item
            if not q.empty():
                print(json.dumps(q.get()), flush=True)
                p.join(2)
                running.remove(item)
            elif not p.is_alive() or time.time() - t > 60:
                if p.is_alive():
                    p.kill()
                names = ("BLOCK_M", "BLOCK_N", "BLOCK_K", "num_stages", "num_warps", "dtype")
                print(json.dumps(dict(zip(names, c), status="failed", kind="process",
                                      error="died or took more than 60 s")), flush=True)
                running.remove(item)
        time.sleep(0.02)
    for p, _, _, _ in running:
        p.kill()


if __name__ == "__main__":
    main()
