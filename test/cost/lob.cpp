#include "collsched/cost/lob.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "collsched/cost/concepts.hpp"
#include "collsched/cost/loggp.hpp"

using namespace collsched;
using topology::switch_tree;
using topology::placement;

namespace {

using list = std::vector<std::int64_t>;
using links = std::vector<lob_model::link_cost>;

/// Sites 1 and 2 under the root, a cabinet 3 in site 1; nodes 0 and 1 in the cabinet, 2 in site 2, 3 at the root.
lob_model two_sites(links own = {{10, 5}, {20, 7}, {30, 1}, {40, 0}}, links up = {{}, {100, 9}, {200, 0}, {300, 2}}) {
    return {switch_tree(list{0, 0, 1}, list{3, 3, 2, 0}), list{1, 2, 3, 4}, own, up};
}

std::string refused_argument(const argument_error& e) { return e ? e.argument : ""; }

}  // namespace

static_assert(message_cost<lob_model> && message_cost<loggp_model>);

TEST_CASE("lob: along a path latencies add up, and the narrowest link gives the bandwidth") {
    const lob_model m = two_sites();
    REQUIRE(!m.check());
    CHECK(m.ranks() == 4);
    CHECK(m.overhead(3) == 4);
    CHECK(m.latency(0, 1) == 30);
    CHECK(m.latency(0, 2) == 10 + 300 + 100 + 200 + 30);
    CHECK(m.latency(3, 0) == 40 + 100 + 300 + 10);
    CHECK(m.latency(2, 2) == 0);
    CHECK(m.byte_fs(0, 1) == 7);
    CHECK(m.byte_fs(0, 2) == 9);
    CHECK(m.byte_fs(2, 3) == 1);
    CHECK(m.stream(0, 2, 1001) == 9);
    CHECK(m.stream(0, 2, 1000) == 8);  // floor(999 * 9 / 1000)
    CHECK(m.stream(0, 2, 1) == 0);
    CHECK(m.stream(0, 2, 0) == 0);
    for (rank_t i = 0; i < 4; ++i)
        for (rank_t j = 0; j < 4; ++j) {
            CHECK(m.latency(i, j) == m.latency(j, i));
            CHECK(m.byte_fs(i, j) == m.byte_fs(j, i));
        }
}

TEST_CASE("lob: matrices override the tree, and the transpose swaps directions") {
    const list latencies{0, 1, 2, 3, 0, 5, 6, 7, 0}, rates{0, 10, 20, 30, 0, 50, 60, 70, 0};
    const lob_model m(list{1, 1, 1}, latencies, rates);
    REQUIRE(!m.check());
    CHECK(m.latency(1, 2) == 5);
    CHECK(m.byte_fs(2, 0) == 60);
    CHECK(m.transposed().latency(1, 2) == 7);
    CHECK(m.transposed().byte_fs(2, 0) == 20);
    CHECK(m.transposed().transposed() == m);
    list four(16, 77);
    const lob_model mixed = two_sites().with_matrices(four, {});
    REQUIRE(!mixed.check());
    CHECK(mixed.latency(0, 1) == 77);
    CHECK(mixed.byte_fs(0, 1) == 7);
    CHECK(two_sites().with_matrices({}, four).latency(0, 1) == 30);
    CHECK(refused_argument(two_sites().with_matrices(list{1, 2, 3}, {}).check()) == "latency");
    CHECK(two_sites().with_matrices({}, {}) == two_sites());
}

static_assert([] {
    const std::int64_t overheads[] = {1, 2}, there[] = {0, 3, 4, 0}, back[] = {0, 4, 3, 0};
    const lob_model m(overheads, there, there);
    return m.transposed().latency(0, 1) == 4 && m.transposed() == lob_model(overheads, back, back);
}());

TEST_CASE("lob: a large transposed matrix has all numbers transposed, and is that of its columns") {
    for (const rank_t n : {1, 2, 31, 32, 33, 70}) {
        list overheads(static_cast<std::size_t>(n), 1), latencies, rates, columns;
        for (rank_t i = 0; i < n; ++i)
            for (rank_t j = 0; j < n; ++j) {
                latencies.push_back(1000 * i + j);
                columns.push_back(1000 * j + i);
                rates.push_back(7 * i + 11 * j + 1);
            }
        const lob_model m(overheads, latencies, rates), back = m.transposed();
        REQUIRE(!back.check());
        bool crossed = true;
        for (rank_t i = 0; i < n; ++i)
            for (rank_t j = 0; j < n; ++j)
                crossed = crossed && back.latency(i, j) == m.latency(j, i) && back.byte_fs(i, j) == m.byte_fs(j, i);
        CHECK(crossed);
        CHECK(back.transposed() == m);
        CHECK((back == m) == (n == 1));
        CHECK(m.with_matrices(columns, columns) == lob_model(overheads, columns, columns));
        CHECK(m.with_matrices(latencies, latencies).transposed() == lob_model(overheads, columns, columns));
    }
}

TEST_CASE("lob: a matrix given to a transposed model has the model's direction") {
    const list latencies{0, 1, 2, 3, 0, 5, 6, 7, 0}, rates{0, 10, 20, 30, 0, 50, 60, 70, 0};
    const lob_model m(list{1, 1, 1}, latencies, rates);
    const lob_model changed = m.transposed().with_matrices({}, latencies);
    CHECK(changed.latency(1, 2) == 7);
    CHECK(changed.byte_fs(1, 2) == 5);
    CHECK(changed.transposed().latency(1, 2) == 5);
    CHECK(changed.transposed().byte_fs(1, 2) == 7);
    CHECK(refused_argument(lob_model(list{1, 1, 1}, list(8), rates).transposed().check()) == "latency");
}

TEST_CASE("lob: a tree is its own transposed model, but for its matrix") {
    CHECK(two_sites().transposed() == two_sites());
    const list rates{0, 1, 2, 3, 4, 0, 5, 6, 7, 8, 0, 9, 10, 11, 12, 0};
    const lob_model mixed = two_sites().with_matrices({}, rates), back = mixed.transposed();
    CHECK(back != mixed);
    CHECK(back.latency(0, 2) == mixed.latency(0, 2));
    CHECK(back.byte_fs(0, 2) == 7);
    CHECK(lob_model().transposed() == lob_model());
    CHECK(back.placed(placement::list(list{2, 0}, 4)).byte_fs(0, 1) == 2);
}

// 100 switches in a chain, and 300: beyond 256, paths are computed at each call.
TEST_CASE("lob: paths through few and through many switches") {
    for (const rank_t switches : {100, 300}) {
        list parents, homes, overheads(static_cast<std::size_t>(switches), 1);
        links own(overheads.size()), up;
        for (rank_t e = 0; e < switches; ++e) {
            if (e > 0) parents.push_back(e - 1);
            homes.push_back(e);
            up.push_back({e, 1000 + (e * 37) % 101});
        }
        const lob_model m(switch_tree(parents, homes), overheads, own, up);
        REQUIRE(!m.check());
        bool right = true;
        for (rank_t i = 0; i < switches; ++i) {
            picoseconds sum = 0;
            std::int64_t slowest = 0;
            for (rank_t j = i + 1; j < switches; ++j) {
                sum += up[static_cast<std::size_t>(j)].latency_ps;
                slowest = std::max(slowest, up[static_cast<std::size_t>(j)].byte_fs);
                right = right && m.latency(i, j) == sum && m.latency(j, i) == sum;
                right = right && m.byte_fs(i, j) == slowest && m.byte_fs(j, i) == slowest;
            }
        }
        CHECK(right);
    }
}

TEST_CASE("lob: ranks have the costs of their nodes, and on one node those of the links within it") {
    const lob_model m = two_sites().placed(placement::list(list{2, 0, 2}, 4));
    REQUIRE(!m.check());
    CHECK(m.ranks() == 3);
    CHECK(m.latency(0, 1) == two_sites().latency(2, 0));
    CHECK(m.latency(0, 2) == 500'000);
    CHECK(m.byte_fs(0, 2) == 125'000);
    CHECK(m.sending(0, 2, 1001, false).value() == 3 + 125'000);
    CHECK(m.latency(2, 2) == 0);
    CHECK(m.overhead(2) == 3);
    CHECK(two_sites().placed(placement::block(3, 3)).check() ==
          argument_error{"nodes", 3, "as many in the placement as in the model"});
    CHECK(two_sites().placed(placement::list(list{4}, 4)).check() == placement::list(list{4}, 4).check());
}

TEST_CASE("lob: links within nodes are those of all nodes or of each, in either order of calls") {
    const std::vector<intra_node_links> nodes{{.rank_link = {11, 2000}},
                                              {.rank_link = {12, 1}},
                                              {.rank_link = {13, 3000}, .sockets = 2, .socket_link = {7, 1}},
                                              {}};
    const placement where = placement::list(list{2, 0, 2, 0, 2, 2}, 4);
    const lob_model before = two_sites().with_intra_nodes(nodes).placed(where);
    REQUIRE(!before.check());
    CHECK(before == two_sites().placed(where).with_intra_nodes(nodes));
    CHECK(before != two_sites().placed(where));
    CHECK(before.transposed().latency(1, 3) == 11);
    CHECK(before.latency(1, 3) == 11);
    CHECK(before.byte_fs(3, 1) == 2000);
    // Ranks 0 and 2 are on the first socket of node 2, ranks 4 and 5 on the second.
    CHECK(before.latency(0, 2) == 13);
    CHECK(before.latency(4, 5) == 13);
    CHECK(before.latency(2, 4) == 20);
    CHECK(before.byte_fs(2, 4) == 3000);
    CHECK(before.latency(0, 1) == two_sites().latency(2, 0));
    const std::vector<intra_node_links> same{{.rank_link = {5, 6}}};
    CHECK(two_sites().with_intra_nodes(same).placed(where).latency(4, 2) == 5);
    CHECK(lob_model().with_intra_nodes(same) == lob_model());
}

TEST_CASE("lob: wrong links within nodes are reported, and limit times if a node hosts several ranks") {
    const std::vector<intra_node_links> two(2), wrong{{.sockets = 0}};
    CHECK(two_sites().with_intra_nodes(two).check() ==
          argument_error{"intra_nodes", 2, "one for all nodes, or one per node"});
    CHECK(two_sites().with_intra_nodes(wrong).check() == argument_error{"sockets", 0, "1 to 1024"});
    const std::vector<intra_node_links> slow{{.rank_link = {std::int64_t{1} << 59, std::int64_t{1} << 59}}};
    const lob_model m = two_sites().with_intra_nodes(slow);
    CHECK(!m.check(4, 1000));
    CHECK(!m.placed(placement::block(4, 4)).check(4, 1000));
    CHECK(refused_argument(m.placed(placement::block(5, 4)).check(8, 0)) == "latency");
    CHECK(refused_argument(m.placed(placement::block(5, 4)).check(1, 9001)) == "bytes");
}

TEST_CASE("lob: wrong numbers are reported") {
    const argument_error no_nodes{"nodes", 0, "1 or more"};
    CHECK(lob_model().check() == no_nodes);
    CHECK(lob_model().ranks() == 0);
    CHECK(lob_model(list{}, list{}, list{}).check() == no_nodes);
    CHECK(lob_model(list{1, -1}, list(4), list(4)).check() == argument_error{"overhead", -1, "0 ps to 2^60 ps", 1});
    CHECK(lob_model(list{-2, 1}, list(4), list(4)).check() == argument_error{"overhead", -2, "0 ps to 2^60 ps", 0});
    const argument_error no_tree{"links", 0, "one for each node"};
    CHECK(lob_model(list{1, 1}, {}, {}).check() == no_tree);
    CHECK(lob_model(list{1, 1}, {}, list(4)).check() == no_tree);
    CHECK(lob_model(list{1, 1}, list(4), {}).check() == no_tree);
}

TEST_CASE("lob: a wrong number of a matrix is reported with its position") {
    const auto latency = [](list given) { return lob_model(list{1, 1}, given, list(4)).check(); };
    const auto bandwidth = [](list given) { return lob_model(list{1, 1}, list(4), given).check(); };
    for (const std::int64_t size : {1, 3, 5, 8}) {
        const list given(static_cast<std::size_t>(size));
        CHECK(latency(given) == argument_error{"latency", size, "a number for each pair of nodes"});
        CHECK(bandwidth(given) == argument_error{"bandwidth", size, "a number for each pair of nodes"});
    }
    CHECK(latency({0, -3, 1, 0}) == argument_error{"latency", -3, "0 ps to 2^60 ps", 1});
    CHECK(latency({0, 1, -1, 0}) == argument_error{"latency", -1, "0 ps to 2^60 ps", 2});
    CHECK(bandwidth({0, -3, 1, 0}) == argument_error{"bandwidth", -3, "0 to 2^60 fs per byte", 1});
    CHECK(bandwidth({0, 1, -1, 0}) == argument_error{"bandwidth", -1, "0 to 2^60 fs per byte", 2});
    CHECK(!lob_model(list{1, 1}, list{-9, 1, 1, -9}, list{-9, 1, 1, -9}).check());  // the diagonal is not read
}

TEST_CASE("lob: a wrong number of a tree is reported with its position") {
    constexpr std::int64_t most = INT64_MAX;
    const links ours{{10, 5}, {20, 7}, {30, 1}, {40, 0}}, up{{}, {100, 9}, {200, 0}, {300, 2}};
    const auto node_link = [&](std::size_t i, lob_model::link_cost cost) {
        links changed = ours;
        changed[i] = cost;
        return two_sites(changed).check();
    };
    const auto uplink = [&](std::size_t e, lob_model::link_cost cost) {
        links changed = up;
        changed[e] = cost;
        return two_sites(ours, changed).check();
    };
    for (const std::int64_t i : {0, 1, 2, 3}) {
        CHECK(node_link(static_cast<std::size_t>(i), {-20, 7}) == argument_error{"latency", -20, "0 ps to 2^60 ps", i});
        CHECK(node_link(static_cast<std::size_t>(i), {20, -7}) ==
              argument_error{"bandwidth", -7, "0 to 2^60 fs per byte", i});
    }
    const char* along_path = "0 ps or more, at most 2^60 ps along a path";
    for (const std::int64_t e : {1, 2, 3}) {
        CHECK(uplink(static_cast<std::size_t>(e), {-20, 2}) == argument_error{"latency", -20, along_path, e});
        CHECK(uplink(static_cast<std::size_t>(e), {20, -2}) ==
              argument_error{"bandwidth", -2, "0 to 2^60 fs per byte", e});
    }
    CHECK(!uplink(0, {-20, -2}));  // not used
    CHECK(!uplink(2, {std::int64_t{1} << 60, 0}));
    CHECK(uplink(1, {std::int64_t{1} << 60, 9}) == argument_error{"latency", 300, along_path, 3});
    CHECK(uplink(3, {most, 2}) == argument_error{"latency", most, along_path, 3});
    CHECK(uplink(3, {(std::int64_t{1} << 60) - 100, 2}) == argument_error{});
    CHECK(uplink(3, {(std::int64_t{1} << 60) - 99, 2}).index == 3);
    CHECK(two_sites({{10, 5}, {20, 7}, {30, 1}}).check() == argument_error{"links", 3, "one for each node"});
    CHECK(two_sites(ours, {{}, {}}).check() == argument_error{"uplinks", 2, "one for each switch"});
    const switch_tree wrong(list{0, 2}, list{0, 0});
    CHECK(lob_model(wrong, list{1, 1}, links(2), links(3)).check() == wrong.check());
    CHECK(lob_model(switch_tree::flat(3), list{1, 1}, links(2, {0, 1}), links(1)).check() ==
          argument_error{"nodes", 3, "as many in the tree as overheads"});
}

TEST_CASE("lob: a path without any bandwidth is found") {
    const links none(4);
    const char* expected = "a link with a bandwidth on every path";
    CHECK(two_sites(none).check() == argument_error{"bandwidth", 2, expected, 3});  // the two in the cabinet
    CHECK(!two_sites({{0, 1}, {0, 0}, {0, 0}, {0, 0}}, {{}, {0, 1}, {0, 1}, {0, 0}}).check());
    CHECK(two_sites({{0, 1}, {0, 0}, {0, 0}, {0, 0}}, {{}, {0, 1}, {0, 0}, {0, 0}}).check() ==
          argument_error{"bandwidth", 2, expected, 0});
    // A node without bandwidth at the root, and one below two uplinks without.
    CHECK(two_sites({{0, 0}, {0, 1}, {0, 1}, {0, 0}}, {{}, {0, 0}, {0, 0}, {0, 0}}).check() ==
          argument_error{"bandwidth", 2, expected, 0});
    CHECK(!two_sites({{0, 0}, {0, 1}, {0, 1}, {0, 0}}, {{}, {0, 1}, {0, 1}, {0, 0}}).check());
    CHECK(!two_sites({{0, 0}, {0, 1}, {0, 1}, {0, 0}}, {{}, {0, 0}, {0, 0}, {0, 1}}).check());
    CHECK(!two_sites(none, links(4)).with_matrices({}, list(16, 1)).check());
}

TEST_CASE("lob_model: sending costs o + (m-1) / b, the flight L, receiving o, and nothing else costs time") {
    const lob_model m = two_sites();
    for (const bytes_t bytes : {0, 1, 2, 1001}) {
        CHECK(m.sending(0, 2, bytes, true).value() == 1 + m.stream(0, 2, bytes));
        CHECK(m.sending(0, 2, bytes, false).value() == 1 + m.stream(0, 2, bytes));
    }
    CHECK(m.flight(0, 1).value() == 30);
    CHECK(m.receiving(0, 2, true).value() == 3);
    CHECK(m.connection(true).value() == 0);
    CHECK(m.stream(1000).value() == 0);
    CHECK(m.gap().value() == 0);
    CHECK(m.copy(1000).value() == 0);
    CHECK(m.combine(1000).value() == 0);
}

TEST_CASE("lob_model: check() accepts both ends of each range") {
    const std::int64_t most = std::int64_t{1} << 60;
    CHECK(!lob_model(list{most, 0}, list{0, most, 0, 0}, list{0, most, 0, 0}).check());
    CHECK(refused_argument(lob_model(list{most + 1, 0}, list(4), list(4)).check()) == "overhead");
    CHECK(refused_argument(lob_model(list{0, 0}, list{0, most + 1, 0, 0}, list(4)).check()) == "latency");
    CHECK(refused_argument(lob_model(list{0, 0}, list(4), list{0, most + 1, 0, 0}).check()) == "bandwidth");
    const lob_model rates(list{0, 0}, list(4), list{0, most, most, 0});
    CHECK(!rates.check(1, 0));
    CHECK(!rates.check(1, 4000));
    CHECK(refused_argument(rates.check(1, 4001)) == "bytes");  // 4000 2^60 / 1000 = 2^62
}

TEST_CASE("lob: times that could leave 64 bits are rejected beforehand") {
    const std::int64_t year = std::int64_t{1} << 60;
    const lob_model slow(list{0, 0}, list{0, 1, 1, 0}, list{0, year, year, 0});
    CHECK(!slow.check(2, 1000));
    CHECK(refused_argument(slow.check(2, 100'000'000)) == "bytes");
    CHECK(refused_argument(slow.check(2, -1)) == "bytes");
}

TEST_CASE("lob: the limit of all times counts both overheads, the longest latency and the slowest stream") {
    constexpr std::int64_t large = std::int64_t{1} << 59;
    const auto model = [](picoseconds overhead, picoseconds latency, std::int64_t byte_fs) {
        return lob_model(list{0, overhead}, list{0, 0, latency, 0}, list{0, 0, byte_fs, 0});
    };
    const argument_error slow{"latency", large, "latencies and overheads for which all times are below 2^62 ps"};
    CHECK(model(large / 2, large, 0).check(4, 0) == slow);  // 4 (2^58 + 2^58 + 2^59) ps
    CHECK(!model(large / 2, large - 1, 0).check(4, 0));
    const argument_error long_one{"bytes", 1001, "a size for which all times are below 2^62 ps"};
    CHECK(model(large / 4, large / 2, large).check(4, 1001) == long_one);  // 4 (2^57 + 2^57 + 2^58 + 2^59) ps
    CHECK(!model(large / 4, large / 2 - 1, large).check(4, 1001));
    CHECK(!model(large / 4, large / 2, large).check(4, 1000));
    CHECK(model(0, 0, large).check(1, -1) == argument_error{"bytes", -1, "0 bytes or more"});
    CHECK(!model(0, 0, 0).check(INT64_MAX / 2, INT64_MAX));
    CHECK(!model(0, 0, 0).with_matrices(list(4), list(4)).check(INT64_MAX / 2, INT64_MAX));
    CHECK(lob_model().check(1, 0) == lob_model().check());
    // A path has at most twice the latency of the deepest switch, 400 ps, and of the slowest node link, 40 ps.
    CHECK(two_sites().check(INT64_MAX, 0).value == 880);
    const lob_model slow_uplink = two_sites({{10, 5}, {20, 7}, {30, 1}, {40, 0}}, {{}, {100, large}, {200}, {300}});
    CHECK(!slow_uplink.check(1, 4001));
    CHECK(slow_uplink.check(1, 8001).value == 8001);
}

TEST_CASE("lob: models differ if any of their numbers does") {
    const lob_model m = two_sites();
    const list overheads{1, 2, 3, 4};
    const links own{{10, 5}, {20, 7}, {30, 1}, {40, 0}}, up{{}, {100, 9}, {200, 0}, {300, 2}};
    const switch_tree tree(list{0, 0, 1}, list{3, 3, 2, 0});
    CHECK(m == lob_model(tree, overheads, own, up));
    CHECK(m != lob_model(switch_tree(list{0, 0, 1}, list{3, 3, 2, 1}), overheads, own, up));
    CHECK(m != lob_model(tree, list{1, 2, 3, 5}, own, up));
    for (std::size_t i = 0; i < 4; ++i) {
        links changed = own;
        ++changed[i].latency_ps;
        CHECK(m != lob_model(tree, overheads, changed, up));
        changed = up;
        ++changed[i].byte_fs;
        CHECK(m != lob_model(tree, overheads, own, changed));
    }
    const lob_model ones = m.with_matrices(list(16, 1), list(16, 1));
    CHECK(ones != m.with_matrices(list(16, 2), list(16, 1)));
    CHECK(ones != m.with_matrices(list(16, 1), list(16, 2)));
    CHECK(ones.transposed() == m.with_matrices(list(16, 1), list(16, 1)));
    CHECK(ones.transposed() != m.with_matrices(list(16, 2), list(16, 1)));
    CHECK(ones.transposed() != m.with_matrices(list(16, 1), list(16, 2)));
    CHECK(ones.transposed() != lob_model(tree, list{1, 2, 3, 5}, own, up).with_matrices(list(16, 1), list(16, 1)));
    CHECK(m.transposed() != lob_model());
    CHECK(lob_model() != m.transposed());
    CHECK(m.placed(placement::block(4, 4)) == m.placed(placement::cyclic(4, 4)));
    CHECK(m.placed(placement::block(4, 4)) != m);
    CHECK(m.placed(placement()) != m);
    CHECK(m.placed(placement::block(4, 4)) != m.placed(placement::list(list{1, 0, 2, 3}, 4)));
}

// In a constant expression, no element outside an array can be read.
static_assert([] {
    const rank_t parents[] = {0, 0, 1}, homes[] = {3, 3, 2, 0};
    const picoseconds overheads[] = {1, 2, 3, 4}, latencies[16] = {};
    const lob_model::link_cost own[] = {{10, 5}, {20, 7}, {30, 1}, {40, 0}}, up[] = {{}, {100, 9}, {200, 0}, {300, 2}};
    const lob_model m(switch_tree(parents, homes), overheads, own, up);
    return !m.check() && m.latency(0, 2) == 640 && m.byte_fs(0, 2) == 9 &&
           m.with_matrices(latencies, {}).latency(0, 2) == 0;
}());

TEST_CASE("lob: matrices replace slow links entirely, and wrong placements stay wrong") {
    const std::int64_t year = std::int64_t{1} << 58;
    const lob_model slow = two_sites({{year, 5}, {20, 7}, {30, 1}, {40, 0}});
    CHECK(refused_argument(slow.check(100, 1000)) == "latency");
    CHECK(!slow.with_matrices(list(16, 77), list(16, 1)).check(100, 1000));
    CHECK(refused_argument(two_sites().placed(placement::block(3, 0)).check()) == "nodes");
    CHECK(refused_argument(lob_model().with_matrices({}, {}).check()) == "nodes");
}

TEST_CASE("lob: placing twice puts ranks in the places of ranks") {
    const lob_model once = two_sites().placed(placement::list(list{2, 0, 3, 1}, 4));
    const lob_model twice = once.placed(placement::list(list{1, 1, 2, 0}, 4));
    const lob_model at_once = two_sites().placed(placement::list(list{0, 0, 3, 2}, 4));
    REQUIRE(!twice.check());
    for (rank_t i = 0; i < 4; ++i) {
        CHECK(twice.overhead(i) == at_once.overhead(i));
        for (rank_t j = 0; j < 4; ++j) {
            if (i == j) continue;
            CHECK(twice.latency(i, j) == at_once.latency(i, j));
            CHECK(twice.byte_fs(i, j) == at_once.byte_fs(i, j));
        }
    }
    CHECK(once.placed(placement::list(list{4}, 5)).check());  // no rank is in place 4
}

TEST_CASE("lob: matrices have a tree with the same nodes") {
    const lob_model two(list{1, 2}, list{0, 5, 6, 0}, list{0, 7, 8, 0});
    CHECK(two.switches() == switch_tree::flat(2));
    CHECK(lob_model().switches().nodes() == 0);
    const auto with_tree = [](const switch_tree& tree) {
        return lob_model(tree, list{1, 2}, list{0, 5, 6, 0}, list{0, 7, 8, 0});
    };
    CHECK(with_tree(switch_tree::flat(2)) == two);
    CHECK(with_tree(switch_tree::flat(3)).check() == argument_error{"nodes", 3, "as many in the tree as overheads"});
    const switch_tree wrong(list{}, list{1, 4});
    CHECK(with_tree(wrong).check() == wrong.check());
}

TEST_CASE("lob: a node with several ranks is a switch above them") {
    const lob_model two(list{1, 2}, list{0, 5, 6, 0}, list{0, 7, 8, 0});
    const lob_model three = two.placed(placement::list(list{1, 0, 1}, 2));
    REQUIRE(!three.check());
    CHECK(three.ranks() == 3);
    CHECK(three.switches().population(1) == 2);
    CHECK(three.latency(0, 1) == 6);
    CHECK(three.latency(0, 2) == 500'000);
    CHECK(three.overhead(2) == 2);
    CHECK(three.placed(placement::list(list{1, 1}, 3)).switches().nodes() == 2);
}
