#include "collsched/format/pictures/detail/svg_layout.hpp"

#include <doctest/doctest.h>

#include "support/registry.hpp"

using namespace collsched;
using namespace collsched::detail;

TEST_CASE("svg_layout: columns follow each other with room for cards and arrows, inside the picture") {
    for (const rank_t p : {1, 2, 3, 5, 8, 16, 31, 64, 100})
        for (const algorithm_entry& entry : support::registered_at(p)) {
            CAPTURE(entry.info.name);
            CAPTURE(p);
            const stored_schedule s = materialize(entry.make({.ranks = p, .block = 1}));
            const svg_layout at = lay_out(s, trace_messages(s), 5);
            CHECK(std::ssize(at.columns) == s.steps() + 1);
            CHECK(at.left > 0);
            for (step_t k = 0; k < s.steps(); ++k) {
                CHECK(at.ring(k) > at.x(k) + at.card);
                CHECK(at.tail(k) > at.ring(k));
                CHECK(at.head(k) > at.tail(k));
                CHECK(at.head(k) < at.x(k + 1));
            }
            CHECK(at.right() + 20 < at.width);
            CHECK(at.y(0) > at.top);
            CHECK(at.y(p - 1) < at.height);
            CHECK(at.labels == (p <= 32));
        }
}

TEST_CASE("svg_layout: at 16 ranks a picture fits a screen, and a label its card") {
    for (const algorithm_entry& entry : compiled::registry()) {
        const stored_schedule s = materialize(entry.make({.ranks = 16, .block = 1}));
        const svg_layout at = lay_out(s, trace_messages(s), 5);
        // More steps than ranks take their room.
        CHECK(at.width <= (s.steps() < 16 ? 1360 : 80 * (s.steps() + 3)));
        CHECK(at.height <= 800);
        CHECK(at.card >= 5 * 6);
        CHECK(at.row >= 30);
    }
}
