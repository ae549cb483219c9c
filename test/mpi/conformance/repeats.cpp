#include <algorithm>
#include <vector>

#include "conformance.hpp"

namespace conformance {

namespace {

/// Calls body(how) natively and interposed, repeatedly on the same memory, and compares the results.
template <class Body>
void repeat(const char* what, const group& on, std::vector<int>& in, std::vector<int>& out, Body body) {
    const manner interposed{}, native{.native = true};
    for (int turn = 0; turn < 7; ++turn) {  // several kinds of calls are repeated at once
        for (std::size_t i = 0; i < in.size(); ++i) in[i] = value(on.rank, i + static_cast<std::size_t>(turn));
        std::fill(out.begin(), out.end(), -turn - 100 * on.rank);
        body(native, turn);
        const std::vector<int> expected = out;
        std::fill(out.begin(), out.end(), -turn - 100 * on.rank);
        body(interposed, turn);
        expect(out == expected, "a call that is repeated", what);
    }
}

void last_of_both(void*, void*, int*, MPI_Datatype*) {}

void sum_of_both(void* in, void* inout, int* length, MPI_Datatype*) {
    for (int i = 0; i < *length; ++i) static_cast<int*>(inout)[i] += static_cast<const int*>(in)[i];
}

}  // namespace

/// Tests repeated calls with the same arguments: with other elements in the buffers, other numbers in the arrays of
/// counts, or another type or operator with a handle that the program has freed.
void repeats(const group& on) {
    const auto ranks = static_cast<std::size_t>(on.size);
    const std::size_t enough = 64 * ranks;  // of ints, for every call here
    std::vector<int> in(enough), out(enough), counts(ranks), displs(ranks), sent(ranks), sent_at(ranks);
    repeat("with predefined types and operators", on, in, out, [&](const manner& how, int) {
        CALL_NARROW(how, Allreduce, allreduce, in.data(), out.data(), 3, MPI_INT, MPI_SUM, on.comm);
        CALL_NARROW(how, Allreduce, allreduce, in.data(), out.data() + 3, 3, MPI_INT, MPI_MAX, on.comm);
        CALL_NARROW(how, Allreduce, allreduce, MPI_IN_PLACE, out.data(), 2, MPI_INT, MPI_SUM, on.comm);
        CALL_NARROW(how, Bcast, bcast, out.data() + 6, 2, MPI_INT, on.size - 1, on.comm);
        CALL_NARROW(how, Allgather, allgather, in.data(), 1, MPI_INT, out.data() + 8, 1, MPI_INT, on.comm);
        CALL_NARROW(how, Scan, scan, in.data(), out.data() + 9 + on.size, 4, MPI_INT, MPI_SUM, on.comm);
        CALL_NARROW(how, Barrier, barrier, on.comm);
    });
    repeat("with other counts", on, in, out, [&](const manner& how, int turn) {
        int before = 0;
        for (std::size_t r = 0; r < ranks; ++r) {
            counts[r] = 1 + (turn + static_cast<int>(r)) % 5;
            displs[r] = before;
            before += counts[r];
        }
        const int own = counts[static_cast<std::size_t>(on.rank)];
        // The arrays alone differ from turn to turn.
        CALL_NARROW(how, Reduce_scatter, reduce_scatter, in.data(), out.data() + 40 * on.size, counts.data(), MPI_INT,
                    MPI_SUM, on.comm);
        std::fill(sent.begin(), sent.end(), own);
        for (std::size_t r = 0; r < ranks; ++r) sent_at[r] = static_cast<int>(r);
        CALL_NARROW(how, Alltoallv, alltoallv, in.data(), sent.data(), sent_at.data(), MPI_INT,
                    out.data() + 50 * on.size, counts.data(), displs.data(), MPI_INT, on.comm);
        CALL_NARROW(how, Allgatherv, allgatherv, in.data(), own, MPI_INT, out.data(), counts.data(), displs.data(),
                    MPI_INT, on.comm);
    });
    repeat("with another type", on, in, out, [&](const manner& how, int turn) {
        layout one = turn % 2 == 0 ? plain_ints(2) : spread_ints(2);
        CALL_NARROW(how, Bcast, bcast, out.data(), 3, one.type, 0, on.comm);
        CALL_NARROW(how, Allgather, allgather, in.data(), 2, one.type, out.data(), 2, one.type, on.comm);
        free_layout(one);
    });
    repeat("with another operator", on, in, out, [&](const manner& how, int turn) {
        MPI_Op op = MPI_OP_NULL;
        MPI_Op_create(turn % 2 == 0 ? sum_of_both : last_of_both, turn % 2 == 0 ? 1 : 0, &op);
        CALL_NARROW(how, Allreduce, allreduce, in.data(), out.data(), 5, MPI_INT, op, on.comm);
        MPI_Op_free(&op);
    });
}

/// Tests repeated calls of each direction with messages around the lengths, in bytes, from which the library stores them
/// differently: up to 4096, up to a quarter of a ring, and from 24576 on.
void lengths(const group& on) {
    const auto ranks = static_cast<std::size_t>(on.size);
    for (const int n : {1, 16, 1023, 1024, 1025, 6143, 6144, 6145, 8184, 8185, 20000, 100003}) {
        const auto size = static_cast<std::size_t>(n);
        std::vector<int> in(size * ranks), out(size * ranks);
        repeat("of a length", on, in, out, [&](const manner& how, int) {
            CALL_NARROW(how, Bcast, bcast, out.data(), n, MPI_INT, 0, on.comm);
            CALL_NARROW(how, Scatter, scatter, in.data(), n, MPI_INT, out.data(), n, MPI_INT, on.size - 1, on.comm);
        });
        repeat("of a length", on, in, out, [&](const manner& how, int) {
            CALL_NARROW(how, Gather, gather, in.data(), n, MPI_INT, out.data(), n, MPI_INT, 0, on.comm);
        });
        repeat("of a length", on, in, out, [&](const manner& how, int) {
            CALL_NARROW(how, Reduce, reduce, in.data(), out.data(), n, MPI_INT, MPI_SUM, on.size - 1, on.comm);
        });
        repeat("of a length", on, in, out, [&](const manner& how, int) {
            CALL_NARROW(how, Scan, scan, in.data(), out.data(), n, MPI_INT, MPI_BXOR, on.comm);
            CALL_NARROW(how, Allgather, allgather, in.data(), n, MPI_INT, out.data(), n, MPI_INT, on.comm);
        });
        repeat("of a length", on, in, out, [&](const manner& how, int) {
            CALL_NARROW(how, Allreduce, allreduce, in.data(), out.data(), n, MPI_INT, MPI_MAX, on.comm);
        });
    }
}

}  // namespace conformance
