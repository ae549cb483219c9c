"""Calls with wrong arguments, each with a pattern of its error. A call that is refused changes nothing on any rank."""

import torch
import torch.distributed as dist

COUNT = 4


def freed(count):
    tensor = torch.ones(count)
    tensor.storage().resize_(0)
    return tensor


# Makers of tensors whose memory no operation can use in order. PyTorch can copy the last ones, of lists.
UNUSABLE = {
    r"tensor on meta|'(Autograd)?Meta' backend": lambda n: torch.ones(n, device="meta"),
    r"layout Sparse|'(Autograd)?SparseCPU' backend": lambda n: torch.ones(n).to_sparse(),
    r"got a storage of 0 bytes, expected \d+ or more": freed,
    r"got sizes \[\d+\] with strides \[0\]": lambda n: torch.ones(1).expand(n),
    r"got sizes \[\d+\] with strides \[2\]": lambda n: torch.ones(2 * n)[::2],
}
ALL, IN_LIST = 5, 3  # how many of them are wrong; in a list that PyTorch copies


def root(options, rank):
    options.rootRank = rank
    return options


def operator(options, op):
    options.reduceOp = op
    return options


def listed(one, others):
    """A list of a tensor per rank, with the tensor as its last one."""
    return [torch.ones(COUNT) for _ in range(others)] + [one]


def roles(on, rank, ranks):
    """A call for each argument that is a tensor: its name, its number of elements, and how many patterns it refuses."""
    n, flat, peer = COUNT, COUNT * ranks, (rank + 1) % ranks
    own = torch.ones
    gather, scatter = root(dist.GatherOptions(), rank), root(dist.ScatterOptions(), rank)
    return {
        "broadcast": (n, ALL, lambda t: on.broadcast([t], root(dist.BroadcastOptions(), rank))),
        "allreduce": (n, ALL, lambda t: on.allreduce([t])),
        "allreduce_coalesced": (n, ALL, lambda t: on.allreduce_coalesced([own(n), t])),
        "reduce": (n, ALL, lambda t: on.reduce([t], root(dist.ReduceOptions(), rank))),
        "allgather, input": (n, ALL, lambda t: on.allgather([listed(own(n), ranks - 1)], [t])),
        "allgather, output": (n, IN_LIST, lambda t: on.allgather([listed(t, ranks - 1)], [own(n)])),
        "_allgather_base, input": (n, ALL, lambda t: on._allgather_base(own(flat), t)),
        "_allgather_base, output": (flat, ALL, lambda t: on._allgather_base(t, own(n))),
        "gather, input": (n, ALL, lambda t: on.gather([listed(own(n), ranks - 1)], [t], gather)),
        "gather, output": (n, IN_LIST, lambda t: on.gather([listed(t, ranks - 1)], [own(n)], gather)),
        "scatter, input": (n, IN_LIST, lambda t: on.scatter([own(n)], [listed(t, ranks - 1)], scatter)),
        "scatter, output": (n, ALL, lambda t: on.scatter([t], [listed(own(n), ranks - 1)], scatter)),
        "reduce_scatter, input": (n, IN_LIST, lambda t: on.reduce_scatter([own(n)], [listed(t, ranks - 1)])),
        "reduce_scatter, output": (n, ALL, lambda t: on.reduce_scatter([t], [listed(own(n), ranks - 1)])),
        "_reduce_scatter_base, input": (flat, ALL, lambda t: on._reduce_scatter_base(own(n), t)),
        "_reduce_scatter_base, output": (n, ALL, lambda t: on._reduce_scatter_base(t, own(flat))),
        "alltoall_base, input": (flat, ALL, lambda t: on.alltoall_base(own(flat), t, [], [])),
        "alltoall_base, output": (flat, ALL, lambda t: on.alltoall_base(t, own(flat), [], [n] * ranks)),
        "alltoall, input": (n, ALL, lambda t: on.alltoall(listed(own(n), ranks - 1), listed(t, ranks - 1))),
        "alltoall, output": (n, ALL, lambda t: on.alltoall(listed(t, ranks - 1), listed(own(n), ranks - 1))),
        "send": (n, ALL, lambda t: on.send([t], peer, 0)),
        "recv": (n, ALL, lambda t: on.recv([t], peer, 0)),
    }


def unusable_tensors(on, rank, ranks):
    for role, (count, patterns, call) in roles(on, rank, ranks).items():
        for pattern, make in list(UNUSABLE.items())[:patterns]:
            yield role, pattern, lambda call=call, make=make, count=count: call(make(count))
    # For the other operations, PyTorch makes a tensor of the values of such a view.
    for role in ("_allgather_base, input", "_allgather_base, output", "_reduce_scatter_base, input", "_reduce_scatter_base, output",
                 "alltoall_base, input", "alltoall_base, output", "allreduce_coalesced"):
        count, _, call = roles(on, rank, ranks)[role]
        yield role, "got a view that negates or conjugates", lambda call=call, count=count: call(torch._neg_view(torch.ones(count)))
    for role in ("allgather, output", "gather, output"):
        count, _, call = roles(on, rank, ranks)[role]
        yield role, "outputs: got elements that share memory", lambda call=call, count=count: call(torch.ones(1).expand(count))


def other_types_and_sizes(on, rank, ranks):
    """Each role with a tensor of another type, and with one element more, where other arguments have a type and a size."""
    alone = ("broadcast", "allreduce", "reduce", "send", "recv")
    any_size = alone + ("allreduce_coalesced",)
    for role, (count, _, call) in roles(on, rank, ranks).items():
        if role not in alone:
            yield role, "got (int32, expected float|float, expected int32) as the other tensors", \
                lambda call=call, count=count: call(torch.ones(count, dtype=torch.int32))
        if role not in any_size:
            yield role, r"got \d+ (elements|rows without split sizes|bytes for the own rank), expected|split sizes: got a sum", \
                lambda call=call, count=count: call(torch.ones(count + 1))


def lists(on, rank, ranks):
    """Lists without a tensor, of too many tensors, or too many lists; and lists where other ranks pass none."""
    one, full = torch.ones(COUNT), listed(torch.ones(COUNT), ranks - 1)
    gather, scatter = root(dist.GatherOptions(), rank), root(dist.ScatterOptions(), rank)
    other_gather, other_scatter = root(dist.GatherOptions(), 0), root(dist.ScatterOptions(), 0)
    tensors = rf"got {ranks + 1} tensors, expected {ranks}"
    yield "broadcast", "tensors: got 2 tensors, expected 1", lambda: on.broadcast([one, one.clone()])
    yield "allreduce", "tensors: got 2 tensors, expected 1", lambda: on.allreduce([one, one.clone()])
    yield "allreduce_coalesced", "tensors: got none, expected 1 or more", lambda: on.allreduce_coalesced([])
    yield "reduce", "tensors: got 2 tensors, expected 1", lambda: on.reduce([one, one.clone()])
    yield "send", "tensors: got 2 tensors, expected 1", lambda: on.send([one, one], 0, 0)
    yield "recv", "tensors: got 2 tensors, expected 1", lambda: on.recv([one, one], 0, 0)
    for name, call in (("allgather", lambda out, put: on.allgather(out, put)),
                       ("gather", lambda out, put: on.gather(out, put, gather))):
        yield name, "inputs: got 2 tensors, expected 1", lambda call=call: call([full], [one, one])
        yield name, "outputs: " + tensors, lambda call=call: call([full + [one]], [one])
        yield name, "outputs: got 2 lists, expected 1", lambda call=call: call([full, full], [one])
    for name, call in (("scatter", lambda out, put: on.scatter(out, put, scatter)),
                       ("reduce_scatter", lambda out, put: on.reduce_scatter(out, put))):
        yield name, "outputs: got 2 tensors, expected 1", lambda call=call: call([one, one], [full])
        yield name, "inputs: " + tensors, lambda call=call: call([one], [full + [one]])
        yield name, "inputs: got 2 lists, expected 1", lambda call=call: call([one], [full, full])
    yield "gather", "outputs: got 1 lists, expected 0 on this rank", lambda: on.gather([full], [one], other_gather)
    yield "scatter", "inputs: got 1 lists, expected 0 on this rank", lambda: on.scatter([one], [full], other_scatter)
    yield "alltoall", "inputs: " + tensors, lambda: on.alltoall(full, full + [one])
    yield "alltoall", "outputs: " + tensors, lambda: on.alltoall(full + [one], full)


def overlapping_outputs(on, rank, ranks):
    """Outputs that share memory: the same one twice, by one element, with gaps, and of another type."""
    one, gather = torch.ones(COUNT), root(dist.GatherOptions(), rank)
    long = torch.ones(COUNT * ranks)
    columns = torch.ones(COUNT, 2)
    kinds = [[one, one], [long[:COUNT], long[COUNT - 1:2 * COUNT - 1]], [columns[:, 0], columns[:, 0]],
             [columns.view(-1)[:COUNT], columns[:, 1]]]
    for number, pair in enumerate(kinds):
        full = [torch.ones(COUNT) for _ in range(ranks - 2)] + pair
        error = "got elements that share memory, expected tensors that do not overlap"
        yield f"allgather, {number}", error, lambda full=full: on.allgather([full], [one])
        yield f"gather, {number}", error, lambda full=full: on.gather([full], [one], gather)
        if number < 2:
            yield f"alltoall, {number}", error, lambda full=full: on.alltoall(full, [torch.ones(COUNT) for _ in range(ranks)])
            yield f"allreduce_coalesced, {number}", error, lambda full=full: on.allreduce_coalesced(full)


def roots_and_peers(on, rank, ranks):
    one, full = torch.ones(COUNT), listed(torch.ones(COUNT), ranks - 1)
    for wrong in (-1, ranks):
        error = rf"root: got {wrong}, expected 0..{ranks - 1}"
        yield "broadcast", error, lambda wrong=wrong: on.broadcast([one], root(dist.BroadcastOptions(), wrong))
        yield "reduce", error, lambda wrong=wrong: on.reduce([one], root(dist.ReduceOptions(), wrong))
        yield "gather", error, lambda wrong=wrong: on.gather([full], [one], root(dist.GatherOptions(), wrong))
        yield "scatter", error, lambda wrong=wrong: on.scatter([one], [full], root(dist.ScatterOptions(), wrong))
    for wrong in (-1, ranks, rank):
        error = rf"rank: got {wrong}, expected another rank, 0..{ranks - 1}"
        yield "send", error, lambda wrong=wrong: on.send([one], wrong, 0)
        yield "recv", error, lambda wrong=wrong: on.recv([one], wrong, 0)
    yield "send", "tag: got -1, expected 0 or more", lambda: on.send([one], 0, -1)
    yield "recv", "tag: got -1, expected 0 or more", lambda: on.recv([one], 0, -1)


def split_sizes(on, rank, ranks):
    """Sizes of rows, of the input or of the output, beside right ones of the other tensor."""
    rows = COUNT * ranks
    right = [COUNT] * ranks
    wrong = {rf"split sizes: got {ranks - 1}, expected {ranks}": right[1:],
             rf"split sizes: got -1, expected 0..{rows} of {rows} rows": [-1] + [0] * (ranks - 2) + [rows + 1],
             rf"split sizes: got {1 << 62}, expected 0..{rows}": [1 << 62] * ranks,
             rf"split sizes: got {COUNT + 1}, expected 0..{COUNT} of": right[1:] + [COUNT + 1],
             rf"split sizes: got a sum of {rows - 1}, expected {rows}": [COUNT - 1] + right[1:]}
    for error, sizes in wrong.items():
        yield "alltoall_base", "input " + error, lambda sizes=sizes: on.alltoall_base(torch.ones(rows), torch.ones(rows), right, sizes)
        yield "alltoall_base", "output " + error, lambda sizes=sizes: on.alltoall_base(torch.ones(rows), torch.ones(rows), sizes, right)
    uneven = [COUNT] * ranks
    uneven[rank], uneven[rank - 1] = COUNT + 1, COUNT - 1
    yield "alltoall_base", rf"input: got {4 * COUNT} bytes for the own rank, expected {4 * COUNT + 4} as in the output", \
        lambda: on.alltoall_base(torch.ones(rows), torch.ones(rows), uneven, right)
    wide = torch.ones(ranks + 1, ranks)  # as many elements as a multiple, but not as many rows
    yield "alltoall_base", rf"input: got {ranks + 1} rows without split sizes, expected a multiple of {ranks}", \
        lambda: on.alltoall_base(wide.clone(), wide, [], [])
    yield "alltoall_base", rf"input: got {rows} elements, expected {2 * rows} as the output", \
        lambda: on.alltoall_base(torch.ones(2 * rows), torch.ones(rows), [], [])
    yield "alltoall_base", "input: got a tensor without dimensions", lambda: on.alltoall_base(torch.ones(1), torch.tensor(1.0), [], [])
    yield "alltoall_base", "input: got a tensor without dimensions", \
        lambda: on.alltoall_base(torch.ones(1), torch.tensor(1.0), [1] + [0] * (ranks - 1), [1] + [0] * (ranks - 1))


def operators(on, rank, ranks):
    """Every operator on every type that has none."""
    names = {torch.float32: "float", torch.float64: "double", torch.float16: "half"}
    whole = ("sum", "product", "min", "max", "band", "bor", "bxor")
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.uint8, torch.int16, torch.int32,
                  torch.int64, torch.bool, torch.complex64):
        taken = () if dtype.is_complex else ("sum", "avg", "product", "min", "max") if dtype.is_floating_point else whole
        for name, op in dist.ReduceOp.RedOpType.__members__.items():
            if name.lower() in taken or name == "PREMUL_SUM":  # which only a PyTorch with NCCL can make
                continue
            op = dist.ReduceOp(op)
            error = f"op: got {name.lower()} of {names.get(dtype, str(dtype)[6:])}, expected one of {', '.join(taken)}"
            one, flat = torch.ones(COUNT).to(dtype), torch.ones(COUNT * ranks).to(dtype)
            calls = {
                "allreduce": lambda: on.allreduce([one], operator(dist.AllreduceOptions(), op)),
                "allreduce_coalesced": lambda: on.allreduce_coalesced([one], operator(dist.AllreduceCoalescedOptions(), op)),
                "reduce": lambda: on.reduce([one], operator(dist.ReduceOptions(), op)),
                "reduce_scatter": lambda: on.reduce_scatter([one], [[one] * ranks], operator(dist.ReduceScatterOptions(), op)),
                "_reduce_scatter_base": lambda: on._reduce_scatter_base(one, flat, operator(dist.ReduceScatterOptions(), op)),
            }
            for role, call in calls.items():
                yield role, error, call


KINDS = [unusable_tensors, other_types_and_sizes, lists, overlapping_outputs, roots_and_peers, split_sizes, operators]
