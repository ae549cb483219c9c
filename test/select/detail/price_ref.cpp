#include "collsched/select/detail/price_ref.hpp"

#include <doctest/doctest.h>

#include "support/archetypes.hpp"

using namespace collsched;
using collsched::detail::price_ref;

namespace {

struct bounded_price {
    picoseconds operator()(const any_schedule& s, picoseconds limit) const { return s.ranks < limit ? s.ranks : limit; }
    picoseconds bound(const any_schedule& s) const { return s.ranks - 1; }
};

}  // namespace

TEST_CASE("price_ref: functions with and without a limit and a bound") {
    const any_schedule s(support::flat_broadcast{.ranks = 5, .bytes = 1});
    const bounded_price bounded;
    CHECK(price_ref(bounded)(s, 9) == 5);
    CHECK(price_ref(bounded)(s, 3) == 3);
    CHECK(price_ref(bounded).bound(s) == 4);
    const auto plain = [](const any_schedule& of) { return 2 * of.ranks; };
    CHECK(price_ref(plain)(s, 3) == 10);
    CHECK(price_ref(plain).bound(s) == 0);
}
