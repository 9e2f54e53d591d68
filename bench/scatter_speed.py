#!/usr/bin/env python3
"""`tesselab.Scatter` beside PyTorch's, JAX's and CuPy's sums on a GPU.

    bench/scatter_speed.py [--cells 2000000] [--width 1,2,4,16] [--csv FILE]

Maps of edges, tets and hexes of a box in the order of a generator ("good"), in an order that is
random ("random", as Gmsh's Delaunay meshes come) and along a Hilbert curve of the random one
("hilbert"). Each sum is checked, and timed by CUDA's events: the median of `--rounds` rounds of ten
calls. PyTorch:
index_add_ with indices of 32 and 64 bits, the faster one counts; JAX: segment_sum, compiled; CuPy:
scatter_add. Prints a table in Markdown: milliseconds, and times ours; what the bytes alone take that
any such sum moves; and those beside which ours is not 1.3 times as fast in a good order, or twice
in another. With --gather a second table, of gathers."""

import argparse
import statistics

import numpy as np
import tesselab

CALLS = 10  # one after the other, as a program makes them
PIECE = 64  # bytes that an H200's memory gives at least
L2 = 50e6  # bytes that its second-level cache holds
COPY = 4.3e12  # bytes a second that memory copies
PEERS = {"torch": "PyTorch", "jax": "JAX", "cupy": "CuPy"}
MAPS = {"edges to cells": 2, "tets to nodes": 3, "hexes to nodes": 3}


def box(n, dimension):
    """The corners of the cells of a box, in VTK's order, and how many nodes it has."""
    side = round(n ** (1 / dimension))
    nodes = np.arange((side + 1) ** dimension).reshape((side + 1,) * dimension)
    steps = [(0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 0), (1, 0, 0), (1, 0, 1), (1, 1, 1), (1, 1, 0)]
    corners = [nodes[tuple(slice(o, o + side) for o in step[-dimension:])].ravel() for step in steps[: 2**dimension]]
    return np.stack(corners, 1), nodes.size, side


def edges_of_cells(n):
    """The two cells of each inner edge of a plane box."""
    side = round(n**0.5)
    cells = np.arange(side * side).reshape(side, side)
    across = np.stack([cells[:, :-1].ravel(), cells[:, 1:].ravel()], 1)
    along = np.stack([cells[:-1].ravel(), cells[1:].ravel()], 1)
    both = np.concatenate([across, along])
    return both[np.argsort(both[:, 0], kind="stable")], side * side


def map_of(name, n):
    if name == "edges to cells":
        return edges_of_cells(n)
    if name == "hexes to nodes":
        corners, n_nodes, _ = box(n, 3)
        return corners, n_nodes
    corners, n_nodes, _ = box(n / 6, 3)
    paths = [(0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)]
    return np.stack([corners[:, path] for path in paths], 1).reshape(-1, 4), n_nodes


def ordered(index, n_points, order, seed):
    """The map in an order of elements and points."""
    if order == "good":
        return index
    random = np.random.default_rng(seed)
    points = random.permutation(n_points)
    return points[index[random.permutation(len(index))]]


def median_ms(torch, work, rounds):
    for _ in range(3):
        work()
    times = []
    for _ in range(rounds):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(CALLS):
            work()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) / CALLS)
    return statistics.median(times)


def jax_ms(jax, work, rounds):
    import time

    work().block_until_ready()
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(CALLS):
            found = work()
        found.block_until_ready()
        times.append((time.perf_counter() - begin) / CALLS * 1000)
    return statistics.median(times)


def times_of(index, n_points, width, dtype, rounds):
    """Milliseconds by the name of the program."""
    import torch

    torch_type = getattr(torch, dtype)
    values = torch.rand(index.shape + (width,), dtype=torch_type, device="cuda")
    flat = values.reshape(-1, width)
    s = tesselab.Scatter(index, n_points)
    ours = s(values)
    found = {"ours": median_ms(torch, lambda: s(values), rounds)}
    again = [s(values) for _ in range(3)]
    assert all(torch.equal(ours, one) for one in again), "bits differ"
    for bits in (torch.int32, torch.int64):
        where = torch.as_tensor(index.ravel(), dtype=bits, device="cuda")
        result = torch.zeros((n_points, width), dtype=torch_type, device="cuda")
        result.index_add_(0, where, flat)
        scale = result.abs().max()
        assert ((ours - result).abs().max() / scale).item() < (1e-12 if dtype == "float64" else 1e-4), "wrong"
        time = median_ms(torch, lambda r=result, w=where: r.zero_().index_add_(0, w, flat), rounds)
        found["torch"] = min(time, found.get("torch", time))
    gathered = s.gather(ours)
    assert torch.equal(gathered.reshape(-1, width), ours[where])
    found["gather"] = median_ms(torch, lambda: s.gather(ours), rounds)
    found["torch gather"] = median_ms(torch, lambda: ours.index_select(0, where), rounds)
    found["copy"] = median_ms(torch, lambda: values.clone(), rounds)
    try:
        import cupy
        import cupyx

        c_values, c_where = cupy.from_dlpack(flat), cupy.from_dlpack(where)
        c_result = cupy.zeros((n_points, width), dtype)
        found["cupy"] = median_ms(torch, lambda: cupyx.scatter_add(c_result, c_where, c_values), max(3, rounds // 3))
    except ImportError:
        pass
    try:
        import jax

        j_values, j_where = jax.dlpack.from_dlpack(flat), jax.dlpack.from_dlpack(where.int())
        add = jax.jit(lambda v, w: jax.ops.segment_sum(v, w, num_segments=n_points))
        found["jax"] = jax_ms(jax, lambda: add(j_values, j_where), max(3, rounds // 3))
    except ImportError:
        pass
    return found


def bytes_ms(n_entries, n_points, row, order):
    """Milliseconds of the bytes of a sum over rows of values: entries, each with its index, and the result. In an order that is
    not good an entry's row comes in pieces of memory of its own, unless the cache holds all of them."""
    read = row if order == "good" or n_entries * row <= L2 else -(-row // PIECE) * PIECE
    return (n_entries * (read + 4) + n_points * row) / COPY * 1e3


def slow_beside(times, order):
    least = 1.3 if order == "good" else 2
    return ", ".join(title for peer, title in PEERS.items() if peer in times and times[peer] / times["ours"] < least)


def sum_row(what, times, alone, order):
    """A row of the table: `what` are its first cells."""
    beside = [f"{times[p] / times['ours']:.2f}" if p in times else "" for p in (*PEERS, "copy")]
    cells = [*what, f"{times['ours']:.3f}", *beside, f"{alone:.3f}", slow_beside(times, order)]
    return f"| {' | '.join(cells)} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, default=2_000_000)
    parser.add_argument("--width", default="1,2,4,16")
    parser.add_argument("--types", default="float32,float64")
    parser.add_argument("--orders", default="good,random")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--gather", action="store_true")
    asked = parser.parse_args()
    gathers = []
    print("| map | order | type | values | ours, ms | PyTorch | JAX | CuPy | copy | bytes, ms | not beside |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name in MAPS:
        index, n_points = map_of(name, asked.cells)
        for order in asked.orders.split(","):
            placed = ordered(index, n_points, order, 1)
            for dtype in asked.types.split(","):
                for width in map(int, asked.width.split(",")):
                    t = times_of(placed, n_points, width, dtype, asked.rounds)
                    what = [name, order, dtype, str(width)]
                    alone = bytes_ms(index.size, n_points, width * np.dtype(dtype).itemsize, order)
                    print(sum_row(what, t, alone, order), flush=True)
                    gathers.append(f"| {' | '.join(what)} | {t['gather']:.3f} | {t['torch gather'] / t['gather']:.2f} |")
    if asked.gather:
        print("\n| map | order | type | values | gather, ms | PyTorch |\n|---|---|---|---|---|---|")
        print("\n".join(gathers))


if __name__ == "__main__":
    main()
