#include "collsched/collective/gather/linear.hpp"

#include <doctest/doctest.h>

#include "collsched/verify/verify.hpp"
#include "support/busy_steps.hpp"
#include "support/layouts.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<gather::linear>());
static_assert(proved<verify(gather::linear{.ranks = 9, .root = 4, .block = 3})>);

TEST_CASE("gather::linear: one rank sends per step, in ascending relative rank, without ranks of empty blocks") {
    for (rank_t p = 1; p <= 20; ++p)
        for (rank_t root = 0; root < p; ++root)
            for (const auto& [name, layout] : support::layouts(p)) {
                INFO(p, " ", root, " ", name);
                const gather::linear g{.ranks = p, .root = root, .block = layout};
                REQUIRE(support::verified(g).ok());
                step_t step = 0;
                const stored_schedule s = materialize(g);
                for (rank_t i = 1; i < p; ++i) {
                    const rank_t r = (root + i) % p;
                    if (layout.count(r) == 0) continue;
                    s.sends(r, step, [&](const edge& e) {
                        CHECK(e.dst == root);
                        CHECK(e.into_offset == layout.displ(r));
                        CHECK(e.size == layout.count(r));
                        ++step;
                    });
                }
                const metrics_report m = support::measured(g);
                CHECK(m.rounds == step);
                CHECK(m.messages == step);
                CHECK(m.connections[root] == step);
                CHECK(m.scratch[root] == 0);
                CHECK(m.copied_bytes[root] == layout.count(root));
            }
}

TEST_CASE("gather::linear: pacing is by steps") {
    CHECK(lower(gather::linear{.ranks = 3, .block = 1}).pacing() == pacing{1});
}

TEST_CASE("gather::linear: totals beyond 2^32 bytes plan exactly") {
    const gather::linear g{.ranks = 2048, .root = 2047, .block = bytes_t{2} << 20};
    bytes_t last = 0;
    for (const edge& e : program(g, 2046)) last = e.into_offset;
    CHECK(last == 2046 * (bytes_t{2} << 20));
}

TEST_CASE("gather::linear: a rank is busy from its first message to its last") {
    for (rank_t p = 1; p <= 20; ++p)
        for (rank_t root = 0; root < p; ++root) {
            CAPTURE(p);
            CAPTURE(root);
            CHECK(support::busy_in_used_steps(lower(gather::linear{.ranks = p, .root = root, .block = 3})));
            for (const auto& [name, layout] : support::layouts(p)) {
                const gather::linear g{.ranks = p, .root = root, .block = layout};
                const auto& s = lower(g);
                for (rank_t r = 0; r < p; ++r)
                    if (r != root) CHECK(support::busy_in_used_steps(s, r));
            }
        }
}
