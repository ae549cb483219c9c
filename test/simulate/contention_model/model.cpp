#include "collsched/simulate/contention_model.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
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

TEST_CASE("contention_model: the default has 64 KiB of eager messages and nothing else") {
    const contention_model none;
    CHECK((none.overheads_ps.empty() && none.overhead_byte_fs == 0 && none.copy_fs == 0 && none.combine_fs == 0));
    CHECK((none.eager_bytes == 65'536 && none.buffered_bytes == 0 && none.synchronous_free == 0));
    CHECK((none.reverse_permille == 0 && none.latency_weighted == 0 && none.share_bytes == 0));
    CHECK((none.window_bytes == 0 && none.envelope_bytes == 0 && none.size_factors.empty()));
    CHECK(contention_model::size_factor{} == contention_model::size_factor{0, 1'000'000, 1'000'000});
    static_assert(contention_model::size_factor::least_ppm == 100'000);
    static_assert(contention_model::size_factor::most_ppm == 100'000'000);
}

TEST_CASE("contention_model: the parameters of SimGrid's MPI") {
    const contention_model smpi = contention_model::smpi();
    CHECK((smpi.eager_bytes == -1 && smpi.buffered_bytes == 65'535 && smpi.synchronous_free == 1));
    CHECK((smpi.reverse_permille == 50 && smpi.latency_weighted == 1 && smpi.share_bytes == 8775));
    CHECK((smpi.window_bytes == 4'194'304 && smpi.envelope_bytes == 16));
    const contention_model::size_factor factors[] = {
        {0, 2'014'670, 812'084},    {257, 1'953'410, 338'112},   {732, 1'950'300, 341'987},
        {1426, 1'610'750, 608'902}, {3484, 1'881'010, 774'930},  {5776, 2'187'960, 1'087'390},
        {9376, 2'592'990, 587'290}, {15424, 3'488'450, 697'866}, {65472, 11'643'600, 940'694}};
    REQUIRE(smpi.size_factors.size() == 9);
    for (std::int64_t i = 0; i < 9; ++i) CHECK(smpi.size_factors[i] == factors[i]);
}

TEST_CASE(
    "contention_model: each error has its argument, value, text and index, and the values beside it are accepted") {
    const std::vector<lob_model::link_cost> own(4, {1000, 8000}), uplinks(1);
    contention_model good{.net = tree_network(topology::switch_tree::flat(4), own, uplinks),
                          .placement = topology::placement::block(6, 4)};
    const auto error_of = [&](auto change) {
        contention_model one = good;
        change(one);
        return one.check();
    };
    CHECK(error_of([](auto& m) { m.net = {}; }) == argument_error{"links", 0, "a network with links"});
    CHECK(error_of([](auto& m) { m.net = contention_model::network(argument_error{"up", 3, "4"}); }) ==
          argument_error{"up", 3, "4"});
    const topology::placement unplaced = topology::placement::block(0, 4);
    CHECK((unplaced.check() && error_of([&](auto& m) { m.placement = unplaced; }) == unplaced.check()));
    CHECK(error_of([](auto& m) { m.placement = topology::placement::block(5, 5); }) ==
          argument_error{"nodes", 5, "as many in the placement as in the network"});
    CHECK(error_of([](auto& m) { m.overheads_ps = owned_array<picoseconds>(3); }) ==
          argument_error{"overheads_ps", 3, "one for each node, or none"});
    const auto overheads = [](picoseconds last) {
        return [last](auto& m) {
            m.overheads_ps = owned_array<picoseconds>(4);
            m.overheads_ps[3] = last;
        };
    };
    CHECK_FALSE(error_of(overheads(0)));
    CHECK(error_of(overheads(-1)) == argument_error{"overheads_ps", -1, "0 ps or more", 3});
    CHECK_FALSE(error_of([](auto& m) { m.eager_bytes = -1; }));
    CHECK(error_of([](auto& m) { m.eager_bytes = -2; }) == argument_error{"eager_bytes", -2, "-1 (none) or more"});
    using member = std::int64_t contention_model::*;
    for (const auto& [name, value] :
         {std::pair<const char*, member>{"overhead_byte_fs", &contention_model::overhead_byte_fs},
          {"copy_fs", &contention_model::copy_fs},
          {"combine_fs", &contention_model::combine_fs},
          {"buffered_bytes", &contention_model::buffered_bytes},
          {"share_bytes", &contention_model::share_bytes},
          {"window_bytes", &contention_model::window_bytes},
          {"envelope_bytes", &contention_model::envelope_bytes}})
        CHECK(error_of([&](auto& m) { m.*value = -1; }) == argument_error{name, -1, "0 or more"});
    CHECK_FALSE(error_of([](auto& m) { m.envelope_bytes = 1 << 20; }));
    CHECK(error_of([](auto& m) { m.envelope_bytes = (1 << 20) + 1; }) ==
          argument_error{"envelope_bytes", 1'048'577, "at most 2^20"});
    for (const auto& [name, value] :
         {std::pair<const char*, member>{"latency_weighted", &contention_model::latency_weighted},
          {"synchronous_free", &contention_model::synchronous_free}}) {
        for (const std::int64_t wrong : {-1, 2})
            CHECK(error_of([&](auto& m) { m.*value = wrong; }) == argument_error{name, wrong, "0 or 1"});
        CHECK_FALSE(error_of([&](auto& m) { m.*value = 1; }));
    }
    CHECK_FALSE(error_of([](auto& m) { m.reverse_permille = 1000; }));
    for (const std::int64_t wrong : {-1, 1001})
        CHECK(error_of([&](auto& m) { m.reverse_permille = wrong; }) ==
              argument_error{"reverse_permille", wrong, "0 to 1000"});
    const auto factors = [&](contention_model::size_factor last) {
        contention_model one = good;
        one.size_factors = owned_array<contention_model::size_factor>(2);
        one.size_factors[1] = last;
        return one.check();
    };
    CHECK(factors({0, 1'000'000, 1'000'000}) == argument_error{"size_factors", 0, "sizes that increase, from 0", 1});
    for (const std::int64_t wrong : {99'999, 100'000'001}) {
        const argument_error error{"size_factors", wrong, "0.1 to 100, in millionths", 1};
        CHECK((factors({1, wrong, 1'000'000}) == error && factors({1, 1'000'000, wrong}) == error));
    }
    for (const std::int64_t end : {100'000, 100'000'000}) CHECK_FALSE(factors({1, end, end}));
    good.size_factors = owned_array<contention_model::size_factor>(1);
    good.size_factors[0].above = -1;
    CHECK(good.check() == argument_error{"size_factors", -1, "sizes that increase, from 0", 0});
}

TEST_CASE("contention_model: overheads are those of the rank's node") {
    contention_model model{.placement = topology::placement::block(6, 3), .overheads_ps = owned_array<picoseconds>(3)};
    for (rank_t c = 0; c < 3; ++c) model.overheads_ps[c] = 10 * c + 1;
    CHECK((model.overhead(0) == 1 && model.overhead(2) == 11 && model.overhead(5) == 21));
}

TEST_CASE("contention_model: wrong links within nodes are reported") {
    const std::vector<lob_model::link_cost> own(3, {1, 2}), uplinks(1);
    contention_model model{.net = tree_network(topology::switch_tree::flat(3), own, uplinks),
                           .placement = topology::placement::block(6, 3)};
    CHECK(!model.check());
    model.intra_nodes = owned_array<intra_node_links>(3);
    CHECK(!model.check());
    model.intra_nodes[2].sockets = 0;
    CHECK(model.check() == argument_error{"sockets", 0, "1 to 1024"});
    model.intra_nodes = owned_array<intra_node_links>(2);
    CHECK(model.check() == argument_error{"intra_nodes", 2, "one for all nodes, or one per node"});
}
