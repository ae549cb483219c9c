"""Runs a function in several processes, as the ranks of a PyTorch job on one node."""

import datetime
import multiprocessing
import os
import sys
import tempfile
import traceback

import torch
import torch.distributed as dist

import collsched_torch  # noqa: F401  registers the backend


def _rank(function, rank, ranks, store, backend, results, arguments):
    torch.set_num_threads(1)
    try:
        dist.init_process_group(backend, init_method="file://" + store, rank=rank, world_size=ranks,
                                timeout=datetime.timedelta(seconds=120))
        results.put((rank, None, function(rank, ranks, *arguments)))
    except BaseException:  # reported by the parent
        results.put((rank, traceback.format_exc(), None))
    results.close()
    results.join_thread()
    sys.stdout.flush()
    os._exit(0)


def run(function, ranks, *arguments, backend="gloo", deadline=300, killed=()):
    """Returns the result of function(rank, ranks, ...) of every rank; exceptions end the program."""
    context = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as folder:
        results = context.Queue()
        all_ranks = [context.Process(target=_rank, args=(function, r, ranks, folder + "/store", backend, results, arguments))
                     for r in range(ranks)]
        for one in all_ranks:
            one.start()
        found = {}
        try:
            while len(found) < ranks - len(killed):
                rank, error, value = results.get(timeout=deadline)
                if error is not None:
                    raise RuntimeError(f"rank {rank} of {ranks}: {error}")
                found[rank] = value
        finally:
            for one in all_ranks:
                one.join(timeout=30 if len(found) == ranks - len(killed) else 0)
                if one.is_alive():
                    one.kill()
        return [found.get(r) for r in range(ranks)]
