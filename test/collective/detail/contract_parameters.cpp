#include "collsched/collective/detail/contract_parameters.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/barrier/recursive_doubling.hpp"
#include "collsched/collective/broadcast/circulant.hpp"
#include "collsched/collective/reduce_scatter/butterfly.hpp"

using namespace collsched;

TEST_CASE("contract_parameters: ranks, root, blocks or bytes, and element, as far as an algorithm has them") {
    const auto names = [](const auto& a) {
        std::string all;
        const auto add = [&](const char* name, const auto&) { all += name, all += ' '; };
        detail::contract_parameters(a, add);
        return all;
    };
    CHECK(names(allgather::ring{}) == "ranks block ");
    CHECK(names(barrier::recursive_doubling{}) == "ranks ");
    CHECK(names(broadcast::circulant{}) == "ranks root bytes element ");
    CHECK(names(reduce_scatter::butterfly{}) == "ranks block element ");
}
