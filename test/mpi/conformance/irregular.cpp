#include <algorithm>

#include "conformance.hpp"

namespace conformance {

namespace {

/// Counts and displacements of p blocks, with empty ones and gaps, optionally in descending order.
struct blocks {
    integers counts, displs;
    std::size_t ints = 0;  ///< of the buffer, elements of one int

    template <class Count>
    blocks(int ranks, bool turned, Count count) : counts(static_cast<std::size_t>(ranks)), displs(counts.size()) {
        for (int i = 0; i < ranks; ++i) counts[static_cast<std::size_t>(i)] = count(i);
        for (std::size_t k = 0; k < counts.size(); ++k) {
            const std::size_t i = turned ? counts.size() - 1 - k : k;
            displs[i] = static_cast<int>(ints);
            ints += static_cast<std::size_t>(counts[i]) + (turned ? 2 : 0);
        }
    }
    int count(int i) const { return counts[static_cast<std::size_t>(i)]; }
};

/// Returns the number of elements from rank i to rank j.
int count_of(int i, int j, int scale) { return (i * 3 + j * 5) % 4 * scale; }

void gatherv_and_scatterv(const group& on, const layout& as, int scale, bool turned, manner how) {
    for (const int root : roots(on)) {
        const blocks all(on.size, turned, [&](int i) { return count_of(i, root, scale); });
        const int own_count = all.count(on.rank);
        const std::vector<int> own = filled(on.rank, static_cast<std::size_t>(own_count) * as.stride + 1);
        const std::vector<int> whole = filled(on.rank + 20, all.ints * as.stride + 1);
        for (const bool in_place : {false, true}) {
            const bool here = in_place && on.rank == root;
            compare("gatherv", on, how, whole, [&](const manner& m, int* data) {
                const void* from = here ? MPI_IN_PLACE : own.data();
                return CALL(m, Gatherv, gatherv, from, own_count, as.type, data, all.counts, all.displs, as.type, root,
                            on.comm);
            });
            compare("scatterv", on, how, own, [&](const manner& m, int* data) {
                void* into = here ? MPI_IN_PLACE : data;
                return CALL(m, Scatterv, scatterv, whole.data(), all.counts, all.displs, as.type, into, own_count,
                            as.type, root, on.comm);
            });
        }
    }
}

void allgatherv(const group& on, const layout& as, int scale, bool turned, manner how) {
    const blocks all(on.size, turned, [&](int i) { return count_of(i, 1, scale); });
    const int own_count = all.count(on.rank);
    const std::vector<int> own = filled(on.rank, static_cast<std::size_t>(own_count) * as.stride + 1);
    for (const bool in_place : {false, true})
        compare("allgatherv", on, how, filled(on.rank + 20, all.ints * as.stride + 1), [&](const manner& m, int* data) {
            const void* from = in_place ? MPI_IN_PLACE : own.data();
            return CALL(m, Allgatherv, allgatherv, from, own_count, as.type, data, all.counts, all.displs, as.type,
                        on.comm);
        });
}

void alltoallv(const group& on, const layout& as, int scale, bool turned, manner how) {
    const blocks out(on.size, turned, [&](int j) { return count_of(on.rank, j, scale); });
    const blocks in(on.size, !turned, [&](int i) { return count_of(i, on.rank, scale); });
    const std::vector<int> sent = filled(on.rank, out.ints * as.stride + 1);
    compare("alltoallv", on, how, filled(on.rank + 20, in.ints * as.stride + 1), [&](const manner& m, int* data) {
        return CALL(m, Alltoallv, alltoallv, sent.data(), out.counts, out.displs, as.type, data, in.counts, in.displs,
                    as.type, on.comm);
    });
    // The blocks of both buffers take turns in one array.
    const std::size_t slot = static_cast<std::size_t>(4 * scale);
    integers places(out.counts.size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int>(2 * i * slot);
    compare("alltoallv interleaved", on, how, filled(on.rank + 20, 2 * places.size() * slot * as.stride + 1),
            [&](const manner& m, int* data) {
                return CALL(m, Alltoallv, alltoallv, data + slot * as.stride, out.counts, places, as.type, data,
                            in.counts, places, as.type, on.comm);
            });
    // In place, both directions of a pair have the same count. The reference is the call that is not in place.
    const blocks both(on.size, turned, [&](int j) { return (on.rank + j) % 3 * scale; });
    const std::vector<int> begin = filled(on.rank + 20, both.ints * as.stride + 1);
    how.starts = 1;
    compare("alltoallv in place", on, how, begin, [&](const manner& m, int* data) {
        const void* from = m.native ? begin.data() : MPI_IN_PLACE;
        return CALL(m, Alltoallv, alltoallv, from, both.counts, both.displs, as.type, data, both.counts, both.displs,
                    as.type, on.comm);
    });
}

/// Tests alltoallw. Every other block has the second layout; displacements are in bytes.
void alltoallw(const group& on, const layout& one, const layout& other, int scale, bool turned, manner how) {
    blocks out(on.size, turned, [&](int j) { return count_of(on.rank, j, scale); });
    blocks in(on.size, !turned, [&](int i) { return count_of(i, on.rank, scale); });
    const std::size_t stride = std::max(one.stride, other.stride);
    std::vector<MPI_Datatype> out_types, in_types;
    for (int i = 0; i < on.size; ++i) {
        out_types.push_back(i % 2 == 0 ? one.type : other.type);
        in_types.push_back(i % 2 == 0 ? other.type : one.type);
    }
    for (blocks* side : {&out, &in})
        for (std::size_t i = 0; i < side->displs.size(); ++i) side->displs[i] *= static_cast<int>(stride * sizeof(int));
    const std::vector<int> sent = filled(on.rank, out.ints * stride + 1);
    compare("alltoallw", on, how, filled(on.rank + 20, in.ints * stride + 1), [&](const manner& m, int* data) {
        return CALL(m, Alltoallw, alltoallw, sent.data(), out.counts, out.displs, out_types.data(), data, in.counts,
                    in.displs, in_types.data(), on.comm);
    });
}

}  // namespace

void irregular(const group& on) {
    layout plain = plain_ints(1), dense = plain_ints(2), spread = spread_ints(2);
    for (const manner& how : manners())
        for (const int scale : {0, 1, 700})
            for (const bool turned : {false, true}) {
                if (how.wide && scale != 1) continue;
                for (const layout* as : {&plain, &dense, &spread}) {
                    gatherv_and_scatterv(on, *as, scale, turned, how);
                    allgatherv(on, *as, scale, turned, how);
                    alltoallv(on, *as, scale, turned, how);
                }
                alltoallw(on, dense, spread, scale, turned, how);
            }
    for (layout* as : {&plain, &dense, &spread}) free_layout(*as);
}

}  // namespace conformance
