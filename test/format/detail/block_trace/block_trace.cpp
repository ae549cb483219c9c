#include "collsched/format/detail/block_trace.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "collsched/schedule/detail/edge_steps.hpp"
#include "support/layouts.hpp"
#include "support/registry.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

using parts = std::vector<block_part>;

std::string label(const block_layout& blocks, rank_t ranks, const parts& carried) {
    return block_label(traced_blocks({.collective = collective::allgather, .ranks = ranks, .blocks = blocks}), carried);
}

}  // namespace

TEST_CASE("block_trace: bytes that enter `output` are named by their place in the layout") {
    for (rank_t p = 1; p <= 9; ++p)
        for (const auto& [name, blocks] : support::layouts(p))
            for (const algorithm_entry& entry : support::registered_at(p)) {
                CAPTURE(p);
                CAPTURE(name);
                CAPTURE(entry.info.name);
                const stored_schedule s = materialize(entry.make({.ranks = p, .block = blocks}));
                if (!traces_blocks(s.contract())) continue;
                const auto place = [&](rank_t block) -> bytes_t {
                    const contract& c = s.contract();
                    if (c.collective == collective::alltoall) return c.matrix().recv_displ(block / p, block % p);
                    return c.collective == collective::scatter ? 0 : c.layout().displ(block);
                };
                block_trace trace(s);
                std::size_t visited = 0;
                detail::for_each_step(s.edges(), [&](std::span<const edge> edges) {
                    trace.step(edges, [&](const edge& e, std::span<const block_part> carried) {
                        CHECK(e == s.edges()[visited++]);
                        bytes_t at = e.into_offset;
                        for (const block_part& part : carried) {
                            if (e.into == buffer::output) CHECK(at == place(part.block) + part.bytes.offset);
                            at += part.bytes.size;
                        }
                        CHECK(at == e.target().end());
                    });
                });
                CHECK(visited == s.edges().size());
            }
}

TEST_CASE("block_trace: bytes that no rank wrote, and blocks that cannot be distinguished, have no names") {
    const contract contract{.collective = collective::allgather, .ranks = 2, .blocks = 4};
    owned_array<edge> edges(1);
    edges[0] = {.src = 0, .dst = 1, .size = 4, .from = buffer::output};
    const stored_schedule s(contract, 1, {}, owned_array<bytes_t>(2), owned_array<bytes_t>(2), edges, 0);
    block_trace trace(s);
    trace.step(s.edges(), [](const edge&, std::span<const block_part> carried) { CHECK(carried.empty()); });
    CHECK(traces_blocks(contract));
    CHECK_FALSE(traces_blocks({.collective = collective::allreduce}));
}

TEST_CASE("block_trace: labels name blocks, wrap from the last to the first, and skip empty blocks") {
    const block_layout even = 4;
    CHECK(label(even, 8, {}) == "");
    CHECK(label(even, 8, {{3, {0, 4}}}) == "3");
    CHECK(label(even, 8, {{2, {0, 4}}, {3, {0, 4}}, {4, {0, 4}}}) == "2-4");
    CHECK(label(even, 8, {{0, {0, 4}}, {7, {0, 4}}, {6, {0, 4}}}) == "6-0");
    CHECK(label(even, 8, {{0, {0, 4}}, {2, {0, 4}}, {3, {0, 4}}}) == "0,2-3");
    CHECK(label(even, 2, {{0, {0, 4}}, {1, {0, 4}}}) == "0-1");
    CHECK(label(even, 8, {{3, {0, 2}}}) == "3[0,2)");
    CHECK(label(even, 8, {{3, {0, 2}}, {3, {2, 2}}}) == "3");
    CHECK(label(even, 8, {{3, {1, 3}}, {4, {0, 4}}}) == "3[1,4),4[0,4)");

    const std::vector<bytes_t> counts{2, 0, 3, 0, 0, 1};
    const block_layout uneven{std::span<const bytes_t>(counts)};
    CHECK(label(uneven, 6, {{0, {0, 2}}, {2, {0, 3}}}) == "0-2");
    CHECK(label(uneven, 6, {{2, {0, 3}}, {5, {0, 1}}}) == "2-5");
    CHECK(label(uneven, 6, {{5, {0, 1}}, {0, {0, 2}}}) == "5-0");
}

TEST_CASE("block_trace: blocks of a complete exchange are named by both ends, and rows are not joined") {
    const traced_blocks blocks({.collective = collective::alltoall, .ranks = 4, .blocks = block_matrix(2)});
    CHECK(blocks.count(7) == 2);
    CHECK(blocks.owner(7) == 1);
    const auto words = [&](const parts& carried) { return block_label(blocks, carried); };
    CHECK(words({{7, {0, 2}}}) == "1>3");
    CHECK(words({{4, {0, 2}}, {5, {0, 2}}}) == "1>0-1");
    CHECK(words({{7, {0, 2}}, {8, {0, 2}}}) == "1>3,2>0");
    CHECK(words({{3, {0, 2}}, {0, {0, 2}}}) == "0>0,0>3");
    CHECK(words({{7, {1, 1}}}) == "1>3[1,2)");
}

TEST_CASE("block_trace: whole blocks and parts have different labels") {
    const traced_blocks four({.collective = collective::allgather, .ranks = 8, .blocks = 4});
    std::vector<rank_t> whole;
    CHECK_FALSE(whole_blocks(four, parts{{1, {0, 4}}, {0, {0, 2}}}, whole));
    CHECK(whole == std::vector<rank_t>{1});
    CHECK(whole_blocks(four, parts{{2, {0, 4}}, {1, {2, 2}}, {1, {0, 2}}}, whole));
    CHECK(whole == std::vector<rank_t>{1, 2});
}
