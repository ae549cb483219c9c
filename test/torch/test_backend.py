#!/usr/bin/python3
"""Tests of the backend "collsched" of torch.distributed, on 2 and 4 processes: PYTHONPATH=FOLDER test_backend.py [NAME...]"""

import datetime
import json
import os
import re
import signal
import socket
import sys
import tempfile
import threading
import time
import unittest.mock

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import collsched_torch
import ranks as job
import wrong_calls

TYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.uint8, torch.int16, torch.int32,
         torch.int64, torch.bool]
OPERATORS = ["SUM", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR"]
SIZES = [0, 1, 3, 1000, 40001]  # of the last one, the allreduce, broadcast and allgather are staged


def group(members=None, seconds=60):
    return dist.new_group(members, backend="collsched", timeout=datetime.timedelta(seconds=seconds))


def sample(rank, count, dtype, seed=0):
    """Small whole numbers: every order of a sum of floats has the same bits."""
    generator = torch.Generator().manual_seed(1000 * seed + rank)
    return torch.randint(0, 2 if dtype == torch.bool else 3, (count,), generator=generator).to(dtype)


def outcome(function):
    """The tensors of a call, or None if the backend does not take it."""
    try:
        return function()
    except RuntimeError:
        return None


def allreduce(op, dtype, count, rank, ranks, on):
    data = sample(rank, count, dtype)
    dist.all_reduce(data, getattr(dist.ReduceOp, op), group=on)
    return [data]


def reduce(op, dtype, count, rank, ranks, on):
    data = sample(rank, count, dtype)
    dist.reduce(data, ranks - 1, getattr(dist.ReduceOp, op), group=on)
    return [data] if rank == ranks - 1 else []


def broadcast(dtype, count, rank, ranks, on):
    data = sample(rank, count, dtype)
    dist.broadcast(data, 1, group=on)
    return [data]


def allgather(dtype, count, rank, ranks, on):
    out = [torch.zeros(count, dtype=dtype) for _ in range(ranks)]
    dist.all_gather(out, sample(rank, count, dtype), group=on)
    return out


def gather(dtype, count, rank, ranks, on):
    out = [torch.zeros(count, dtype=dtype) for _ in range(ranks)] if rank == 1 else None
    dist.gather(sample(rank, count, dtype), out, 1, group=on)
    return out or []


def scatter(dtype, count, rank, ranks, on):
    out = torch.zeros(count, dtype=dtype)
    dist.scatter(out, [sample(r, count, dtype, 1) for r in range(ranks)] if rank == 1 else None, 1, group=on)
    return [out]


def alltoall_base(dtype, count, rank, ranks, on):
    out = torch.zeros(count * ranks, dtype=dtype)
    dist.all_to_all_single(out, sample(rank, count * ranks, dtype), group=on)
    return [out]


def alltoall_uneven(dtype, count, rank, ranks, on):
    sizes = [(rank + 1) * (r + 1) for r in range(ranks)]
    out = torch.zeros(sum(sizes), dtype=dtype)
    dist.all_to_all_single(out, sample(rank, sum(sizes), dtype), sizes, sizes, group=on)
    return [out]


def messages(dtype, count, rank, ranks, on):
    """All pairs at once, with the receives posted first."""
    received = [torch.zeros(count, dtype=dtype) for _ in range(ranks)]
    works = []
    for peer in range(ranks):
        if peer != rank:
            works.append(dist.irecv(received[peer], peer, group=on, tag=7))
    for peer in range(ranks):
        if peer != rank:
            works.append(dist.isend(sample(rank, count, dtype), peer, group=on, tag=7))
    for work in works:
        work.wait()
    return received


def compare(name, call, gloo, ours, rank):
    """1 if both backends take the call and agree."""
    expected = outcome(lambda: call(gloo))
    if expected is None:
        return 0
    found = call(ours)
    assert len(found) == len(expected), name
    for a, b in zip(found, expected):
        # Truth values of Gloo may be sums.
        same = torch.equal(a.view(torch.uint8) != 0, b.view(torch.uint8) != 0) if a.dtype == torch.bool else torch.equal(a, b)
        assert same, f"{name}: rank {rank}: got {a.flatten()[:8]}, Gloo {b.flatten()[:8]}"
    return 1


def _operations(rank, ranks):
    gloo, ours = dist.group.WORLD, group()
    count = 0
    for dtype in TYPES:
        for size in SIZES:
            for op in OPERATORS:
                for call in (allreduce, reduce):
                    # Gloo reads beyond the memory of an empty tensor.
                    if size > 0:
                        count += compare(f"{call.__name__} {op} {dtype} {size}",
                                         lambda on: call(op, dtype, size, rank, ranks, on), gloo, ours, rank)
            for call in (broadcast, allgather, gather, scatter, alltoall_base, alltoall_uneven, messages):
                if size > 0:
                    count += compare(f"{call.__name__} {dtype} {size}",
                                     lambda on: call(dtype, size, rank, ranks, on), gloo, ours, rank)
    dist.barrier(group=ours)
    return count


def test_operations(ranks):
    counts = job.run(_operations, ranks, deadline=500)
    assert len(set(counts)) == 1 and counts[0] > 200, counts
    return f"{counts[0]} cases as Gloo"


def over_tcp(**variables):
    return unittest.mock.patch.dict(os.environ, COLLSCHED_TORCH_TRANSPORT="tcp", **variables)


def test_operations_over_tcp(ranks):
    with over_tcp():
        return test_operations(ranks)


class OtherKey(dist.Store):
    """A store that returns another key than rank 0 has drawn."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def set(self, key, value):
        self.inner.set(key, value)

    def get(self, key):
        value = self.inner.get(key)
        return bytes(len(value)) if key == "key" else value


def _other_key(rank, ranks):
    store = dist.PrefixStore("other key", dist.distributed_c10d._get_default_store())
    try:
        collsched_torch.make_backend(OtherKey(store) if rank == 1 else store, rank, ranks, datetime.timedelta(seconds=3))
    except RuntimeError as error:
        return str(error)
    return "connected"


def test_other_key_over_tcp(ranks):
    """A rank without the key of the group is refused."""
    with over_tcp():
        text = job.run(_other_key, ranks)[0]
    assert text == "rank 1: the rank did not connect in time, and connections in its name lack the key", text


def _sum(rank, ranks):
    data = torch.full((1000,), float(rank))
    dist.all_reduce(data)
    return data.tolist() == [sum(range(ranks))] * 1000


def test_beyond_loopback(ranks):
    """Only with a key, the transport uses an address of another interface."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # sends nothing, but selects an interface
        address = probe.getsockname()[0]
    assert not address.startswith("127."), address
    with over_tcp(COLLSCHED_TORCH_ADDRESS=address):
        assert all(job.run(_sum, ranks, backend="collsched"))


def _only_ours(rank, ranks):
    """Operations that Gloo does not have, against sums that this process computes."""
    on = group()
    for dtype in TYPES:
        for size in SIZES:
            parts = [[sample(r, size, dtype, s) for s in range(ranks)] for r in range(ranks)]
            wanted = torch.stack([p[rank] for p in parts]).to(torch.float64).sum(0)
            wanted = (wanted != 0) if dtype == torch.bool else wanted.to(dtype)
            out = torch.zeros(size, dtype=dtype)
            dist.reduce_scatter(out, parts[rank], group=on)
            assert torch.equal(out, wanted), (dtype, size)
            out = torch.zeros(size, dtype=dtype)
            dist._reduce_scatter_base(out, torch.cat(parts[rank]), group=on)
            assert torch.equal(out, wanted), (dtype, size)
            all_of_them = torch.zeros(size * ranks, dtype=dtype)
            dist._all_gather_base(all_of_them, sample(rank, size, dtype), group=on)
            assert torch.equal(all_of_them, torch.cat([sample(r, size, dtype) for r in range(ranks)])), (dtype, size)
            lists = [torch.zeros(size, dtype=dtype) for _ in range(ranks)]
            dist.all_to_all(lists, parts[rank], group=on)
            assert all(torch.equal(lists[r], parts[r][rank]) for r in range(ranks)), (dtype, size)
    several = [sample(rank, n, torch.float32) for n in (1, 5, 30000)]
    dist.all_reduce_coalesced(several, group=on)
    for one in several:
        assert torch.equal(one, sum(sample(r, len(one), torch.float32) for r in range(ranks)))
    average = torch.full((5,), float(rank))
    dist.all_reduce(average, dist.ReduceOp.AVG, group=on)
    assert torch.equal(average, torch.full((5,), (ranks - 1) / 2))


def _placements(rank, ranks):
    """Ranks whose memory for one operation differs: in place or not, with or without gaps between rows, the input among the outputs."""
    on = group(seconds=20)
    for count in (1000, 20000):
        expected = torch.arange(1.0, ranks + 1)
        for call in range(6):
            everything, mine = torch.zeros(ranks, count), torch.full((count,), rank + 1.0)
            if (rank + call) % 3 == 0:
                mine = everything[rank].fill_(rank + 1.0)
            dist._all_gather_base(everything.view(-1), mine, group=on)
            assert torch.equal(everything, expected.repeat(count, 1).t()), (count, call)

            outputs, mine = [torch.zeros(count) for _ in range(ranks)], torch.full((count,), rank + 1.0)
            if (rank + call) % 3 == 1:
                outputs[0] = torch.zeros(count, 2)[:, 0]
            elif (rank + call) % 3 == 2:
                outputs[rank] = mine
            dist.all_gather(outputs, mine, group=on)
            assert all(torch.equal(one, value.repeat(count)) for one, value in zip(outputs, expected)), (count, call)


def test_placements(ranks):
    job.run(_placements, ranks)


def test_placements_over_tcp(ranks):
    with over_tcp():
        job.run(_placements, ranks)


def _order(rank, ranks):
    """An operation reads its input after the end of the operations before it."""
    on = group(seconds=20)
    for count in (3 * ranks, 60000 * ranks):
        data, part = torch.ones(count), count // ranks
        works = [dist.all_reduce(data, group=on, async_op=True)]
        uneven, even, scattered, summed = torch.zeros(count), torch.zeros(count), torch.zeros(part), torch.zeros(part)
        rows = list(data.split(part))
        works.append(dist.all_to_all_single(uneven, data, [part] * ranks, [part] * ranks, group=on, async_op=True))
        works.append(dist.all_to_all_single(even, data, group=on, async_op=True))
        works.append(dist.scatter(scattered, rows if rank == 0 else [], src=0, group=on, async_op=True))
        works.append(dist.reduce_scatter(summed, rows, group=on, async_op=True))
        for one in works:
            one.wait()
        for one, factor in ((uneven, 1), (even, 1), (scattered, 1), (summed, ranks)):
            assert one.eq(ranks * factor).all(), (count, one)


def test_order(ranks):
    job.run(_order, ranks)


def _order_of_results(rank, ranks):
    """An operation reads its input after those before it have completed their outputs, without a wait between them."""
    on = group(seconds=20)
    average, sizes = dist.ReduceOp.AVG, [3, 20000]
    for count in sizes * 20:
        mine, rows = torch.full((count,), float(rank)), [torch.zeros(count) for _ in range(ranks)]
        works = [dist.all_reduce(mine, average, group=on, async_op=True), dist.all_reduce(mine, group=on, async_op=True)]
        works.append(dist.gather(mine, rows if rank == 0 else None, 0, group=on, async_op=True))
        works.append(dist.broadcast(rows[1], 0, group=on, async_op=True))
        everything = (torch.arange(float(ranks)) + rank).repeat(count)
        works.append(dist.all_to_all_single(everything, everything, group=on, async_op=True))
        works.append(dist.all_reduce_coalesced([everything], group=on, async_op=True))
        for one in works:
            one.wait()
        total = ranks * (ranks - 1) / 2
        assert mine.eq(total).all() and rows[1].eq(total).all(), (count, mine, rows[1])
        chunks = [(torch.arange(float(ranks)) + r).repeat(count).chunk(ranks) for r in range(ranks)]
        expected = sum(torch.cat([chunks[r][s] for r in range(ranks)]) for s in range(ranks))
        assert torch.equal(everything, expected), (count, everything, expected)


def test_order_of_results(ranks):
    job.run(_order_of_results, ranks)


def overlapping(kind, count, rank, ranks):
    """An input of `count` elements per rank and an output of `kind` on it, in one piece of memory."""
    begin = {"own": rank * count, "first": 0, "other": (rank + 1) % ranks * count, "shifted": 1}[kind]
    memory = torch.arange(float(count * (ranks + 1))) * (rank + 1)
    return memory, slice(begin, begin + count)


def _in_place(rank, ranks):
    """Outputs that share memory with inputs, beside copies; ranks whose outputs do not; and the memory around the output."""
    on = group(seconds=20)
    kinds = ["own", "first", "other", "shifted", None]
    for count in (3, 1000, 20000):
        for turn in range(len(kinds)):
            kind = kinds[(turn + rank) % len(kinds)]
            memory, part = overlapping(kind or "own", count, rank, ranks)
            whole = memory[:count * ranks]
            apart = [torch.zeros(count), torch.zeros(count * ranks)]
            for op in (dist.ReduceOp.SUM, dist.ReduceOp.AVG):
                data = memory.clone()
                out = data[part] if kind else torch.zeros(count)
                dist._reduce_scatter_base(out, data[:count * ranks], op, group=on)
                dist._reduce_scatter_base(apart[0], whole.clone(), op, group=on)
                around = memory.clone()
                if kind:
                    around[part] = apart[0]
                assert torch.equal(out, apart[0]) and torch.equal(data, around), (count, kind, op)

            data = memory.clone()
            out = data[:count * ranks] if kind else torch.zeros(count * ranks)
            dist._all_gather_base(out, data[part], group=on)
            dist._all_gather_base(apart[1], memory[part].clone(), group=on)
            assert torch.equal(out, apart[1]), (count, kind)

            data = memory.clone()
            begin = 1 if kind == "shifted" else 0
            out = data[begin:begin + count * ranks] if kind else torch.zeros(count * ranks)
            even = [count] * ranks if turn % 2 else []
            dist.all_to_all_single(out, data[:count * ranks], even, even, group=on)
            dist.all_to_all_single(apart[1], whole.clone(), even, even, group=on)
            assert torch.equal(out, apart[1]), (count, kind)
            lists(on, kind, count, rank, ranks)


def lists(on, kind, count, rank, ranks):
    """The same for lists: outputs that are the inputs, in another order."""
    rows = [torch.full((count,), 10.0 * rank + r) for r in range(ranks)]
    move = {"own": 0, "first": 1, "other": 2}.get(kind, 0)
    outputs = [rows[(r + move) % ranks] for r in range(ranks)] if kind else [torch.zeros(count) for _ in rows]
    dist.all_to_all(outputs, rows, group=on)
    assert all(torch.equal(outputs[r], torch.full((count,), 10.0 * r + rank)) for r in range(ranks)), (count, kind)
    rows = [torch.full((count,), 10.0 * rank + r) for r in range(ranks)]
    out = rows[move % ranks] if kind else torch.zeros(count)
    dist.reduce_scatter(out, rows, group=on)
    assert out.eq(sum(10.0 * r + rank for r in range(ranks))).all(), (count, kind)
    rows = [torch.full((count,), 10.0 * rank + r) for r in range(ranks)]
    out = rows[move % ranks] if kind else torch.zeros(count)
    dist.scatter(out, rows if rank == 1 else [], 1, group=on)
    assert out.eq(10.0 + rank).all(), (count, kind)
    for gathers in (lambda outs, one: dist.all_gather(outs, one, group=on),
                    lambda outs, one: [dist.gather(one, outs if rank == r else None, r, group=on) for r in range(ranks)]):
        table = torch.zeros(count, ranks + 1)
        table[:, move] = rank + 1.0
        gathers(list(table.t())[:ranks], table[:, move].contiguous() if kind else torch.full((count,), rank + 1.0))
        assert all(table[:, r].eq(r + 1.0).all() for r in range(ranks)), (count, kind, table)
        outs = [torch.full((count,), rank + 1.0) for _ in range(ranks)]
        gathers(outs, torch.full((count,), rank + 1.0))
        assert all(outs[r].eq(r + 1.0).all() for r in range(ranks)), (count, kind)


def test_in_place(ranks):
    job.run(_in_place, ranks)


def test_in_place_over_tcp(ranks):
    with over_tcp():
        job.run(_in_place, ranks)


def _autograd(rank, ranks):
    """Tensors that require gradients, and those of the inference mode, are memory for every operation."""
    on = group(seconds=20)
    with torch.inference_mode():
        inferred = [torch.zeros(5) for _ in range(ranks)]
    leaves = [torch.zeros(5, requires_grad=True) for _ in range(ranks)]
    for outputs in (inferred, leaves):
        mine = torch.full((5,), rank + 1.0, requires_grad=True)
        dist.all_gather(outputs, mine, group=on)
        assert all(one.eq(r + 1.0).all() for r, one in enumerate(outputs))
        dist.all_reduce_coalesced(outputs, dist.ReduceOp.AVG, group=on)
        assert all(one.eq(r + 1.0).all() for r, one in enumerate(outputs))
        dist.all_reduce(outputs[0], dist.ReduceOp.AVG, group=on)
        dist.all_to_all(outputs, outputs[::-1], group=on)
        dist.reduce_scatter(outputs[0], outputs, dist.ReduceOp.AVG, group=on)
        dist.scatter(outputs[0], outputs if rank == 0 else [], 0, group=on)
        assert all(one.grad_fn is None for one in outputs)


def test_autograd(ranks):
    job.run(_autograd, ranks)


def check_alive(on, rank, ranks):
    """Operations of all kinds: with a number in the group, and with one per pair of ranks and tag."""
    data = torch.full((3,), float(rank))
    dist.all_reduce(data, group=on)
    received, sizes = torch.zeros(ranks), [1] * ranks
    dist.all_to_all_single(received, torch.full((ranks,), float(rank)), sizes, sizes, group=on)
    assert data.eq(sum(range(ranks))).all() and received.tolist() == list(range(ranks))
    if rank == ranks - 1:
        on.send([received], 0, 0).wait()
        on.recv([data], 0, 0).wait()
        assert data.eq(5).all()
    elif rank == 0:
        on.recv([received], ranks - 1, 0).wait()
        on.send([torch.full((3,), 5.0)], ranks - 1, 0).wait()


def _wrong_arguments(rank, ranks):
    """One rank makes wrong calls, which the others do not make; then all ranks use the group."""
    on, count = group(seconds=20), 0
    for kind in wrong_calls.KINDS:
        if rank == ranks - 1:
            for name, pattern, call in kind(on, rank, ranks):
                number = on._get_sequence_number_for_group()
                try:
                    call().wait(datetime.timedelta(seconds=2))
                except (RuntimeError, ValueError) as error:
                    assert re.search(pattern, str(error)), (name, pattern, str(error)[:500])
                else:
                    assert False, (name, pattern)
                assert on._get_sequence_number_for_group() == number, (name, pattern)
                count += 1
        check_alive(on, rank, ranks)
    return count


def test_wrong_arguments(ranks):
    return f"{job.run(_wrong_arguments, ranks)[-1]} calls refused"


def test_wrong_arguments_over_tcp(ranks):
    with over_tcp():
        return test_wrong_arguments(ranks)


def ended(function):
    """The error of a call in a thread, and the time at its end."""
    result = {}

    def run():
        try:
            function()
        except RuntimeError as error:
            result["error"] = str(error)
        result["time"] = time.monotonic()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread, result


def _destroyed_group(rank, ranks):
    """Threads that wait: in calls with the group, for a work, and for its future."""
    on, other = group(seconds=60), group(seconds=60)
    check_alive(on, rank, ranks)
    data, began, texts = torch.zeros(10), time.monotonic(), []
    if rank == 0:
        late = dist.irecv(data, 1, group=on, tag=4)
        threads = [ended(lambda: dist.all_gather([torch.zeros(30000) for _ in range(ranks)], torch.zeros(30000), group=on)),
                   ended(late.wait), ended(late.get_future().wait), ended(lambda: dist.recv(data, 1, group=on, tag=3))]
        time.sleep(0.5)
        assert all(thread.is_alive() for thread, _ in threads)
        began = time.monotonic()
        dist.destroy_process_group(on)
    else:
        threads = [ended(lambda: dist.recv(data, 0, group=on, tag=3))]
    for thread, result in threads:
        thread.join(20)
        assert not thread.is_alive(), result
        texts.append(result["error"])
    took = max(result["time"] for _, result in threads) - began
    check_alive(other, rank, ranks)
    try:
        on.allreduce([data]).wait()
    except RuntimeError as error:
        texts.append(str(error))
    return took, texts


def destroyed_group(ranks):
    found = job.run(_destroyed_group, ranks)
    assert len(found[0][1]) == 5 and all("the group was destroyed" in text for text in found[0][1]), found
    assert all(len(texts) == 2 and all("rank 0" in text for text in texts) for _, texts in found[1:]), found
    assert found[0][0] < 5, found
    return f"an exception after {found[0][0]:.2f} s"


def test_destroyed_group(ranks):
    return destroyed_group(ranks)


def test_destroyed_group_over_tcp(ranks):
    with over_tcp():
        return destroyed_group(ranks)


def _destroyed_default(rank, ranks):
    """Destroys all groups, the default one too, whose object the waiting thread holds."""
    on, data = group(seconds=60), torch.zeros(10)
    if rank > 0:
        time.sleep(3)
        return []
    threads = [ended(lambda: dist.recv(data, 1)), ended(lambda: dist.recv(data, 1, group=on))]
    time.sleep(0.5)
    dist.destroy_process_group()
    for thread, _ in threads:
        thread.join(20)
    return [result.get("error", "") for _, result in threads]


def test_destroyed_default(ranks):
    texts = job.run(_destroyed_default, ranks, backend="collsched")[0]
    assert len(texts) == 2 and all("the group was destroyed" in text for text in texts), texts


def _differences(rank, ranks):
    """Ranks that contradict each other get an error."""
    found = []
    for call in (lambda one: dist.all_reduce(one, dist.ReduceOp.SUM if rank == 0 else dist.ReduceOp.MAX, group=on),
                 lambda one: dist.all_reduce(one if rank == 0 else one.to(torch.int32), group=on)):
        on = group(seconds=3)
        try:
            call(torch.ones(10))
        except RuntimeError as error:
            found.append(str(error))
    return found


def test_differences(ranks):
    """A rank that waits for one that has failed may time out, or report that its process has ended."""
    found = job.run(_differences, ranks)
    for call in zip(*found, strict=True):
        assert len(call) == ranks and any("differ" in one for one in call), found
        assert all("differ" in one or "timed out" in one or "died" in one for one in call), found


def test_only_ours(ranks):
    job.run(_only_ours, ranks)


def model():
    torch.manual_seed(5)
    return torch.nn.Sequential(torch.nn.Linear(40, 200), torch.nn.Tanh(), torch.nn.Linear(200, 200), torch.nn.Tanh(),
                               torch.nn.Linear(200, 3))


def batch(step, rank):
    generator = torch.Generator().manual_seed(100 * step + rank)
    return torch.randn(16, 40, generator=generator), torch.randn(16, 3, generator=generator)


STEPS = 5


def _train(rank, ranks):
    parallel = DistributedDataParallel(model())
    optimizer = torch.optim.SGD(parallel.parameters(), lr=0.1)
    for step in range(STEPS):
        x, y = batch(step, rank)
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(parallel(x), y).backward()
        optimizer.step()
    return [p.detach().numpy() for p in parallel.module.parameters()]


def test_training(ranks):
    """The bits of one process that adds the gradients of the ranks, each divided by their number, in order."""
    torch.set_num_threads(1)
    alone = model()
    optimizer = torch.optim.SGD(alone.parameters(), lr=0.1)
    for step in range(STEPS):
        sums = None
        for rank in range(ranks):
            x, y = batch(step, rank)
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(alone(x), y).backward()
            gradients = [p.grad / ranks for p in alone.parameters()]
            sums = gradients if sums is None else [a + b for a, b in zip(sums, gradients)]
        for parameter, gradient in zip(alone.parameters(), sums):
            parameter.grad = gradient
        optimizer.step()
    expected = [p.detach().numpy() for p in alone.parameters()]
    for found in job.run(_train, ranks, backend="collsched"):
        for a, b in zip(found, expected):
            assert a.tobytes() == b.tobytes(), abs(a - b).max()
    return "the same bits"


def test_training_over_tcp(ranks):
    """All ranks have the same bits. The order of the operands depends on the algorithm, so other orders differ by rounding."""
    between = job.run(_train, ranks, backend="collsched")
    with over_tcp():
        found = job.run(_train, ranks, backend="collsched")
    for parameters in found:
        for a, b, c in zip(parameters, found[0], between[0]):
            assert a.tobytes() == b.tobytes()
            assert abs(a - c).max() < 1e-6, abs(a - c).max()


def _killed(rank, ranks):
    on = group(seconds=60)
    data = torch.ones(1 << 20)
    dist.all_reduce(data, group=on)
    if rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    began = time.monotonic()
    try:
        while True:
            dist.all_reduce(data, group=on)
    except RuntimeError as error:
        assert "died" in str(error), error
    return time.monotonic() - began


def longest_wait(ranks):
    waits = [t for t in job.run(_killed, ranks, killed=(1,)) if t is not None]
    assert len(waits) == ranks - 1 and max(waits) < 20, waits
    return f"an exception after {max(waits):.2f} s"


def test_killed_worker(ranks):
    return longest_wait(ranks)


def test_killed_worker_over_tcp(ranks):
    with over_tcp():
        return longest_wait(ranks)


def _with_table(rank, ranks):
    try:
        on = group()
        for count in (3, 5000):
            data = torch.full((count,), float(rank))
            dist.all_reduce(data, group=on)
            assert data.eq(ranks * (ranks - 1) / 2).all()
    except (RuntimeError, ValueError) as error:
        return str(error)
    return ""


def test_table(ranks):
    """Every rank has the rows of rank 0's file, or its error."""
    with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ, COLLSCHED_TABLE=folder + "/table.json"):
        for algorithm, expected in (("ring", ""), ("no", '"no"')):
            row = {"collective": "allreduce", "ranks": 1, "bytes": 0, "algorithm": algorithm}
            text = json.dumps({"format": "collsched decisions", "version": 1, "rows": [row]})
            with open(folder + "/table.json", "w", encoding="ascii") as file:
                file.write(text)
            for error in job.run(_with_table, ranks):
                assert expected in error and bool(expected) == bool(error), error


def _subsets(rank, ranks):
    halves = [group([r for r in range(ranks) if r % 2 == odd]) for odd in range(2)]
    everybody, backwards = group(), group(list(reversed(range(ranks))))
    for turn in range(20):
        members = [r for r in range(ranks) if r % 2 == rank % 2]
        data, whole = torch.full((20000,), float(rank)), torch.full((30,), float(rank))
        first = dist.all_reduce(data, group=halves[rank % 2], async_op=True)
        second = dist.all_reduce(whole, group=everybody if turn % 2 else backwards, async_op=True)
        for work in (second, first) if turn % 3 else (first, second):
            work.wait()
        assert torch.equal(data, torch.full((20000,), float(sum(members))))
        assert torch.equal(whole, torch.full((30,), float(sum(range(ranks)))))


def test_subsets(ranks):
    job.run(_subsets, ranks)


def _timeout(rank, ranks):
    on = group(seconds=2)
    dist.barrier(group=on)
    took, text = 0.0, ""
    if rank == 0:
        data = torch.ones(10)
        began = time.monotonic()
        try:
            dist.all_reduce(data, group=on)
        except RuntimeError as error:
            took, text = time.monotonic() - began, str(error)
        try:
            dist.all_reduce(data, group=on)
        except RuntimeError as error:
            assert "timed out" in str(error)
        short = group([0, 1])
        work = dist.irecv(data, 1, group=short)
        began = time.monotonic()
        try:
            work.wait(datetime.timedelta(seconds=1))
        except RuntimeError as error:
            assert "not complete" in str(error), error
        assert 0.9 < time.monotonic() - began < 6
    else:
        short = group([0, 1])
    dist.barrier()
    return took, text


def test_timeout(ranks):
    took, text = job.run(_timeout, ranks)[0]
    assert 1.9 < took < 10 and "timed out" in text, (took, text)
    return f"after {took:.2f} s of 2"


def _overlap(rank, ranks):
    """An allreduce that is complete while this thread has only computed, and whose bytes moved meanwhile."""
    on = group()
    data = torch.ones(1 << 22)
    dist.all_reduce(data, group=on)
    matrix = torch.randn(256, 256)
    products = 0
    work = dist.all_reduce(data, group=on, async_op=True)
    running_at_first = not work.is_completed()
    while not work.is_completed():
        matrix = torch.tanh(matrix @ matrix)
        products += 1
        assert products < 1_000_000
    work.wait()
    assert torch.equal(data, torch.full((1 << 22,), float(ranks * ranks)))
    return running_at_first, products


def test_overlap(ranks):
    found = job.run(_overlap, ranks)
    assert all(running and products > 0 for running, products in found), found
    return f"{min(p for _, p in found)} or more products of matrices meanwhile"


def _backward(rank, ranks):
    """DDP starts the first bucket before the last gradient is there."""
    layers = [torch.nn.Linear(700, 700) for _ in range(8)]
    parallel = DistributedDataParallel(torch.nn.Sequential(*layers), bucket_cap_mb=2)
    events = []
    layers[0].weight.register_hook(lambda g: events.append("last gradient"))

    def hook(state, bucket):
        work = dist.all_reduce(bucket.buffer().div_(ranks), async_op=True)
        events.append("start")
        future = work.get_future()

        def ended(value):
            events.append("end")
            return value.value()[0]

        return future.then(ended)

    parallel.register_comm_hook(None, hook)
    overlapped = 0
    for step in range(11):
        events.clear()
        parallel(torch.randn(40, 700)).sum().backward()
        if step == 0:
            continue  # in one bucket, which DDP divides afterwards
        assert events.count("start") == events.count("end") > 1, events
        overlapped += events.index("end") < events.index("last gradient")
    return overlapped


def test_backward(ranks):
    overlapped = min(job.run(_backward, ranks, backend="collsched"))
    assert overlapped > 0
    return f"a bucket was complete before the last gradient in {overlapped} of 10 steps"


def main():
    tests = {name[5:]: f for name, f in globals().items() if name.startswith("test_")}
    names = sys.argv[1:] or list(tests)
    for name in names:
        if name not in tests:
            sys.exit(f"NAME: got {name}, expected one of {', '.join(tests)}")
    for name in names:
        for ranks in (2, 4):
            began = time.monotonic()
            note = tests[name](ranks)
            print(f"{name}, {ranks} ranks: passed, {time.monotonic() - began:.1f} s{'' if note is None else ', ' + note}", flush=True)


if __name__ == "__main__":
    main()
