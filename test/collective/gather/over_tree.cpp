#include "collsched/collective/gather/over_tree.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "collsched/collective/gather/linear.hpp"
#include "collsched/combine/reverse.hpp"
#include "collsched/core/bits.hpp"
#include "collsched/tree.hpp"
#include "collsched/verify/verify.hpp"
#include "support/busy_steps.hpp"
#include "support/layouts.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

namespace {

using instant = gather::over_tree<trees::binomial, gather::root_receive::instant>;
using chained = gather::over_tree<trees::binomial, gather::root_receive::chained>;

/// Bytes of the blocks of relative ranks first .. first + count - 1.
bytes_t bytes_of(const block_layout& layout, rank_t p, rank_t root, rank_t first, rank_t count) {
    bytes_t sum = 0;
    for (rank_t rr = first; rr < first + count; ++rr) sum += layout.count((rr + root) % p);
    return sum;
}

}  // namespace

static_assert(support::has_parameters<gather::over_tree<trees::chain>>({{"radix", 1}}));
static_assert(support::has_parameters<gather::over_tree<trees::binomial>>());
static_assert(proved<verify(instant{.ranks = 17, .root = 3, .block = 2})>);
static_assert(proved<verify(chained{.ranks = 17, .root = 3, .block = 2})>);

TEST_CASE("gather::over_tree: scratch follows the exact rule for every rank") {
    for (rank_t n = 1; n <= 40; ++n)
        for (rank_t root = 0; root < n; root += 7)
            for (const auto& [name, layout] : support::layouts(n)) {
                INFO(n, " ", root, " ", name);
                const instant binomial{.ranks = n, .root = root, .block = layout};
                const chained chains{.ranks = n, .root = root, .block = layout};
                bytes_t at_root = 0, discontinuous = 0;
                for (rank_t rr = 0; rr < n; ++rr) {
                    rank_t size = 1;  // of the subtree: grown while the bit of rr is clear
                    for (rank_t mask = 1; mask < n && (rr & mask) == 0; mask <<= 1)
                        if (rr + mask < n) {
                            const rank_t child = std::min(mask, n - rr - mask);
                            size += child;
                            if (rr > 0 || child == 1) continue;
                            at_root += bytes_of(layout, n, root, mask, child);
                            gather::detail::for_each_chain(layout, n, {(mask + root) % n, child},
                                                           [&](const gather::detail::message_chain& c) {
                                                               if (c.messages > 1 && !c.continuous)
                                                                   discontinuous += c.bytes;
                                                           });
                        }
                    if (rr == 0) continue;
                    const bytes_t expected = size == 1 ? 0 : bytes_of(layout, n, root, rr, size);
                    CHECK(lower(binomial).scratch((rr + root) % n) == expected);
                    CHECK(lower(chains).scratch((rr + root) % n) == expected);
                }
                CHECK(lower(binomial).scratch(root) == at_root);
                CHECK(lower(chains).scratch(root) == discontinuous);
            }
}

TEST_CASE("gather::over_tree: an edge over distance 2^j has step j, and the root copies one step after it received") {
    for (rank_t n = 2; n <= 70; ++n) {
        const stored_schedule s = materialize(instant{.ranks = n, .root = n / 3, .block = 4});
        for (const edge& e : s.edges()) {
            if (e.is_local()) {
                if (e.from == buffer::scratch) CHECK(e.src == n / 3);
                else CHECK(e.step == 0);
            } else {
                CHECK((e.src - e.dst + n) % n == rank_t{1} << e.step);
            }
        }
        const metrics_report m = support::measured(s);
        CHECK(m.rounds == ceil_log2(n));
        CHECK(m.connections[n / 3] == ceil_log2(n));
        CHECK(m.messages == n - 1);
        CHECK(m.steps == m.rounds + (n == 2 || is_power_of_two(n - 1) ? 0 : 1));
    }
}

TEST_CASE(
    "gather::over_tree: a continuous layout needs only the copy of the root's block, and no scratch at the root") {
    for (rank_t n = 1; n <= 64; ++n) {
        const metrics_report m = support::measured(chained{.ranks = n, .root = 0, .block = 24});
        CHECK(m.copied_bytes[0] == 24);
        CHECK(m.copies[0] == 1);
        CHECK(m.scratch[0] == 0);
        CHECK(m.transfers == n - 1);
    }
}

TEST_CASE(
    "gather::over_tree: a reversed layout is one discontinuous chain per child, one receive and one copy per message") {
    const rank_t n = 16;
    std::vector<bytes_t> counts(n, 8), displs(n);
    for (rank_t i = 0; i < n; ++i) displs[static_cast<std::size_t>(i)] = (n - 1 - i) * 8;
    const metrics_report m = support::measured(chained{.ranks = n, .root = 0, .block = block_layout(counts, displs)});
    CHECK(m.transfers == n - 1);
    CHECK(m.copies[0] == 1 + (2 + 4 + 8));
    CHECK(m.scratch[0] == (2 + 4 + 8) * 8);
}

TEST_CASE("gather::over_tree: correct over every tree with contiguous subtrees, for any root") {
    for (rank_t p = 1; p <= 30; ++p)
        for (const auto& [name, layout] : support::layouts(p))
            for (const std::int64_t radix : {2, 3, 5})
                CHECK(support::verified(gather::over_tree<trees::k_nomial>{
                                            .ranks = p, .root = p / 2, .block = layout, .tree = {.radix = radix}})
                          .ok());
    CHECK(check(gather::over_tree<trees::k_nomial>{.ranks = 4, .block = 1, .tree = {.radix = 1}}).value == 1);
}

TEST_CASE("gather::over_tree: subtrees that wrap around p, and totals beyond 2^31 and 2^32, plan exactly") {
    const bytes_t huge = bytes_t{3} << 30;
    const instant g{.ranks = 8, .root = 5, .block = huge};
    CHECK(support::verified(g).ok());
    CHECK(lower(g).scratch(1) == 4 * huge);  // relative rank 4: ranks 1, 2, 3, 4
    CHECK(lower(g).scratch(5) == 6 * huge);
    const chained c{.ranks = 8, .root = 5, .block = huge};
    CHECK(support::verified(c).ok());
}

TEST_CASE("gather::over_tree: a rank is busy from its first message to its last") {
    for (rank_t p = 1; p <= 20; ++p)
        for (rank_t root = 0; root < p; ++root) {
            CAPTURE(p);
            CAPTURE(root);
            CHECK(support::busy_in_used_steps(
                lower(gather::over_tree<trees::k_nomial>{.ranks = p, .root = root, .block = 3, .tree = {.radix = 3}})));
        }
}
