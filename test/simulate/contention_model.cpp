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
    CHECK(error_of([](auto& m) { m.eager_bytes = -2; }) == "eager_bytes");
    CHECK(error_of([](auto& m) { m.buffered_bytes = -1; }) == "buffered_bytes");
    CHECK(error_of([](auto& m) { m.synchronous_free = 2; }) == "synchronous_free");
    CHECK(error_of([](auto& m) { m.overhead_byte_fs = -1; }) == "overhead_byte_fs");
    CHECK(error_of([](auto& m) { m.share_bytes = -1; }) == "share_bytes");
    CHECK(error_of([](auto& m) { m.window_bytes = -1; }) == "window_bytes");
    CHECK(error_of([](auto& m) { m.envelope_bytes = (1 << 20) + 1; }) == "envelope_bytes");
    CHECK(error_of([](auto& m) { m.latency_weighted = 2; }) == "latency_weighted");
    CHECK(error_of([](auto& m) { m.reverse_permille = 1001; }) == "reverse_permille");
}

TEST_CASE("contention_model: sizes of factors increase, and factors are 0.1 to 100") {
    const std::vector<lob_model::link_cost> own(4, {1000, 8000}), uplinks(1);
    contention_model model = contention_model::smpi();
    model.net = tree_network(topology::switch_tree::flat(4), own, uplinks);
    model.placement = topology::placement::block(4, 4);
    CHECK(!model.check());
    const auto error_with = [&](contention_model::size_factor last) {
        contention_model changed = model;
        changed.size_factors = owned_array<contention_model::size_factor>(2);
        changed.size_factors[1] = last;
        return changed.check();
    };
    CHECK(!error_with({1, 100'000, 100'000'000}));
    CHECK(error_with({0, 1'000'000, 1'000'000}).index == 1);
    CHECK(error_with({1, 99'999, 1'000'000}).value == 99'999);
    CHECK(error_with({1, 1'000'000, 100'000'001}).value == 100'000'001);
}

TEST_CASE("contention_model: a factor is that of the largest size below message and envelope") {
    const contention_model model = contention_model::smpi();
    CHECK(contention_model{}.factor(1000) == contention_model::size_factor{});
    CHECK(model.factor(0).above == 0);
    CHECK(model.factor(257 - 16).above == 0);
    CHECK(model.factor(258 - 16).above == 257);
    CHECK(model.factor(65472 - 16).above == 15424);
    CHECK(model.factor(std::int64_t{1} << 62).latency_ppm == 11'643'600);
}
