#include "collsched/simulate/contention_model.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace collsched;

TEST_CASE("contention_model: errors of a model name the parameter") {
    const std::vector<lob_model::link_cost> own(4, {1000, 8000}), uplinks(1);
    const contention_model good{.net = tree_network(topology::switch_tree::flat(4), own, uplinks),
                                .placement = topology::placement::block(6, 4)};
    CHECK(!good.check());
    CHECK(good.ranks() == 6);
    CHECK(good.overhead(5) == 0);
    const auto error_of = [&](auto change) {
        contention_model one = good;
        change(one);
        return std::string(one.check().argument);
    };
    CHECK(error_of([](auto& m) { m.net = {}; }) == "links");
    CHECK(error_of([](auto& m) { m.placement = topology::placement::block(4, 5); }) == "nodes");
    CHECK(error_of([](auto& m) { m.overheads_ps = owned_array<picoseconds>(3); }) == "overheads_ps");
    CHECK(error_of([](auto& m) { m.copy_fs = -1; }) == "copy_fs");
    CHECK(error_of([](auto& m) { m.combine_fs = -1; }) == "combine_fs");
    CHECK(error_of([](auto& m) { m.eager_bytes = -1; }) == "eager_bytes");
    CHECK(error_of([](auto& m) { m.latency_weighted = 2; }) == "latency_weighted");
    CHECK(error_of([](auto& m) { m.reverse_permille = 1001; }) == "reverse_permille");
}
