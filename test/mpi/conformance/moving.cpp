#include "conformance.hpp"

namespace conformance {

layout plain_ints(std::size_t ints) {
    layout made{.ints = ints, .stride = ints, .made = ints > 1};
    if (!made.made) return made;
    MPI_Type_contiguous(static_cast<int>(ints), MPI_INT, &made.type);
    MPI_Type_commit(&made.type);
    return made;
}

/// Returns a layout with every other int, and space for one int behind the last.
layout spread_ints(std::size_t ints) {
    layout made{.ints = ints, .stride = 2 * ints + 1, .made = true};
    MPI_Datatype every_other = MPI_DATATYPE_NULL;
    MPI_Type_vector(static_cast<int>(ints), 1, 2, MPI_INT, &every_other);
    MPI_Type_create_resized(every_other, 0, static_cast<MPI_Aint>(made.stride * sizeof(int)), &made.type);
    MPI_Type_free(&every_other);
    MPI_Type_commit(&made.type);
    return made;
}

void free_layout(layout& one) {
    if (one.made) MPI_Type_free(&one.type);
}

namespace {

/// Two layouts of one signature, which different ranks use.
struct pair_of_layouts {
    layout here, there;
};

void bcast(const group& on, const pair_of_layouts& as, int count, manner how) {
    const layout& mine = on.rank % 2 == 0 ? as.here : as.there;
    const auto n = static_cast<std::size_t>(count);
    for (const int root : roots(on))
        compare("bcast", on, how, filled(on.rank, n * mine.stride + 3), [&](const manner& m, int* data) {
            return CALL(m, Bcast, bcast, data, count, mine.type, root, on.comm);
        });
}

void scatter(const group& on, const pair_of_layouts& as, int count, manner how) {
    const auto n = static_cast<std::size_t>(count), p = static_cast<std::size_t>(on.size);
    const std::vector<int> sent = filled(on.rank, n * p * as.here.stride);
    for (const int root : roots(on))
        for (const bool in_place : {false, true}) {
            void* const whole = const_cast<int*>(sent.data());
            compare("scatter", on, how, filled(on.rank + 50, n * as.there.stride + 3), [&](const manner& m, int* data) {
                void* into = in_place && on.rank == root ? MPI_IN_PLACE : data;
                return CALL(m, Scatter, scatter, whole, count, as.here.type, into, count, as.there.type, root, on.comm);
            });
        }
}

void gather(const group& on, const pair_of_layouts& as, int count, manner how) {
    const auto n = static_cast<std::size_t>(count), p = static_cast<std::size_t>(on.size);
    const std::vector<int> own = filled(on.rank, n * as.there.stride);
    for (const int root : roots(on))
        for (const bool in_place : {false, true})
            compare("gather", on, how, filled(on.rank + 50, n * p * as.here.stride + 3),
                    [&](const manner& m, int* data) {
                        const void* from = in_place && on.rank == root ? MPI_IN_PLACE : own.data();
                        return CALL(m, Gather, gather, from, count, as.there.type, data, count, as.here.type, root,
                                    on.comm);
                    });
}

void allgather(const group& on, const pair_of_layouts& as, int count, manner how) {
    const auto n = static_cast<std::size_t>(count), p = static_cast<std::size_t>(on.size);
    const std::vector<int> own = filled(on.rank, n * as.there.stride);
    for (const bool in_place : {false, true})
        compare(
            "allgather", on, how, filled(on.rank + 50, n * p * as.here.stride + 3), [&](const manner& m, int* data) {
                const void* from = in_place ? MPI_IN_PLACE : own.data();
                return CALL(m, Allgather, allgather, from, count, as.there.type, data, count, as.here.type, on.comm);
            });
}

void alltoall(const group& on, const pair_of_layouts& as, int count, manner how) {
    const auto n = static_cast<std::size_t>(count), p = static_cast<std::size_t>(on.size);
    const std::vector<int> own = filled(on.rank, n * p * as.there.stride);
    for (const bool in_place : {false, true}) {
        if (in_place) how.starts = 1;
        compare("alltoall", on, how, filled(on.rank + 50, n * p * as.here.stride + 3), [&](const manner& m, int* data) {
            const void* from = in_place ? MPI_IN_PLACE : own.data();
            return CALL(m, Alltoall, alltoall, from, count, as.there.type, data, count, as.here.type, on.comm);
        });
    }
}

}  // namespace

void moving(const group& on) {
    pair_of_layouts ones{plain_ints(1), plain_ints(1)};
    pair_of_layouts threes{plain_ints(3), spread_ints(3)};
    pair_of_layouts turned{spread_ints(3), plain_ints(3)};
    for (const manner& how : manners())
        for (const pair_of_layouts* as : {&ones, &threes, &turned})
            for (const int count : {0, 1, 5, 300, 9000}) {
                if (how.wide && count != 5) continue;
                bcast(on, *as, count, how);
                if (count > 300 && on.size > 4) continue;
                scatter(on, *as, count, how);
                gather(on, *as, count, how);
                allgather(on, *as, count, how);
                alltoall(on, *as, count, how);
            }
    for (pair_of_layouts* as : {&ones, &threes, &turned}) free_layout(as->here), free_layout(as->there);
    for (const form which : forms)
        compare("barrier", on, {.which = which}, {},
                [&](const manner& m, int*) { return CALL_NARROW(m, Barrier, barrier, on.comm); });
}

}  // namespace conformance
