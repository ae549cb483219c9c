#include "collsched/collective/allreduce/interval_halving.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "collsched/core/bits.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;
using allreduce::detail::interval_exchange;

static_assert(support::has_parameters<interval_exchange>({{"radix", 2}}));
static_assert(edge_algorithm<interval_exchange> && !interval_exchange::info.commutative);

namespace {

/// Returns the sum of 2^g - 1 over the exchanges, and the number of steps: g levels take g-1 steps of local
/// edges, and the first step has no messages.
std::pair<step_t, step_t> rounds_and_steps(rank_t p, std::int64_t radix) {
    step_t rounds = 0, steps = 1, most = 1, exchanges = 1;
    while ((std::int64_t{2} << most) <= radix) ++most;
    while (exchanges * most < ceil_log2(p)) ++exchanges;
    for (step_t left = ceil_log2(p); exchanges > 0; --exchanges) {
        const step_t levels = (left + exchanges - 1) / exchanges, all = (step_t{1} << levels) - 1;
        if (levels == 0) break;
        rounds += all, steps += all + levels - 1, left -= levels;
    }
    return {rounds, steps};
}

}  // namespace

TEST_CASE("interval_exchange: 2^g - 1 rounds for g levels, and m (p-1)/p bytes sent, for every p") {
    for (const std::int64_t radix : {2, 3, 4, 8, 16, 100})
        for (rank_t p = 1; p <= support::most(130); ++p) {
            CAPTURE(radix);
            CAPTURE(p);
            const metrics_report m =
                support::measured(interval_exchange{.ranks = p, .bytes = 8 * p, .element = 8, .radix = radix});
            CHECK(m.rounds == rounds_and_steps(p, radix).first);
            CHECK(m.steps == rounds_and_steps(p, radix).second);
            CHECK(m.max_in_degree <= (is_power_of_two(p) ? 1 : 2));
            for (rank_t v = 0; v < p; ++v) {
                CHECK(m.bytes_sent[v] == 8 * (p - 1));
                if (is_power_of_two(p)) CHECK(m.bytes_received[v] == 8 * (p - 1));
                CHECK(m.bytes_received[v] <= 16 * (p - 1));
            }
        }
}

TEST_CASE("interval_exchange: levels are divided evenly, ranks up to the radix have one exchange") {
    const auto rounds = [](rank_t p, std::int64_t radix) {
        return support::measured(interval_exchange{.ranks = p, .bytes = p, .radix = radix}).rounds;
    };
    CHECK(rounds(16, 8) == 3 + 3);
    CHECK(rounds(128, 8) == 7 + 3 + 3);
    CHECK(rounds(128, 7) == 3 + 3 + 3 + 1);
    CHECK(rounds(16, 16) == 15);
    CHECK(rounds(16, 1000) == 15);
}

TEST_CASE(
    "interval_exchange: scratch of m (1/2 - 1/k) bytes for powers of two, less than m else, and no less than used") {
    for (const std::int64_t radix : {2, 4, 8, 16, 32})
        for (rank_t p = 1; p <= support::most(130); ++p) {
            CAPTURE(radix);
            CAPTURE(p);
            const interval_exchange x{.ranks = p, .bytes = 100 * p, .radix = radix};
            bytes_t used = 0;
            for (const edge& e : edges(x))
                if (e.into == buffer::scratch && e.target().end() > used) used = e.target().end();
            const bytes_t stated = lower(x).scratch(0);
            CHECK(used <= stated);
            if (radix == 2) CHECK(stated == 0);
            if (p == radix || p == radix * radix) CHECK(stated == 100 * (p / 2 - p / radix));
            if (p == radix || p == radix * radix) CHECK(used == stated);
            CHECK(stated < 100 * (p + radix * radix / 2));
        }
}

TEST_CASE("interval_exchange: wrong parameters are reported") {
    CHECK(std::string(check(interval_exchange{.ranks = 4, .bytes = 8, .radix = 1}).text().c_str()) ==
          "radix: got 1, expected 2 or more");
    CHECK(check(interval_exchange{.ranks = 4, .bytes = 8, .element = 3}).argument == std::string("element"));
    constexpr rank_t limit = rank_t{1} << 61;
    CHECK(std::string(check(interval_exchange{.ranks = limit, .bytes = 8}).text().c_str()) ==
          "ranks: got 2305843009213693952, expected less than 2^61");
    CHECK(!check(interval_exchange{.ranks = limit - 1, .bytes = 8}));
    CHECK(check(interval_exchange{.ranks = 100, .bytes = INT64_MAX, .element = INT64_MAX, .radix = 16}).argument ==
          std::string("bytes"));
    CHECK(!check(interval_exchange{.ranks = 4, .bytes = INT64_MAX, .radix = 4}));
    CHECK(check(interval_exchange{.ranks = 100, .bytes = INT64_MAX, .element = INT64_MAX, .radix = 16}).expected ==
          std::string("scratch of less than 2^63 bytes"));
}
