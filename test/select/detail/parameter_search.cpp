#include "collsched/select/detail/parameter_search.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>

#include "support/registry.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

/// A price of 1000 per step, without the defaults, and its number of calls.
struct counted_price {
    mutable int calls = 0;
    picoseconds bound_per_step = 0;

    picoseconds operator()(const any_schedule& s, picoseconds) const {
        ++calls;
        return 1000 * s.steps();
    }
    picoseconds bound(const any_schedule& s) const { return bound_per_step * s.steps(); }
};

const algorithm_entry& linear_broadcast() {
    return *std::ranges::find_if(compiled::registry(), [](const algorithm_entry& entry) {
        return entry.info.collective == collective::broadcast && entry.info.name == std::string_view("linear");
    });
}
choice::request request_of(rank_t p) {
    choice::request request{.collective = collective::broadcast, .parameters = {.ranks = p, .bytes = 64}};
    request.parameters.segment = shape::as_it_is;
    return request;
}

}  // namespace

TEST_CASE("parameter_search: a lower bound at the limit replaces the price") {
    const choice::request request = request_of(6);
    const choice::resources use;
    const any_schedule s = linear_broadcast().make(request.parameters);
    const picoseconds exact = 1000 * s.steps();
    for (const picoseconds limit : {exact - 1, exact}) {
        const counted_price price{.bound_per_step = 1000};
        const price_ref called(price);
        parameter_search search(linear_broadcast(), request, called, use);
        search.run(limit);
        CHECK((search.best().entry != nullptr) == (limit == exact));
        CHECK((price.calls > 0) == (limit == exact));
        CHECK(search.is_priced());
    }
}

TEST_CASE("parameter_search: the price of the defaults ends at the limit that is set afterwards") {
    const choice::request request = request_of(6);
    const choice::resources use;
    const counted_price price;
    const price_ref called(price);
    parameter_search search(linear_broadcast(), request, called, use);
    const picoseconds exact = search.price_default(unpriced);
    CHECK(exact == 1000 * linear_broadcast().make(request.parameters).steps());
    search.limit_default(exact + 1);
    CHECK(search.default_price() == exact);
    search.limit_default(exact - 1);
    CHECK(search.default_price() == exact - 1);
}

TEST_CASE("parameter_search: without time nothing is priced") {
    const choice::request request = request_of(6);
    const choice::resources use{.is_over = [] { return true; }};
    const counted_price price;
    const price_ref called(price);
    parameter_search search(linear_broadcast(), request, called, use);
    search.compute_bound();
    CHECK(search.probe(3, unpriced) == unpriced);
    search.run(unpriced);
    CHECK(price.calls == 0);
    CHECK(search.is_cut_short());
    CHECK(!search.is_priced());
    CHECK(!search.error());
}
