#include "collsched/schedule/lower_bounds.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "support/layouts.hpp"
#include "support/neighborhoods.hpp"

using namespace collsched;

namespace {

/// The blocks of one rank for each other rank, or from each other rank.
using far_blocks = std::map<rank_t, std::vector<bytes_t>>;

/// Rounds in which a rank reaches, or is reached from, all others with a block that is not empty.
step_t rounds_for(const far_blocks& far) {
    step_t rounds = 0;
    while ((std::size_t{1} << rounds) < far.size() + 1) ++rounds;
    return rounds;
}

bytes_t all_bytes(const far_blocks& far) {
    bytes_t sum = 0;
    for (const auto& [other, blocks] : far)
        for (const bytes_t b : blocks) sum += b;
    return sum;
}

/// One block counts from each other rank.
bytes_t first_bytes(const far_blocks& far) {
    bytes_t sum = 0;
    for (const auto& [other, blocks] : far) sum += blocks.front();
    return sum;
}

}  // namespace

TEST_CASE("lower_bounds: lower bounds follow from the contract alone") {
    const std::vector<bytes_t> lonely{0, 0, 5, 0};
    CHECK(bounds_of({.collective = collective::allgather, .ranks = 5, .blocks = 3}) == contract::lower_bounds{3, 12});
    CHECK(bounds_of({.collective = collective::allgather, .ranks = 4, .blocks = block_layout(lonely)}) ==
          contract::lower_bounds{2, 5});
    CHECK(bounds_of({.collective = collective::allgather, .ranks = 5, .blocks = 0}) == contract::lower_bounds{0, 0});
    CHECK(bounds_of({.collective = collective::allgather, .ranks = 1, .blocks = 3}) == contract::lower_bounds{0, 0});
    CHECK(bounds_of({.collective = collective::gather, .ranks = 4, .root = 2, .blocks = block_layout(lonely)}) ==
          contract::lower_bounds{0, 0});
    CHECK(bounds_of({.collective = collective::gather, .ranks = 4, .root = 0, .blocks = block_layout(lonely)}) ==
          contract::lower_bounds{1, 5});
    CHECK(bounds_of({.collective = collective::scatter, .ranks = 9, .blocks = 2}) == contract::lower_bounds{4, 16});
    CHECK(bounds_of({.collective = collective::barrier, .ranks = 9}) == contract::lower_bounds{4, 0});
    CHECK(bounds_of({.collective = collective::broadcast, .ranks = 8, .bytes = 7}) == contract::lower_bounds{3, 7});
    CHECK(bounds_of({.collective = collective::alltoall, .ranks = 4, .blocks = block_matrix(2)}) ==
          contract::lower_bounds{2, 6});
    const block_matrix hot(std::vector<bytes_t>{9, 0, 5,  //
                                                0, 9, 7,  //
                                                1, 0, 9});
    CHECK(bounds_of({.collective = collective::alltoall, .ranks = 3, .blocks = hot}) == contract::lower_bounds{2, 12});
    const block_matrix kept(std::vector<bytes_t>{9, 0, 0, 9});
    CHECK(bounds_of({.collective = collective::alltoall, .ranks = 2, .blocks = kept}) == contract::lower_bounds{0, 0});
}

TEST_CASE("lower bounds of neighborhoods: other ranks count once, and so does a block that all get") {
    // 0 -> 1, 1, 2, 0;  1 -> 0;  3 receives and sends nothing.
    const neighborhood n(std::vector<rank_t>{4, 1, 0, 0}, std::vector<rank_t>{1, 1, 2, 0, 0});
    const auto gathered = [&](const slot_layout::gathered& slots) {
        return bounds_of({.collective = collective::neighbor_allgather, .ranks = 4, .blocks = {n, slots}});
    };
    const auto exchanged = [&](const slot_layout::exchanged& slots) {
        return bounds_of({.collective = collective::neighbor_alltoall, .ranks = 4, .blocks = {n, slots}});
    };
    CHECK(gathered(5) == contract::lower_bounds{2, 5});
    CHECK(gathered(0) == contract::lower_bounds{0, 0});
    CHECK(gathered(slot_layout::gathered(n, std::vector<bytes_t>{0, 7, 0, 100})) == contract::lower_bounds{1, 7});
    CHECK(exchanged(5) == contract::lower_bounds{2, 15});
    CHECK(exchanged(slot_layout::exchanged(n, std::vector<bytes_t>{3, 4, 0, 50, 9})) == contract::lower_bounds{1, 9});
    CHECK(exchanged(slot_layout::exchanged(n, std::vector<bytes_t>{0, 0, 0, 50, 0})) == contract::lower_bounds{0, 0});
    const neighborhood torus = neighborhood::cartesian(std::vector<int>{3, 3, 2}, std::vector<int>{1, 1, 1});
    const contract halo{
        .collective = collective::neighbor_alltoall, .ranks = 18, .blocks = {torus, slot_layout::exchanged(2)}};
    CHECK(bounds_of(halo) == contract::lower_bounds{3, 12});  // five others, six slots
}

TEST_CASE("lower bounds of an allreduce: 2 m (p-1)/p, rounded up") {
    const auto bytes = [](bytes_t m, rank_t p) {
        return bounds_of({.collective = collective::allreduce, .ranks = p, .bytes = m}).bytes;
    };
    for (rank_t p = 1; p <= 40; ++p)
        for (bytes_t m = 0; m <= 200; ++m) CHECK(bytes(m, p) == (2 * m * (p - 1) + p - 1) / p);
    CHECK(bytes(INT64_MAX, 2) == INT64_MAX);
    CHECK(bytes(INT64_MAX, 3) == INT64_MAX);
    CHECK(bytes(bytes_t{1} << 61, rank_t{1} << 61) == (bytes_t{1} << 62) - 2);
    CHECK(bounds_of({.collective = collective::allreduce, .ranks = 9, .bytes = 1}) == contract::lower_bounds{4, 2});
    CHECK(bounds_of({.collective = collective::allreduce, .ranks = 9}) == contract::lower_bounds{0, 0});
    CHECK(bounds_of({.collective = collective::scan, .ranks = 9, .bytes = 5}) == contract::lower_bounds{4, 5});
    CHECK(bounds_of({.collective = collective::exscan, .ranks = 8, .bytes = 5}) == contract::lower_bounds{3, 5});
}

TEST_CASE("lower bounds of any neighborhood: the busiest rank's other ranks, and its bytes to and from them") {
    support::random_source random(3);
    for (rank_t p = 2; p <= 7; ++p)
        for (const auto& [name, n] : support::neighborhoods(p)) {
            CAPTURE(p);
            CAPTURE(name);
            std::vector<bytes_t> own, each;
            for (rank_t r = 0; r < p; ++r) own.push_back(random.below(4));
            for (rank_t r = 0; r < p; ++r)
                for (rank_t i = 0; i < n.out_degree(r); ++i) each.push_back(random.below(4));
            const auto size = [](rank_t i) { return static_cast<std::size_t>(i); };
            std::vector<far_blocks> gathered_out(size(p)), gathered_in(size(p)), out(size(p)), in(size(p));
            std::size_t slot = 0;
            for (rank_t r = 0; r < p; ++r)
                for (rank_t i = 0; i < n.out_degree(r); ++i, ++slot) {
                    const rank_t t = n.target(r, i);
                    if (t < 0 || t == r) continue;
                    if (const bytes_t b = own[size(r)]; b > 0)
                        gathered_out[size(r)][t].push_back(b), gathered_in[size(t)][r].push_back(b);
                    if (const bytes_t b = each[slot]; b > 0) out[size(r)][t].push_back(b), in[size(t)][r].push_back(b);
                }
            contract::lower_bounds gathered, exchanged;
            for (std::size_t r = 0; r < size(p); ++r) {
                gathered.rounds = std::max({gathered.rounds, rounds_for(gathered_out[r]), rounds_for(gathered_in[r])});
                gathered.bytes =
                    std::max({gathered.bytes, gathered_out[r].empty() ? 0 : own[r], first_bytes(gathered_in[r])});
                exchanged.rounds = std::max({exchanged.rounds, rounds_for(out[r]), rounds_for(in[r])});
                exchanged.bytes = std::max({exchanged.bytes, all_bytes(out[r]), all_bytes(in[r])});
            }
            CHECK(bounds_of({.collective = collective::neighbor_allgather,
                             .ranks = p,
                             .blocks = {n, slot_layout::gathered(n, own)}}) == gathered);
            CHECK(bounds_of({.collective = collective::neighbor_alltoall,
                             .ranks = p,
                             .blocks = {n, slot_layout::exchanged(n, each)}}) == exchanged);
        }
}

TEST_CASE("lower bounds of an exchange: the busiest rank's blocks for others, and from them") {
    for (rank_t p = 2; p <= 7; ++p)
        for (const auto& [name, matrix] : support::matrices(p)) {
            CAPTURE(p);
            CAPTURE(name);
            contract::lower_bounds expected;
            for (rank_t r = 0; r < p; ++r) {
                far_blocks out, in;
                for (rank_t other = 0; other < p; ++other) {
                    if (other == r) continue;
                    if (matrix.count(r, other) > 0) out[other] = {matrix.count(r, other)};
                    if (matrix.count(other, r) > 0) in[other] = {matrix.count(other, r)};
                }
                expected.rounds = std::max({expected.rounds, rounds_for(out), rounds_for(in)});
                expected.bytes = std::max({expected.bytes, all_bytes(out), all_bytes(in)});
            }
            CHECK(bounds_of({.collective = collective::alltoall, .ranks = p, .blocks = matrix}) == expected);
        }
}

TEST_CASE("lower bounds of blocks: the root's other blocks, or those of the rank with the smallest one") {
    for (rank_t p = 2; p <= 9; ++p)
        for (const auto& [name, layout] : support::layouts(p)) {
            CAPTURE(p);
            CAPTURE(name);
            bytes_t total = 0, least = layout.count(0);
            for (rank_t r = 0; r < p; ++r) total += layout.count(r), least = std::min(least, layout.count(r));
            far_blocks all;
            for (rank_t other = 1; other < p; ++other) all[other] = {1};
            const contract::lower_bounds shared{total == least ? 0 : rounds_for(all), total - least};
            CHECK(bounds_of({.collective = collective::allgather, .ranks = p, .blocks = layout}) == shared);
            CHECK(bounds_of({.collective = collective::reduce_scatter, .ranks = p, .blocks = layout}) == shared);
            for (rank_t root = 0; root < p; ++root) {
                far_blocks far;
                for (rank_t other = 0; other < p; ++other)
                    if (other != root && layout.count(other) > 0) far[other] = {layout.count(other)};
                const contract::lower_bounds rooted{rounds_for(far), all_bytes(far)};
                CHECK(bounds_of({.collective = collective::gather, .ranks = p, .root = root, .blocks = layout}) ==
                      rooted);
                CHECK(bounds_of({.collective = collective::scatter, .ranks = p, .root = root, .blocks = layout}) ==
                      rooted);
            }
        }
}
