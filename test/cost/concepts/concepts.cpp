#include "collsched/cost/concepts.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "collsched/cost/lob.hpp"
#include "collsched/cost/loggp.hpp"

using namespace collsched;

namespace {

struct half_a_model {
    constexpr checked sending(rank_t, rank_t, bytes_t, bool) const { return 0; }
    constexpr argument_error check() const { return {}; }
};

}  // namespace

static_assert(message_cost<loggp_model> && message_cost<lob_model> && !message_cost<half_a_model>);

TEST_CASE("cost model concepts: a model for a number of ranks is none for others") {
    const lob_model two(std::vector<std::int64_t>{1, 1}, std::vector<std::int64_t>(4), std::vector<std::int64_t>(4));
    CHECK(!detail::check_model(two, 2));
    CHECK(detail::check_model(two, 3) == argument_error{"ranks", 3, "as many ranks as the model has"});
    CHECK(!detail::check_model(loggp_model{}, 3));
    CHECK(detail::check_model(loggp_model{.latency_ps = -1}, 3).value == -1);
}
