#include "collsched/cost/loggp.hpp"

#include <doctest/doctest.h>

#include "collsched/cost/concepts.hpp"

using namespace collsched;

static_assert(message_cost<hockney_model>);
static_assert(hockney_model{.alpha_ps = 1000, .beta_fs = 8000}.message(10).value() == 1080);

TEST_CASE("hockney: costs alpha + m beta, and is checked") {
    const hockney_model m{.alpha_ps = 5, .beta_fs = 1'500};
    CHECK(m.message(0).value() == 5);
    CHECK(m.message(3).value() == 9);  // floor(4.5) ps
    CHECK(m.sending(0, 1, 3, true).value() == 9);
    CHECK(!hockney_model{.beta_fs = INT64_MAX}.message(2000).ok());
    CHECK(hockney_model{.alpha_ps = -1}.check().value == -1);
    CHECK(hockney_model{.beta_fs = -2}.check().value == -2);
    CHECK(!m.check());
    CHECK(hockney_model{} == hockney_model{.alpha_ps = 0, .beta_fs = 0});
    CHECK(!hockney_model{}.check());  // 0 is in both ranges
}

TEST_CASE("hockney_model: only sending costs time") {
    constexpr hockney_model m{.alpha_ps = 5, .beta_fs = 1'500};
    static_assert(m.connection(true).value() == 0 && m.connection(false).value() == 0);
    static_assert(m.stream(1000).value() == 0 && m.gap().value() == 0 && m.flight(0, 1).value() == 0);
    static_assert(m.receiving(0, 1, true).value() == 0 && m.receiving(0, 1, false).value() == 0);
    static_assert(m.copy(1000).value() == 0 && m.combine(1000).value() == 0);
}
