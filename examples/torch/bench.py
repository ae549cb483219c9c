#!/usr/bin/python3
"""Times collsched beside Gloo, in turns: PYTHONPATH=FOLDER:test/torch bench.py [--rounds N] [--bytes N] [--ranks N] [--seconds S]"""

import argparse
import os
import statistics
import time

import torch
import torch.distributed as dist

import collsched_torch_bench
import ranks as job

OPERATIONS = ["allreduce", "allgather", "broadcast"]
SIZES = [8, 512, 8 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20]


def python_seconds(on, what, size, times):
    one = torch.ones(size // 4)
    everything = [torch.ones(size // 4) for _ in range(dist.get_world_size())]

    def run():
        if what == "allreduce":
            dist.all_reduce(one, group=on)
        elif what == "broadcast":
            dist.broadcast(one, 0, group=on)
        else:
            dist.all_gather(everything, one, group=on)

    run()
    before = time.perf_counter()
    for _ in range(times):
        run()
    return time.perf_counter() - before


def measure(rank, ranks, sizes, rounds, budget):
    gloo, ours = dist.group.WORLD, dist.new_group(backend="collsched")
    rows = []
    for what in OPERATIONS:
        for size in sizes:
            for level, seconds in (("C++", collsched_torch_bench.seconds), ("Python", python_seconds)):
                # Each backend runs for about budget / rounds seconds per round.
                times = []
                for on in (gloo, ours):
                    trial = torch.tensor([seconds(on, what, size, 3) / 3])
                    dist.all_reduce(trial, dist.ReduceOp.MAX)
                    times.append(max(2, min(2000, int(budget / rounds / max(trial.item(), 1e-7)))))
                found = ([], [])
                for _ in range(rounds):
                    for i, on in enumerate((gloo, ours)):
                        dist.barrier()
                        found[i].append(seconds(on, what, size, times[i]) / times[i])
                a, b = (statistics.median(f) * 1e6 for f in found)
                rows.append((what, size, level, a, b, min(found[0]) * 1e6, min(found[1]) * 1e6))
    return rows


def main():
    parser = argparse.ArgumentParser(description="Times collsched beside Gloo, in turns.")
    parser.add_argument("--rounds", type=int, default=7, help="turns of each backend (default 7)")
    parser.add_argument("--bytes", type=int, action="append", help="size of a tensor, repeatable (default 8 to 16 MiB)")
    parser.add_argument("--ranks", type=int, action="append", help="number of processes, repeatable (default 2 and 4)")
    parser.add_argument("--seconds", type=float, default=1.0, help="time per backend and row (default 1)")
    options = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.2f} on {os.cpu_count()} processors; medians of {options.rounds} turns, in microseconds")
    print("| ranks | operation | bytes | level | Gloo | collsched | ratio of medians | ratio of the fastest |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for ranks in options.ranks or [2, 4]:
        for what, size, level, a, b, least_a, least_b in job.run(
                measure, ranks, options.bytes or SIZES, options.rounds, options.seconds, deadline=3000)[0]:
            print(f"| {ranks} | {what} | {size} | {level} | {a:.1f} | {b:.1f} | {b / a:.3f} | {least_b / least_a:.3f} |")
    print(f"load at the end {os.getloadavg()[0]:.2f}")


if __name__ == "__main__":
    main()
