#include "collsched/schedule/contract.hpp"

#include <doctest/doctest.h>

#include <type_traits>

#include <string>
#include <vector>

using namespace collsched;

namespace {

struct part {
    bytes_t offset, size;
    rank_t first, last;
    bytes_t at;
    bool operator==(const part&) const = default;
};

std::vector<part> results(const contract& c, rank_t r) {
    std::vector<part> all;
    c.results(r, [&](const contract::result_range& x) {
        all.push_back({x.where.offset, x.where.size, x.first, x.last, x.at});
    });
    return all;
}

contract blocks(collective what, rank_t root = 0) {
    const std::vector<bytes_t> counts{2, 0, 3}, displs{5, 0, 0};
    return {.collective = what, .ranks = 3, .root = root, .blocks = block_layout(counts, displs)};
}
contract whole(collective what, rank_t root = 0) { return {.collective = what, .ranks = 3, .root = root, .bytes = 10}; }

}  // namespace

static_assert(std::is_nothrow_move_constructible_v<contract> && std::is_nothrow_move_assignable_v<contract>);

TEST_CASE("contract: allgather has the own block in, all blocks at their displacements out, empty ones left out") {
    const contract c = blocks(collective::allgather);
    CHECK(c.input_bytes(0) == 2);
    CHECK(c.input_bytes(1) == 0);
    CHECK(c.output_bytes(1) == 7);
    for (rank_t r = 0; r < 3; ++r) CHECK(results(c, r) == std::vector<part>{{5, 2, 0, 1, 0}, {0, 3, 2, 3, 0}});
    const detail::buffer_alias alias = c.alias(0, binding::in_place);
    CHECK(detail::locate(alias, buffer::input, 1) == location{buffer::output, 6});
    CHECK(detail::locate(alias, buffer::output, 1) == location{buffer::output, 1});
}

TEST_CASE("contract: gather and scatter have all blocks at the root alone") {
    const contract g = blocks(collective::gather, 1);
    CHECK(g.input_bytes(2) == 3);
    CHECK(g.output_bytes(1) == 7);
    CHECK(g.output_bytes(0) == 0);
    CHECK(results(g, 0).empty());
    CHECK(results(g, 1) == std::vector<part>{{5, 2, 0, 1, 0}, {0, 3, 2, 3, 0}});
    CHECK(!g.alias(0, binding::in_place).any());
    CHECK(detail::locate(g.alias(1, binding::in_place), buffer::input, 0) == location{buffer::output, 0});

    const contract s = blocks(collective::scatter, 2);
    CHECK(s.input_bytes(2) == 7);
    CHECK(s.input_bytes(0) == 0);
    CHECK(s.output_bytes(0) == 2);
    CHECK(results(s, 0) == std::vector<part>{{0, 2, 2, 3, 5}});
    CHECK(results(s, 1).empty());
    CHECK(detail::locate(s.alias(2, binding::in_place), buffer::output, 1) == location{buffer::input, 1});
    CHECK(!s.alias(0, binding::in_place).any());
}

TEST_CASE("contract: whole-vector collectives") {
    const contract b = whole(collective::broadcast, 1);
    CHECK(b.input_bytes(1) == 10);
    CHECK(b.input_bytes(0) == 0);
    CHECK(results(b, 0) == std::vector<part>{{0, 10, 1, 2, 0}});
    CHECK(b.alias(1, binding::in_place).any());
    CHECK(!b.alias(0, binding::in_place).any());

    CHECK(results(whole(collective::reduce, 2), 2) == std::vector<part>{{0, 10, 0, 3, 0}});
    CHECK(results(whole(collective::reduce, 2), 0).empty());
    CHECK(whole(collective::reduce, 2).output_bytes(0) == 0);
    CHECK(results(whole(collective::allreduce), 1) == std::vector<part>{{0, 10, 0, 3, 0}});
    CHECK(results(whole(collective::scan), 1) == std::vector<part>{{0, 10, 0, 2, 0}});
    CHECK(results(whole(collective::exscan), 2) == std::vector<part>{{0, 10, 0, 2, 0}});
    CHECK(results(whole(collective::exscan), 0).empty());
    CHECK(whole(collective::allreduce).alias(2, binding::in_place).any());
}

TEST_CASE("contract: reduce_scatter and alltoall") {
    const contract r = blocks(collective::reduce_scatter);
    CHECK(r.input_bytes(1) == 7);
    CHECK(r.output_bytes(2) == 3);
    CHECK(results(r, 0) == std::vector<part>{{0, 2, 0, 3, 5}});
    CHECK(results(r, 1).empty());
    const contract a{.collective = collective::alltoall, .ranks = 3, .blocks = block_matrix(4)};
    CHECK(a.input_bytes(0) == 12);
    CHECK(results(a, 2) == std::vector<part>{{0, 4, 0, 1, 8}, {4, 4, 1, 2, 8}, {8, 4, 2, 3, 8}});
}

TEST_CASE(
    "contract: neighborhood collectives have slot by slot the neighbor's block, and empty slots keep their places") {
    const std::vector<int> line{3}, open{0};
    const neighborhood n = neighborhood::cartesian(line, open);
    const contract g{.collective = collective::neighbor_allgather, .ranks = 3, .blocks = {n, slot_layout::gathered(4)}};
    CHECK(g.input_bytes(1) == 4);
    CHECK(g.output_bytes(0) == 8);
    CHECK(results(g, 0) == std::vector<part>{{4, 4, 1, 2, 0}});
    CHECK(results(g, 1) == std::vector<part>{{0, 4, 0, 1, 0}, {4, 4, 2, 3, 0}});
    const contract a{.collective = collective::neighbor_alltoall, .ranks = 3, .blocks = {n, slot_layout::exchanged(4)}};
    CHECK(a.input_bytes(1) == 8);
    CHECK(a.output_bytes(2) == 8);
    CHECK(results(a, 1) == std::vector<part>{{0, 4, 0, 1, 4}, {4, 4, 2, 3, 0}});
    CHECK(results(a, 2) == std::vector<part>{{0, 4, 1, 2, 4}});

    // Both slots lead to the other rank: the block that it sent down is in the slot above.
    const std::vector<int> pair{2}, closed{1};
    const neighborhood ring = neighborhood::cartesian(pair, closed);
    const std::vector<bytes_t> counts{1, 2, 3, 0};
    const contract v{.collective = collective::neighbor_alltoall,
                     .ranks = 2,
                     .blocks = {ring, slot_layout::exchanged(ring, counts)}};
    CHECK(v.input_bytes(0) == 3);
    CHECK(results(v, 0) == std::vector<part>{{0, 3, 1, 2, 0}});
    CHECK(results(v, 1) == std::vector<part>{{0, 2, 0, 1, 1}, {2, 1, 0, 1, 0}});
    for (const contract& c : {g, a, v}) CHECK(!c.alias(1, binding::in_place).any());
}

TEST_CASE("contract: a barrier moves nothing") {
    const contract c{.collective = collective::barrier, .ranks = 4};
    CHECK(c.input_bytes(0) == 0);
    CHECK(c.output_bytes(3) == 0);
    CHECK(results(c, 1).empty());
}

TEST_CASE("contract: a local copy vanishes if both ends are the same bytes") {
    const detail::buffer_alias alias{buffer::output, buffer::input, 8};
    const edge own{.src = 2, .dst = 2, .from_offset = 0, .into_offset = 8, .size = 4};
    CHECK(detail::vanishes(alias, own));
    CHECK(!detail::vanishes({}, own));
    edge other = own;
    other.into_offset = 9;
    CHECK(!detail::vanishes(alias, other));
    other = own;
    other.dst = 3;
    CHECK(!detail::vanishes(alias, other));
    other = own;
    other.action = action::combine_after;
    CHECK(!detail::vanishes(alias, other));
}

TEST_CASE("contract: every collective has its name, kinds and reverse") {
    using enum collective;
    struct row {
        collective kind;
        const char* name;
        bool rooted, moves, neighbors, blocks, reduction;
        collective reverse;
    };
    constexpr row rows[] = {
        {broadcast, "broadcast", true, false, false, false, false, reduce},
        {scatter, "scatter", true, true, false, true, false, gather},
        {gather, "gather", true, true, false, true, false, scatter},
        {allgather, "allgather", false, true, false, true, false, reduce_scatter},
        {reduce, "reduce", true, false, false, false, true, broadcast},
        {allreduce, "allreduce", false, false, false, false, true, allreduce},
        {reduce_scatter, "reduce_scatter", false, true, false, true, true, allgather},
        {scan, "scan", false, false, false, false, true, scan},
        {exscan, "exscan", false, false, false, false, true, exscan},
        {alltoall, "alltoall", false, false, false, true, false, alltoall},
        {barrier, "barrier", false, false, false, false, false, barrier},
        {neighbor_allgather, "neighbor_allgather", false, false, true, true, false, neighbor_allgather},
        {neighbor_alltoall, "neighbor_alltoall", false, false, true, true, false, neighbor_alltoall},
    };
    int number = 0;
    for (const row& x : rows) {
        CAPTURE(x.name);
        CHECK(static_cast<int>(x.kind) == number++);
        CHECK(std::string(name_of(x.kind)) == x.name);
        CHECK(is_rooted(x.kind) == x.rooted);
        CHECK(moves_blocks(x.kind) == x.moves);
        CHECK(has_neighbors(x.kind) == x.neighbors);
        CHECK(has_blocks(x.kind) == x.blocks);
        CHECK(reduces(x.kind) == x.reduction);
        CHECK(detail::reverse_of(x.kind) == x.reverse);
    }
}

TEST_CASE("contract: every collective has its sizes, results and aliases, at the root and elsewhere") {
    using enum collective;
    using parts = std::vector<part>;
    // Blocks 2, 0, 3 at 5, 0, 0; a root in the middle; vectors of 10 bytes.
    struct row {
        collective kind;
        bytes_t root_input, input, root_output, output;  // of rank 1, the root, and of rank 2
        parts root_results, results;
    };
    const parts all{{5, 2, 0, 1, 0}, {0, 3, 2, 3, 0}}, sum{{0, 10, 0, 3, 0}};
    const std::vector<row> rows{
        {broadcast, 10, 0, 10, 10, {{0, 10, 1, 2, 0}}, {{0, 10, 1, 2, 0}}},
        {scatter, 7, 0, 0, 3, {}, {{0, 3, 1, 2, 0}}},
        {gather, 0, 3, 7, 0, all, {}},
        {allgather, 0, 3, 7, 7, all, all},
        {reduce, 10, 10, 10, 0, sum, {}},
        {allreduce, 10, 10, 10, 10, sum, sum},
        {reduce_scatter, 7, 7, 0, 3, {}, {{0, 3, 0, 3, 0}}},
        {scan, 10, 10, 10, 10, {{0, 10, 0, 2, 0}}, sum},
        {exscan, 10, 10, 10, 10, {{0, 10, 0, 1, 0}}, {{0, 10, 0, 2, 0}}},
        {barrier, 0, 0, 0, 0, {}, {}},
    };
    for (const row& x : rows) {
        CAPTURE(name_of(x.kind));
        contract c = blocks(x.kind, 1);
        c.bytes = 10;
        CHECK(c.input_bytes(1) == x.root_input);
        CHECK(c.input_bytes(2) == x.input);
        CHECK(c.output_bytes(1) == x.root_output);
        CHECK(c.output_bytes(2) == x.output);
        CHECK(results(c, 1) == x.root_results);
        CHECK(results(c, 2) == x.results);
        for (rank_t r = 0; r < 3; ++r) {
            CHECK_FALSE(c.alias(r, binding::separate).any());
            const detail::buffer_alias alias = c.alias(r, binding::in_place);
            CHECK(alias.any() == (x.kind != barrier && (!is_rooted(x.kind) || r == 1)));
            if (!alias.any()) continue;
            CHECK(alias.host == (x.kind == scatter ? buffer::input : buffer::output));
            CHECK(alias.guest == (x.kind == scatter ? buffer::output : buffer::input));
            const bool own_block = x.kind == scatter || x.kind == gather || x.kind == allgather;
            CHECK(alias.offset == (own_block ? c.layout().displ(r) : 0));
        }
    }
}

TEST_CASE("contract: results of no bytes are left out, results of one byte are not") {
    for (const bytes_t size : {0, 1}) {
        contract c{.collective = collective::allgather, .ranks = 2, .blocks = block_layout(size)};
        CHECK(results(c, 0).size() == (size > 0 ? 2 : 0));
        c = {.collective = collective::alltoall, .ranks = 2, .blocks = block_matrix(size)};
        CHECK(results(c, 0).size() == (size > 0 ? 2 : 0));
        c = {.collective = collective::broadcast, .ranks = 2, .bytes = size};
        CHECK(results(c, 0).size() == (size > 0 ? 1 : 0));
    }
}

TEST_CASE("contract: a buffer reaches to its own end or to that of the buffer in it") {
    const contract g = blocks(collective::allgather);  // rank 0 has 2 bytes, at 5 of the output of 7 bytes
    const detail::buffer_alias none{}, in_place = g.alias(0, binding::in_place);
    CHECK(g.reach(0, buffer::input, none) == 2);
    CHECK(g.reach(0, buffer::output, none) == 7);
    CHECK(g.reach(0, buffer::output, in_place) == 7);
    CHECK(g.reach(0, buffer::input, in_place) == 2);
    const contract r = blocks(collective::reduce_scatter);  // 7 bytes in, rank 2 has 3 bytes out
    CHECK(r.reach(2, buffer::output, none) == 3);
    CHECK(r.reach(2, buffer::output, r.alias(2, binding::in_place)) == 7);
    CHECK(r.reach(2, buffer::output, {buffer::output, buffer::input, 4}) == 11);
    CHECK(r.reach(2, buffer::input, {buffer::output, buffer::input, 4}) == 7);
}

TEST_CASE("contract: by default a barrier of one rank, without blocks and bytes") {
    constexpr contract c{};
    static_assert(c.collective == collective::barrier && c.ranks == 1 && c.root == 0 && c.bytes == 0);
    static_assert(c.element == 1 && !c.commutative && c.layout() == block_layout(0) && c.matrix() == block_matrix(0));
    constexpr contract::result_range range{};
    static_assert(range.where == byte_range{0, 0} && range.first == 0 && range.last == 0 && range.at == 0);
    static_assert(contract::lower_bounds{} == contract::lower_bounds{0, 0});
    static_assert(location{} == location{buffer::input, 0});
    constexpr detail::buffer_alias alias{};
    static_assert(alias.host == buffer::input && alias.guest == buffer::input && alias.offset == 0 && !alias.any());
}

TEST_CASE("contract: names and kinds of collectives") {
    CHECK(std::string(name_of(collective::broadcast)) == "broadcast");
    CHECK(std::string(name_of(collective::reduce_scatter)) == "reduce_scatter");
    CHECK(std::string(name_of(collective::barrier)) == "barrier");
    static_assert(is_rooted(collective::gather) && !is_rooted(collective::allgather));
    static_assert(moves_blocks(collective::allgather) && !moves_blocks(collective::allreduce));
    static_assert(!moves_blocks(collective::alltoall) && !moves_blocks(collective::neighbor_allgather));
    CHECK(std::string(name_of(collective::neighbor_alltoall)) == "neighbor_alltoall");
    static_assert(has_neighbors(collective::neighbor_allgather) && !has_neighbors(collective::allgather));
    static_assert(has_blocks(collective::alltoall) && has_blocks(collective::neighbor_alltoall));
    static_assert(has_blocks(collective::scatter) && !has_blocks(collective::broadcast));
    static_assert(!is_rooted(collective::neighbor_allgather) && !reduces(collective::neighbor_allgather));
}
