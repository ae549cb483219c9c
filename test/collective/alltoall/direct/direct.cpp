#include "collsched/collective/alltoall/direct.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/brief.hpp"
#include "support/layouts.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

namespace {

template <class Algorithm>
void check_formulas() {
    for (rank_t p = 1; p <= support::most(40); ++p) {
        CAPTURE(p);
        const metrics_report m = support::measured(Algorithm{.ranks = p, .block = 8});
        CHECK(m.rounds == p - 1);
        CHECK(m.steps == (p == 1 ? 1 : p - 1));
        CHECK(m.messages == p * (p - 1));
        CHECK(m.transfers == m.messages);
        CHECK(m.max_in_degree == (p == 1 ? 0 : 1));
        CHECK(m.max_out_degree == (p == 1 ? 0 : 1));
        for (rank_t r = 0; r < p; ++r) {
            CHECK(m.bytes_sent[r] == 8 * (p - 1));
            CHECK(m.bytes_received[r] == m.bounds.bytes);
            CHECK(m.copied_bytes[r] == 8);
            CHECK(m.connections[r] == p - 1);
            CHECK(m.scratch[r] == 0);
        }
    }
}

}  // namespace

static_assert(support::has_parameters<alltoall::linear>());

TEST_CASE("direct: rounds, messages and bytes equal their formulas") {
    check_formulas<alltoall::linear>();
    check_formulas<alltoall::pairwise>();
    check_formulas<alltoall::ring>();
}

TEST_CASE("direct: empty blocks make no edges, and a hot receiver receives exactly its blocks") {
    for (const auto& [name, blocks] : support::matrices(9)) {
        CAPTURE(name);
        const metrics_report m = support::measured(alltoall::ring{.ranks = 9, .block = blocks});
        std::int64_t filled = 0;
        bytes_t most = 0;
        for (rank_t i = 0; i < 9; ++i) {
            for (rank_t j = 0; j < 9; ++j) filled += i != j && blocks.count(i, j) > 0 ? 1 : 0;
            CHECK(m.bytes_sent[i] == blocks.sent(i, 9) - blocks.count(i, i));
            CHECK(m.bytes_received[i] == blocks.received(i, 9) - blocks.count(i, i));
            for (const bytes_t bytes : {m.bytes_sent[i], m.bytes_received[i]}) most = bytes > most ? bytes : most;
        }
        CHECK(m.messages == filled);
        CHECK(m.bounds.bytes == most);
    }
}

TEST_CASE("direct: the caller chooses the window") {
    CHECK(lower(alltoall::linear{.ranks = 4, .block = 1}).pacing() == pacing{0});
    CHECK(lower(alltoall::ring{.ranks = 4, .block = 1}).pacing() == pacing{1});
    CHECK(lower(alltoall::linear{.ranks = 4, .block = 1, .window = 3}).pacing() == pacing{3});
    CHECK(std::string(check(alltoall::linear{.ranks = 4, .block = 1, .window = -1}).argument) == "window");
    CHECK(fingerprint(alltoall::linear{.ranks = 4, .block = 1}) !=
          fingerprint(alltoall::linear{.ranks = 4, .block = 1, .window = 2}));
}
