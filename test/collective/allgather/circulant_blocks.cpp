#include "collsched/collective/allgather/circulant_blocks.hpp"

#include <doctest/doctest.h>

#include <map>
#include <vector>

#include "collsched/collective/broadcast/circulant.hpp"
#include "collsched/core/bits.hpp"
#include "support/block_counts.hpp"
#include "support/brief.hpp"
#include "support/layouts.hpp"
#include "support/oracle.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"
#include "support/verified.hpp"

using namespace collsched;
using allgather::circulant_blocks;

static_assert(support::has_parameters<allgather::circulant_blocks>());
static_assert(support::proved_up_to_17<circulant_blocks>::value);

namespace {

template <class>
struct proved_in_pieces;
template <rank_t... I>
struct proved_in_pieces<std::integer_sequence<rank_t, I...>> {
    static constexpr bool value =
        (proved<verify(circulant_blocks{.ranks = I + 1, .block = 6, .element = 2, .segment = 2})> && ...);
};

}  // namespace

static_assert(proved_in_pieces<std::make_integer_sequence<rank_t, 8>>::value);

TEST_CASE(
    "allgather::circulant_blocks: S-1+q rounds of one message per rank, which receives all other blocks, for every p") {
    for (rank_t p = 1; p <= support::most(130); ++p)
        for (const rank_t pieces : {1, 2, 3, 5, 8, 13}) {
            if (p > 24 && (p + pieces) % 13 != 0) continue;
            CAPTURE(p);
            CAPTURE(pieces);
            const metrics_report m =
                support::measured(circulant_blocks{.ranks = p, .block = 40, .segment = 40 / pieces});
            const rank_t cut = detail::piece_count(40, 40 / pieces);
            CHECK(m.rounds == (p == 1 ? 0 : cut - 1 + ceil_log2(p)));
            CHECK(m.messages == p * m.rounds);
            for (rank_t r = 0; r < p; ++r) {
                CHECK(m.bytes_received[r] == 40 * (p - 1));
                CHECK(m.bytes_sent[r] == 40 * (p - 1));
                CHECK(m.connections[r] <= 2 * ceil_log2(p));
            }
        }
}

TEST_CASE("allgather::circulant_blocks: one piece has the messages of allgather::circulant, of at most four edges") {
    for (rank_t p = 1; p <= support::most(300); ++p) {
        CAPTURE(p);
        const metrics_report m = support::measured(circulant_blocks{.ranks = p, .block = 8});
        CHECK(m.rounds == ceil_log2(p));
        CHECK(m.messages == p * ceil_log2(p));
        CHECK(m.transfers <= 4 * m.messages);
        for (rank_t r = 0; r < p; ++r) CHECK(m.bytes_received[r] == 8 * (p - 1));
    }
}

TEST_CASE(
    "allgather::circulant_blocks: verified for p up to 64, all layouts, in several pieces, separate and in place") {
    for (rank_t p = 1; p <= support::most(64); ++p)
        for (const auto& [name, blocks] : support::layouts(p)) {
            if (p > 20 && p % 9 != 0) continue;
            const bytes_t segment = blocks.extent(p) > 4000 ? 700 : 3;
            CAPTURE(p);
            CAPTURE(name);
            CHECK(support::verified(circulant_blocks{.ranks = p, .block = blocks}).ok());
            CHECK(
                support::verified(circulant_blocks{.ranks = p, .block = blocks, .segment = segment}, binding::in_place)
                    .ok());
        }
    for (rank_t p = 21; p <= support::most(64); ++p) {
        CAPTURE(p);
        CHECK(support::verified(circulant_blocks{.ranks = p, .block = 9, .segment = 3}).ok());
    }
}

TEST_CASE("allgather::circulant_blocks: verified for every p at which an iterative form of the search fails") {
    for (const rank_t p : {33, 65, 66, 67, 69, 73, 81, 129}) {
        CAPTURE(p);
        CHECK(support::verified(circulant_blocks{.ranks = p, .block = 4, .segment = 1}).ok());
    }
}

TEST_CASE("allgather::circulant_blocks: correct by the oracle") {
    for (const rank_t p : {1, 2, 3, 5, 6, 9})
        for (const auto& [name, blocks] : support::layouts(p, 3)) {
            if (blocks.extent(p) > 1000) continue;
            CAPTURE(name);
            for (const binding how : {binding::separate, binding::in_place})
                CHECK(support::replays(circulant_blocks{.ranks = p, .block = blocks, .segment = 2}, how));
        }
}

TEST_CASE(
    "allgather::circulant_blocks: a message has at most m/S bytes and one element per block, for irregular counts") {
    for (const rank_t p : {2, 7, 16, 33, 50})
        for (const bytes_t element : {1, 4})
            for (const auto& [name, blocks] : support::layouts(p, 8 * element)) {
                bytes_t most = 0;
                for (rank_t i = 0; i < p; ++i) most = std::max(most, blocks.count(i));
                const bytes_t segment = std::max(element, most / 8 / element * element);
                const circulant_blocks x{.ranks = p, .block = blocks, .element = element, .segment = segment};
                if (check(x)) continue;
                CAPTURE(p);
                CAPTURE(name);
                const rank_t pieces = detail::piece_count(most, segment);
                std::map<std::pair<step_t, rank_t>, bytes_t> messages;
                std::vector<bytes_t> received(static_cast<std::size_t>(p));
                bool whole = true;
                for (const edge& e : edges(x)) {
                    if (e.is_local()) continue;
                    messages[{e.step, e.src}] += e.size;
                    received[static_cast<std::size_t>(e.dst)] += e.size;
                    whole = whole && e.size % element == 0;
                }
                CHECK(whole);
                for (const auto& [message, size] : messages) CHECK(size < blocks.prefix(p) / pieces + p * element + 1);
                for (rank_t r = 0; r < p; ++r)
                    CHECK(received[static_cast<std::size_t>(r)] == blocks.prefix(p) - blocks.count(r));
                if (most > 0) CHECK(support::measured(x).rounds == pieces - 1 + ceil_log2(p));
            }
}

TEST_CASE("allgather::circulant_blocks: one block among empty ones is broadcast as by broadcast::circulant") {
    for (const rank_t p : {2, 9, 33})
        for (rank_t root = 0; root < p; root += 3) {
            std::vector<bytes_t> counts(static_cast<std::size_t>(p));
            counts[static_cast<std::size_t>(root)] = 70;
            CHECK(support::same_edges(circulant_blocks{.ranks = p, .block = block_layout(counts), .segment = 10},
                                      broadcast::circulant{.ranks = p, .root = root, .bytes = 70, .segment = 10}));
        }
}

TEST_CASE("allgather::circulant_blocks: elements divide every block, and every parameter changes the fingerprint") {
    const std::vector<bytes_t> counts{8, 12, 6};
    CHECK(!check(circulant_blocks{.ranks = 3, .block = block_layout(counts), .element = 2, .segment = 4}));
    CHECK(check(circulant_blocks{.ranks = 3, .block = block_layout(counts), .element = 4, .segment = 4}).value == 4);
    CHECK(check(circulant_blocks{.ranks = 3, .block = block_layout::partition(10, 3), .element = 2}).value == 2);
    CHECK(check(circulant_blocks{.ranks = 3, .block = 8, .element = 4, .segment = 6}).value == 6);
    CHECK(check(circulant_blocks{.ranks = 3, .block = -8}).value == -8);
    CHECK(check(circulant_blocks{.ranks = 0, .block = 8}).value == 0);
    CHECK(check(circulant_blocks{.ranks = 3, .block = INT64_MAX / 3, .segment = 1}));
    CHECK(fingerprint(circulant_blocks{.ranks = 3, .block = 8}) !=
          fingerprint(circulant_blocks{.ranks = 3, .block = 8, .segment = 4}));
}

TEST_CASE("allgather::circulant_blocks: one rank of very many gets every block once, in O(p log p) time") {
    const rank_t p = 100003, r = p / 7;
    rank_t held = 0;
    std::int64_t transfers = 0;
    for (const edge& e : program(circulant_blocks{.ranks = p, .block = 1}, r)) {
        if (e.dst != r) continue;
        held += e.size;
        ++transfers;
    }
    CHECK(held == p);
    CHECK(transfers <= 3 * ceil_log2(p) + 1);
}
