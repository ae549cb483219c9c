#include "conformance.hpp"

namespace conformance {

namespace {

/// Blocks of one int per rank: the output begins behind the input.
struct halves_of_buffer {
    explicit halves_of_buffer(const group& on) : types(static_cast<std::size_t>(on.size), MPI_INT) {
        for (int r = 0; r < on.size; ++r) {
            sent.push_back(1), received.push_back(1);
            first.push_back(r), behind.push_back(on.size + r);
            first_bytes.push_back(r * 4), behind_bytes.push_back((on.size + r) * 4);
        }
    }

    integers sent, received, first, behind, first_bytes, behind_bytes;
    std::vector<MPI_Datatype> types;
};

void rooted_in_one_buffer(const group& on, int root, manner how) {
    const halves_of_buffer all(on);
    const auto begin = filled(on.rank, 2 * all.types.size());
    compare("gatherv within one buffer", on, how, begin, [&](const manner& m, int* data) {
        return CALL(m, Gatherv, gatherv, data, 1, MPI_INT, data, all.received, all.behind, MPI_INT, root, on.comm);
    });
    compare("scatterv within one buffer", on, how, begin, [&](const manner& m, int* data) {
        return CALL(m, Scatterv, scatterv, data, all.sent, all.behind, MPI_INT, data, 1, MPI_INT, root, on.comm);
    });
}

/// Input and output have one address on the first rank alone.
void unrooted_in_one_buffer(const group& on, manner how) {
    const halves_of_buffer all(on);
    const auto begin = filled(on.rank, 2 * all.types.size());
    std::vector<int> apart = begin;
    const auto input = [&](int* data) { return on.rank == 0 ? data : apart.data(); };
    compare("allgatherv within one buffer", on, how, begin, [&](const manner& m, int* data) {
        return CALL(m, Allgatherv, allgatherv, input(data), 1, MPI_INT, data, all.received, all.behind, MPI_INT,
                    on.comm);
    });
    compare("alltoallv within one buffer", on, how, begin, [&](const manner& m, int* data) {
        return CALL(m, Alltoallv, alltoallv, input(data), all.sent, all.first, MPI_INT, data, all.received, all.behind,
                    MPI_INT, on.comm);
    });
    compare("alltoallw within one buffer", on, how, begin, [&](const manner& m, int* data) {
        return CALL(m, Alltoallw, alltoallw, input(data), all.sent, all.first_bytes, all.types.data(), data,
                    all.received, all.behind_bytes, all.types.data(), on.comm);
    });
}

/// Fails unless the MPI refuses the call body(how), and the library returns the same error.
template <class Body>
void expect_refusal(const char* what, manner how, Body body) {
    const int native = class_of(body(manner{.native = true}));
    expect(native != MPI_SUCCESS, what, "is accepted by the MPI");
    expect(class_of(body(how)) == native, what, "another error class than the MPI's");
}

#ifndef OPEN_MPI
void refused_gathers(const group& on, manner how, MPI_Comm comm) {
    const halves_of_buffer all(on);
    auto data = filled(on.rank, 2 * all.types.size());
    int* const out = data.data();
    int* const own = out + on.rank;
    expect_refusal("gather from the own block", how, [&](const manner& m) {
        return CALL(m, Gather, gather, own, 1, MPI_INT, out, 1, MPI_INT, on.rank, comm);
    });
    expect_refusal("gatherv from the own block", how, [&](const manner& m) {
        return CALL(m, Gatherv, gatherv, own, 1, MPI_INT, out, all.received, all.first, MPI_INT, on.rank, comm);
    });
    expect_refusal("scatter into the own block", how, [&](const manner& m) {
        return CALL(m, Scatter, scatter, out, 1, MPI_INT, own, 1, MPI_INT, on.rank, comm);
    });
    expect_refusal("scatterv into the own block", how, [&](const manner& m) {
        return CALL(m, Scatterv, scatterv, out, all.sent, all.first, MPI_INT, own, 1, MPI_INT, on.rank, comm);
    });
    expect_refusal("allgather from the own block", how, [&](const manner& m) {
        return CALL(m, Allgather, allgather, own, 1, MPI_INT, out, 1, MPI_INT, comm);
    });
    expect_refusal("allgatherv from the own block", how, [&](const manner& m) {
        return CALL(m, Allgatherv, allgatherv, own, 1, MPI_INT, out, all.received, all.first, MPI_INT, comm);
    });
}

void refused_exchanges(const group& on, manner how, MPI_Comm comm) {
    const halves_of_buffer all(on);
    auto data = filled(on.rank, 2 * all.types.size());
    int* const one = data.data();
    expect_refusal("alltoall within its input", how, [&](const manner& m) {
        return CALL(m, Alltoall, alltoall, one, 1, MPI_INT, one, 1, MPI_INT, comm);
    });
    expect_refusal("alltoallv of the same counts", how, [&](const manner& m) {
        return CALL(m, Alltoallv, alltoallv, one, all.sent, all.first, MPI_INT, one, all.sent, all.behind, MPI_INT,
                    comm);
    });
    expect_refusal("alltoallw of the same counts and types", how, [&](const manner& m) {
        return CALL(m, Alltoallw, alltoallw, one, all.sent, all.first_bytes, all.types.data(), one, all.sent,
                    all.behind_bytes, all.types.data(), comm);
    });
    expect_refusal("allreduce to its input", how,
                   [&](const manner& m) { return CALL(m, Allreduce, allreduce, one, one, 1, MPI_INT, MPI_SUM, comm); });
}
#endif

/// Each rank's calls fail at once, so that each rank can be the root.
void refused(const group& on, manner how) {
    MPI_Comm comm;
    MPI_Comm_dup(on.comm, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    int one = on.rank;
    expect_refusal("reduce to its input", how, [&](const manner& m) {
        return CALL(m, Reduce, reduce, &one, &one, 1, MPI_INT, MPI_SUM, on.rank, comm);
    });
#ifndef OPEN_MPI
    refused_gathers(on, how, comm);
    refused_exchanges(on, how, comm);
#endif
    MPI_Comm_free(&comm);
}

}  // namespace

/// Tests calls whose input and output are parts of one buffer: those that do not overlap, and those that the MPI refuses.
void one_buffer(const group& on) {
    for (const manner& how : manners()) {
        for (const int root : roots(on)) rooted_in_one_buffer(on, root, how);
        // On one rank, MPICH 4.0.2's allgatherv and Open MPI 4.1.4's alltoallw write to other displacements.
        if (on.size > 1) unrooted_in_one_buffer(on, how);
        if (how.which != form::persistent) refused(on, how);
    }
}

}  // namespace conformance
