"""Decode attention by PyTorch on contiguous K and V, at the shape that bench/paged.c begins with:
bytes of K and V over the median time, for every backend that takes it."""
import statistics
import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

REQUESTS, HEADS, KV_HEADS, TOKENS, DIM = 64, 32, 8, 4096, 128


def median_us(call, runs=15):
    times = []
    for i in range(-3, runs):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        call()
        end.record()
        end.synchronize()
        if i >= 0:
            times.append(begin.elapsed_time(end) * 1000)
    return statistics.median(times)


def main():
    make = lambda *shape: torch.randn(*shape, device="cuda", dtype=torch.bfloat16)
    q, k, v = make(REQUESTS, HEADS, 1, DIM), *(make(REQUESTS, KV_HEADS, TOKENS, DIM) for _ in "kv")
    grouped = q.view(REQUESTS, KV_HEADS, HEADS // KV_HEADS, DIM)
    size = 2 * k.numel() * 2
    calls = [("enable_gqa", lambda: F.scaled_dot_product_attention(q, k, v, enable_gqa=True)),
             ("heads of a group as rows", lambda: F.scaled_dot_product_attention(grouped, k, v))]
    for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION,
                    SDPBackend.EFFICIENT_ATTENTION):
        for name, call in calls:
            try:
                with sdpa_kernel(backend):
                    us = median_us(call)
                print(f"torch {torch.__version__}\t{backend.name}\t{name}\t{us:.1f}\t{size / us / 1e3:.0f}")
            except RuntimeError as error:
                print(f"torch\t{backend.name}\t{name}\t{str(error).splitlines()[0][:90]}")


main()
