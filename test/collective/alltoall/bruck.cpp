#include "collsched/collective/alltoall/bruck.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/brief.hpp"
#include "support/exchange_proofs.hpp"
#include "support/layouts.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<alltoall::bruck>({{"radix", 2}}));
static_assert(support::exchange_proved<alltoall::bruck>());

TEST_CASE("alltoall::bruck: rounds, messages and volume equal their formulas, radix 2 to 8") {
    for (rank_t k = 2; k <= 8; ++k)
        for (rank_t p = 1; p <= support::most(70); ++p) {
            CAPTURE(k);
            CAPTURE(p);
            rank_t rounds = 0, hops = 0, most_hops = 0, messages = 0, kept = 0;
            for (rank_t reach = 1; reach < p; reach *= k, ++rounds)
                for (rank_t digit = 1; digit < k; ++digit) messages += digit * reach < p ? 1 : 0;
            for (rank_t distance = 1; distance < p; ++distance) {
                rank_t digits = 0;
                for (rank_t rest = distance; rest > 0; rest /= k) digits += rest % k != 0 ? 1 : 0;
                hops += digits;
                most_hops = digits > most_hops ? digits : most_hops;
                kept += digits > 2 ? 2 : digits - 1;
            }
            const metrics_report m = support::measured(alltoall::bruck{.ranks = p, .block = 8, .radix = k});
            CHECK(m.rounds == rounds);
            CHECK(m.steps == (p == 1 ? 1 : rounds));
            CHECK(m.messages == p * messages);
            CHECK(m.transfers == p * hops);
            CHECK(m.max_out_degree <= k - 1);
            CHECK(m.max_in_degree <= k - 1);
            for (rank_t r = 0; r < p; ++r) {
                CHECK(m.bytes_sent[r] == 8 * hops);
                CHECK(m.bytes_received[r] == 8 * hops);
                CHECK(m.copied_bytes[r] == 8);
                CHECK(m.scratch[r] == 8 * kept);
            }
        }
    // p a power of k: p (k-1)/k log_k p blocks
    CHECK(support::measured(alltoall::bruck{.ranks = 64, .block = 1, .radix = 2}).bytes_sent[0] == 64 * 6 / 2);
    CHECK(support::measured(alltoall::bruck{.ranks = 64, .block = 1, .radix = 4}).bytes_sent[0] == 64 * 3 * 3 / 4);
    CHECK(support::measured(alltoall::bruck{.ranks = 64, .block = 1, .radix = 8}).bytes_sent[0] == 64 * 2 * 7 / 8);
}

TEST_CASE("alltoall::bruck: verified for every matrix and radix") {
    for (rank_t p = 1; p <= 18; ++p)
        for (const auto& [name, blocks] : support::matrices(p))
            for (rank_t k = 2; k <= 9; ++k) {
                CAPTURE(p);
                CAPTURE(name);
                CAPTURE(k);
                CHECK(support::verified(alltoall::bruck{.ranks = p, .block = blocks, .radix = k}).ok());
            }
}

TEST_CASE("alltoall::bruck: scratch of 2^63 bytes or more is rejected") {
    constexpr bytes_t large = bytes_t{1} << 56;
    CHECK(check(alltoall::bruck{.ranks = 64, .block = large}).value == large);
    const alltoall::bruck just{.ranks = 64, .block = large - 1};
    CHECK_FALSE(check(just));
    CHECK(just.view().scratch(0) == 99 * (large - 1));
    CHECK(check(alltoall::bruck{.ranks = 64, .block = block_layout::partition(64 * large, 64)}).value == large);
    std::vector<bytes_t> counts(16, bytes_t{1} << 60);
    CHECK(check(alltoall::bruck{.ranks = 4, .block = block_matrix(counts)}).argument == std::string("block"));
    counts.assign(16, bytes_t{1} << 58);
    CHECK_FALSE(check(alltoall::bruck{.ranks = 4, .block = block_matrix(counts)}));
}

TEST_CASE("alltoall::bruck: a radix below 2 is rejected, and a radix of p or more takes one round") {
    CHECK(std::string(check(alltoall::bruck{.ranks = 4, .block = 1, .radix = 1}).argument) == "radix");
    const alltoall::bruck huge{.ranks = 9, .block = 1, .radix = std::int64_t{1} << 62};
    CHECK(support::verified(huge).ok());
    CHECK(support::measured(huge).rounds == 1);
    CHECK(support::measured(huge).max_out_degree == 8);
}

TEST_CASE(
    "alltoall::bruck: in place is rejected, since the first copies would overwrite bytes that are still to be sent") {
    CHECK_FALSE(support::verified(alltoall::bruck{.ranks = 4, .block = 1}, binding::in_place).ok());
}
