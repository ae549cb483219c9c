#!/usr/bin/env -S python3 -B
"""mpi4py_calls.py [time]: calls MPI by mpi4py and checks every result against one that Python computes. It prints `0 failures` on
rank 0, and with `time` the seconds of loops of collective calls instead."""

import sys
import tempfile
from array import array
from pathlib import Path

from mpi4py import MPI

world = MPI.COMM_WORLD
failures = []


def expect(condition, name):
    if not condition:
        failures.append(name)


def doubles(values):
    return array("d", values)


def zeros(count):
    return doubles([0.0] * count)


def buffers(comm):
    """Every collective function on buffers, with a contribution of rank + 1 in each element."""
    rank, size = comm.rank, comm.size
    total = size * (size + 1) / 2
    for count in (1, 3, 700, 40000):
        own, result = doubles([rank + 1.0] * count), zeros(count)
        comm.Allreduce(own, result, MPI.SUM)
        expect(result == doubles([total] * count), f"Allreduce {count}")
        comm.Allreduce(own, result, MPI.MAX)
        expect(result == doubles([size] * count), f"Allreduce MAX {count}")
        comm.Reduce(own, result, MPI.PROD, root=size - 1)
        product = 1.0
        for other in range(size):
            product *= other + 1
        expect(rank != size - 1 or result == doubles([product] * count), f"Reduce {count}")
        result = doubles(own)
        comm.Bcast(result, root=size - 1)
        expect(result == doubles([size] * count), f"Bcast {count}")
        comm.Scan(own, result)
        expect(result == doubles([(rank + 1) * (rank + 2) / 2] * count), f"Scan {count}")
        comm.Exscan(own, result)
        expect(rank == 0 or result == doubles([rank * (rank + 1) / 2] * count), f"Exscan {count}")
        everything = doubles([other + 1.0 for other in range(size) for _ in range(count)])
        gathered = zeros(count * size)
        comm.Allgather(own, gathered)
        expect(gathered == everything, f"Allgather {count}")
        gathered = zeros(count * size)
        comm.Gather(own, gathered if rank == 0 else None)
        expect(rank != 0 or gathered == everything, f"Gather {count}")
        comm.Scatter(everything if rank == 0 else None, result)
        expect(result == own, f"Scatter {count}")
        exchanged = zeros(count * size)
        comm.Alltoall(doubles([rank + 1.0] * (count * size)), exchanged)
        expect(exchanged == everything, f"Alltoall {count}")
        comm.Reduce_scatter_block(everything, result)
        expect(result == doubles([size * (rank + 1)] * count), f"Reduce_scatter_block {count}")
    comm.Barrier()


def irregular(comm):
    """Blocks of rank r have r + 1 elements."""
    rank, size = comm.rank, comm.size
    counts = [other + 1 for other in range(size)]
    starts = [sum(counts[:other]) for other in range(size)]
    own = doubles([rank * 10.0] * counts[rank])
    everything = doubles([other * 10.0 for other in range(size) for _ in range(counts[other])])
    result = zeros(sum(counts))
    comm.Allgatherv(own, [result, counts, starts, MPI.DOUBLE])
    expect(result == everything, "Allgatherv")
    result = zeros(sum(counts))
    comm.Gatherv(own, [result, counts, starts, MPI.DOUBLE] if rank == 0 else None)
    expect(rank != 0 or result == everything, "Gatherv")
    block = zeros(counts[rank])
    comm.Scatterv([everything, counts, starts, MPI.DOUBLE] if rank == 0 else None, block)
    expect(block == own, "Scatterv")
    comm.Reduce_scatter(everything, block, counts)
    expect(block == doubles([size * rank * 10.0] * counts[rank]), "Reduce_scatter")
    sent = doubles([float(rank) for other in range(size) for _ in range(counts[other])])
    received = zeros(counts[rank] * size)
    same, steps = [counts[rank]] * size, [counts[rank] * other for other in range(size)]
    comm.Alltoallv([sent, counts, starts, MPI.DOUBLE], [received, same, steps, MPI.DOUBLE])
    expect(received == doubles([float(other) for other in range(size) for _ in range(counts[rank])]), "Alltoallv")
    received = zeros(counts[rank] * size)
    types, width = [MPI.DOUBLE] * size, MPI.DOUBLE.size
    comm.Alltoallw([sent, counts, [width * start for start in starts], types],
                   [received, same, [width * step for step in steps], types])
    expect(received == doubles([float(other) for other in range(size) for _ in range(counts[rank])]), "Alltoallw")


def objects(comm):
    """The functions of pickled objects."""
    rank, size = comm.rank, comm.size
    own = {"rank": rank, "text": "x" * (rank * 1000)}
    everything = [{"rank": other, "text": "x" * (other * 1000)} for other in range(size)]
    expect(comm.bcast(own, root=size - 1) == everything[-1], "bcast")
    expect(comm.allgather(own) == everything, "allgather")
    expect(comm.gather(own, root=0) == (everything if rank == 0 else None), "gather")
    expect(comm.scatter(everything if rank == 0 else None, root=0) == own, "scatter")
    expect(comm.alltoall([(rank, other) for other in range(size)]) == [(other, rank) for other in range(size)], "alltoall")
    expect(comm.allreduce([rank], MPI.SUM) == list(range(size)), "allreduce of lists in order")
    expect(comm.reduce(rank, MPI.SUM, root=0) == (sum(range(size)) if rank == 0 else None), "reduce")
    expect(comm.scan(rank) == sum(range(rank + 1)), "scan")
    expect(comm.exscan(rank) == (sum(range(rank)) if rank else None), "exscan")
    expect(comm.allreduce((rank % 2, rank), MPI.MAXLOC)[0] == (1 if size > 1 else 0), "allreduce MAXLOC")


def in_place(comm):
    rank, size = comm.rank, comm.size
    data = doubles([rank + 1.0] * 5)
    comm.Allreduce(MPI.IN_PLACE, data)
    expect(data == doubles([size * (size + 1) / 2] * 5), "Allreduce IN_PLACE")
    data = doubles([rank + 1.0 if other == rank else -1.0 for other in range(size)])
    comm.Allgather(MPI.IN_PLACE, data)
    expect(data == doubles(range(1, size + 1)), "Allgather IN_PLACE")
    data = doubles([rank + 1.0])
    comm.Reduce(MPI.IN_PLACE if rank == 0 else data, data if rank == 0 else None)
    expect(rank != 0 or data[0] == size * (size + 1) / 2, "Reduce IN_PLACE")
    data = doubles([float(rank * size + other) for other in range(size)])
    comm.Alltoall(MPI.IN_PLACE, data)
    expect(data == doubles([float(other * size + rank) for other in range(size)]), "Alltoall IN_PLACE")


def absolute(comm):
    """A buffer at MPI.BOTTOM, by a type with the address of the data."""
    data = doubles([comm.rank + 1.0] * 4)
    absolute_type = MPI.DOUBLE.Create_hindexed([4], [MPI.Get_address(data)]).Commit()
    comm.Bcast([MPI.BOTTOM, 1, absolute_type], root=comm.size - 1)
    expect(data == doubles([comm.size] * 4), "Bcast BOTTOM")
    absolute_type.Free()


def derived(comm):
    """Every second element, a struct, and a column of a matrix."""
    vector = MPI.DOUBLE.Create_vector(4, 1, 2).Commit()
    data = doubles([comm.rank + 1.0] * 8)
    comm.Bcast([data, 1, vector], root=0)
    expect(data == doubles([1.0, comm.rank + 1.0] * 4), "Bcast of a vector")
    pair = MPI.Datatype.Create_struct([1, 1], [0, 8], [MPI.DOUBLE, MPI.INT]).Create_resized(0, 16).Commit()
    sent, received = bytearray([comm.rank + 1] * 16), bytearray(16 * comm.size)
    comm.Allgather([sent, 1, pair], [received, 1, pair])
    expect(all(received[16 * other:16 * other + 12] == bytes([other + 1] * 12) for other in range(comm.size)), "Allgather of structs")
    expect(all(received[16 * other + 12:16 * other + 16] == bytes(4) for other in range(comm.size)), "gaps of structs")
    square = MPI.INT.Create_subarray([4, 4], [2, 2], [1, 1]).Commit()
    grid = array("i", [comm.rank] * 16)
    comm.Bcast([grid, 1, square], root=comm.size - 1)
    expect([at for at in range(16) if grid[at] == comm.size - 1] == ([5, 6, 9, 10] if comm.rank != comm.size - 1 else list(range(16))),
           "Bcast of a subarray")
    for one in (vector, pair, square):
        one.Free()


def operators(comm):
    """An operator of the program that keeps the first operand."""
    def keep_first(left, right, _):
        right[:] = left

    operator = MPI.Op.Create(keep_first, commute=False)
    own, result = doubles([comm.rank + 5.0] * 9), zeros(9)
    comm.Allreduce(own, result, operator)
    expect(result == doubles([5.0] * 9), "Allreduce with an operator in order")
    operator.Free()


def nonblocking(comm):
    rank, size = comm.rank, comm.size
    total = size * (size + 1) / 2
    own = [doubles([rank + 1.0] * count) for count in (1, 100, 9000)]
    sums, copies, all_blocks = [zeros(len(one)) for one in own], [doubles(one) for one in own], [zeros(len(one) * size) for one in own]
    requests = [comm.Ibarrier()]
    for one, result, copy, blocks in zip(own, sums, copies, all_blocks):
        requests += [comm.Iallreduce(one, result), comm.Ibcast(copy, root=0), comm.Iallgather(one, blocks)]
    right, left, arrived = (rank + 1) % size, (rank - 1) % size, zeros(3)
    sent = doubles([rank] * 3)
    requests += [comm.Isend(sent, right), comm.Irecv(arrived, left)]
    MPI.Request.Waitall(requests)
    expect(all(result == doubles([total] * len(result)) for result in sums), "Iallreduce")
    expect(all(copy == doubles([1.0] * len(copy)) for copy in copies), "Ibcast")
    expect(all(blocks == doubles([other + 1.0 for other in range(size) for _ in range(len(blocks) // size)]) for blocks in all_blocks),
           "Iallgather")
    expect(arrived == doubles([left] * 3), "Irecv beside collectives")
    operands, result = doubles([1.0] * (2 * size)), zeros(2)  # mpi4py 3.1 itself does not keep them
    request = comm.Ireduce_scatter_block(operands, result)
    while not request.Test():
        pass
    expect(result == doubles([size] * 2), "Ireduce_scatter_block by Test")


def persistent(comm):
    """Messages, and collectives where mpi4py has their functions."""
    out, into = zeros(2), zeros(2)
    requests = [comm.Send_init(out, (comm.rank + 1) % comm.size), comm.Recv_init(into, (comm.rank - 1) % comm.size)]
    collective = hasattr(comm, "Allreduce_init")
    if collective:
        result = zeros(2)
        requests.append(comm.Allreduce_init(out, result))
    for turn in range(3):
        out[0] = comm.rank + turn
        MPI.Prequest.Startall(requests)
        MPI.Request.Waitall(requests)
        expect(into[0] == (comm.rank - 1) % comm.size + turn, "persistent messages")
        expect(not collective or result[0] == sum(range(comm.size)) + turn * comm.size, "Allreduce_init")
    for request in requests:
        request.Free()


def communicators():
    everything = [buffers, irregular, objects, in_place, absolute, derived, operators, nonblocking, persistent]
    twin = world.Dup()
    reverse = world.Split(0, -world.rank)
    halves = world.Split(world.rank % 2, world.rank)
    later, request = world.Idup()
    request.Wait()
    selected = world.Create(world.group.Incl([0]))
    groups = [comm for comm in (world, twin, reverse, halves, later, selected, MPI.COMM_SELF) if comm != MPI.COMM_NULL]
    for comm in groups:
        for function in everything:
            if comm in (world, reverse) or function in (buffers, objects, nonblocking):
                function(comm)
    for comm in groups[1:-1]:
        comm.Free()


def between():
    """An intercommunicator of the even and the odd ranks."""
    if world.size < 2:
        return
    half = world.Split(world.rank % 2, world.rank)
    inter = half.Create_intercomm(0, world, 1 - world.rank % 2)
    remote = list(range(1 - world.rank % 2, world.size, 2))
    result = zeros(1)
    inter.Allreduce(doubles([world.rank]), result)
    expect(result[0] == sum(remote), "Allreduce between groups")
    expect(inter.allgather(world.rank) == remote, "allgather between groups")
    root = (MPI.ROOT if half.rank == 0 else MPI.PROC_NULL) if world.rank % 2 == 0 else 0
    value = inter.bcast("even" if root == MPI.ROOT else None, root)
    expect(world.rank % 2 == 0 or value == "even", "bcast between groups")
    merged = inter.Merge(world.rank % 2 == 1)
    expect(merged.allreduce(1) == world.size, "allreduce of merged groups")
    for comm in (merged, inter, half):
        comm.Free()


def windows():
    """Put, accumulate and get with fences and locks, and collective calls between them."""
    window = MPI.Win.Allocate(8 * world.size, 8, comm=world)
    memory = memoryview(window).cast("d")
    memory[:] = zeros(world.size)
    window.Fence()
    for target in range(world.size):
        window.Put(doubles([world.rank + 1.0]), target, target=world.rank)
    window.Fence()
    expect(list(memory) == [other + 1.0 for other in range(world.size)], "Put")
    expect(world.allreduce(memory[0]) == world.size, "allreduce beside a window")
    window.Fence()
    window.Accumulate(doubles([1.0]), 0, target=0)
    window.Fence()
    expect(world.rank != 0 or memory[0] == 1.0 + world.size, "Accumulate")
    value = zeros(1)
    window.Lock(0, MPI.LOCK_SHARED)
    window.Get(value, 0, target=0)
    window.Unlock(0)
    expect(value[0] == 1.0 + world.size, "Get")
    world.Barrier()
    memory.release()
    window.Free()


def files():
    folder = world.bcast(tempfile.mkdtemp() if world.rank == 0 else None)
    path = Path(folder) / "data"
    handle = MPI.File.Open(world, str(path), MPI.MODE_CREATE | MPI.MODE_RDWR)
    handle.Write_at_all(8 * world.rank, doubles([world.rank + 0.5]))
    handle.Sync()
    world.Barrier()
    handle.Sync()
    data = zeros(world.size)
    handle.Read_at_all(0, data)
    expect(data == doubles([other + 0.5 for other in range(world.size)]), "Read_at_all")
    view = MPI.DOUBLE.Create_resized(0, 8 * world.size).Commit()
    handle.Set_view(8 * world.rank, MPI.DOUBLE, view)
    handle.Write_all(doubles([world.rank] * 3))
    handle.Close()
    expect(world.rank != 0 or array("d", path.read_bytes()) == doubles(list(range(world.size)) * 3), "Write_all with a view")
    view.Free()
    world.Barrier()
    if world.rank == 0:
        path.unlink()
        path.parent.rmdir()


def timed():
    """Calls of several sizes and of objects, back to back."""
    pickled = {"numbers": list(range(100))}
    long, short = zeros(1 << 17), zeros(8)
    long_result, short_result = zeros(1 << 17), zeros(8)
    blocks, block_results = zeros(512 * world.size), zeros(512 * world.size)
    world.Barrier()
    began = MPI.Wtime()
    for turn in range(5000):
        world.Allreduce(short, short_result)
        world.Bcast(short, root=turn % world.size)
        world.Alltoall(blocks, block_results)
        if turn % 20 == 0:
            world.Allreduce(long, long_result)
        if turn % 4 == 0:
            world.bcast(pickled, root=0)
            world.allgather(turn)
    return world.allreduce(MPI.Wtime() - began, MPI.MAX)


def main():
    if sys.argv[1:] == ["time"]:
        seconds = timed()
        if world.rank == 0:
            print(f"{seconds:.6f} seconds")
        return
    communicators()
    between()
    windows()
    files()
    for failure in failures:
        print(f"rank {world.rank}: {failure}")
    found = world.allreduce(len(failures))
    if world.rank == 0:
        print(f"{found} failures")
    sys.stdout.flush()
    world.Barrier()
    sys.exit(1 if found else 0)


main()
