"""Times of a CUDA graph by events, for what stands beside PyTorch in one process."""
import torch


def slice_us(graph, launches, ms):
    """Microseconds a launch, of as many replays as take some ms; the graph has launches of them."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    replays, took = 1, 0.0
    while took < ms / 2:
        replays = max(1, int(replays * ms / took)) if took else replays
        start.record()
        for _ in range(replays):
            graph.replay()
        end.record()
        end.synchronize()
        took = start.elapsed_time(end)
    return took * 1000 / replays / launches
