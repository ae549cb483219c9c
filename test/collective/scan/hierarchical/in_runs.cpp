#include "collsched/collective/scan/hierarchical.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <set>
#include <string>

#include "collsched/collective/exscan/recursive_doubling.hpp"
#include "collsched/collective/scan/along_chain.hpp"
#include "collsched/collective/scan/recursive_doubling.hpp"
#include "collsched/schedule/any_schedule.hpp"
#include "collsched/tree/chain.hpp"
#include "support/hierarchies.hpp"
#include "support/parameters.hpp"
#include "support/prefixes.hpp"

using namespace collsched;

namespace {

/// Checks this placement in both bindings with messages of all kinds.
template <class Scan>
void check_on(rank_t p, const topology::placement& where) {
    for (const auto& [bytes, element] : {support::message_size{0, 1}, {5, 1}, {6, 3}, {24, 24}})
        support::check_prefixes(Scan{.ranks = p, .bytes = bytes, .element = element, .placement = where}, bytes);
}

using flat = broadcast::over_tree<trees::flat>;

}  // namespace

static_assert(support::has_parameters<scan::detail::in_runs<scan::linear, exscan::doubling_123>>());

TEST_CASE("in_runs: correct over any inner scan or exscan, exscan among runs and broadcast, for any placement") {
    support::for_each_placement(32, [](rank_t p, const support::named_placement& on) {
        INFO(on.name, " p=", p);
        check_on<scan::detail::in_runs<scan::linear, exscan::recursive_doubling>>(p, on.where);
        check_on<scan::detail::in_runs<scan::pipelined, exscan::doubling_123, flat>>(p, on.where);
        check_on<scan::detail::in_runs<exscan::linear, exscan::linear>>(p, on.where);
        check_on<scan::detail::in_runs<exscan::doubling_123, exscan::recursive_doubling, flat>>(p, on.where);
    });
}

TEST_CASE("in_runs: a scan or an exscan, as its inner one") {
    CHECK(scan::detail::in_runs<scan::linear, exscan::linear>::info.collective == collective::scan);
    CHECK(scan::detail::in_runs<exscan::linear, exscan::linear>::info.collective == collective::exscan);
    using x = scan::detail::in_runs<exscan::linear, exscan::linear>;
    support::check_placement_errors(x{.bytes = 8});
    CHECK(check(x{.ranks = 3, .bytes = -1}).argument == std::string("bytes"));
    CHECK(check(x{.ranks = 3, .bytes = bytes_t{1} << 61}).argument == std::string("bytes"));
    CHECK(check(x{.ranks = 3, .bytes = bytes_t{1} << 61}).expected == std::string("less than 2^61 bytes"));
    CHECK(!check(x{.ranks = 3, .bytes = (bytes_t{1} << 61) - 1}));
    CHECK(check(x{.ranks = 3, .bytes = 8, .element = 3}).argument == std::string("element"));
}

TEST_CASE("in_runs: every step has a message or a local edge") {
    const auto idle_steps = [](const auto& x) {
        std::set<step_t> used;
        for (const edge& e : edges(x)) used.insert(e.step);
        return lower(x).steps() - std::ssize(used);
    };
    support::for_each_placement(9, [&](rank_t p, const support::named_placement& on) {
        INFO(on.name, " p=", p);
        CHECK(idle_steps(scan::detail::in_runs<exscan::linear, exscan::linear>{
                  .ranks = p, .bytes = 8, .placement = on.where}) == 0);
        CHECK(idle_steps(scan::detail::in_runs<scan::linear, exscan::doubling_123>{
                  .ranks = p, .bytes = 8, .placement = on.where}) == 0);
    });
}
