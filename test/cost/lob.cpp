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
    const lob_model mixed = two_sites().with(four, {});
    REQUIRE(!mixed.check());
    CHECK(mixed.latency(0, 1) == 77);
    CHECK(mixed.byte_fs(0, 1) == 7);
    CHECK(two_sites().with({}, four).latency(0, 1) == 30);
    CHECK(refused_argument(two_sites().with(list{1, 2, 3}, {}).check()) == "latency");
    CHECK(two_sites().with({}, {}) == two_sites());
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
        CHECK(m.with(columns, columns) == lob_model(overheads, columns, columns));
        CHECK(m.with(latencies, latencies).transposed() == lob_model(overheads, columns, columns));
    }
}

TEST_CASE("lob: a matrix given to a transposed model has the model's direction") {
    const list latencies{0, 1, 2, 3, 0, 5, 6, 7, 0}, rates{0, 10, 20, 30, 0, 50, 60, 70, 0};
    const lob_model m(list{1, 1, 1}, latencies, rates);
    const lob_model changed = m.transposed().with({}, latencies);
    CHECK(changed.latency(1, 2) == 7);
    CHECK(changed.byte_fs(1, 2) == 5);
    CHECK(changed.transposed().latency(1, 2) == 5);
    CHECK(changed.transposed().byte_fs(1, 2) == 7);
    CHECK(refused_argument(lob_model(list{1, 1, 1}, list(8), rates).transposed().check()) == "latency");
}

TEST_CASE("lob: a tree is its own transposed model, but for its matrix") {
    CHECK(two_sites().transposed() == two_sites());
    const list rates{0, 1, 2, 3, 4, 0, 5, 6, 7, 8, 0, 9, 10, 11, 12, 0};
    const lob_model mixed = two_sites().with({}, rates), back = mixed.transposed();
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

TEST_CASE("lob: ranks have the costs of their nodes, and on one node only the overheads") {
    const lob_model m = two_sites().placed(placement::list(list{2, 0, 2}, 4));
    REQUIRE(!m.check());
    CHECK(m.ranks() == 3);
    CHECK(m.latency(0, 1) == two_sites().latency(2, 0));
    CHECK(m.latency(0, 2) == 0);
    CHECK(m.byte_fs(0, 2) == 0);
    CHECK(m.overhead(2) == 3);
    CHECK(refused_argument(two_sites().placed(placement::block(3, 3)).check()) == "nodes");
    CHECK(refused_argument(two_sites().placed(placement::list(list{4}, 4)).check()) == "placement");
}

TEST_CASE("lob: wrong numbers are reported") {
    CHECK(refused_argument(lob_model().check()) == "nodes");
    CHECK(refused_argument(two_sites({{10, 5}, {20, 7}, {30, 1}}).check()) == "links");
    CHECK(refused_argument(two_sites({{10, 5}, {20, 7}, {30, 1}, {-1, 0}}).check()) == "latency");
    CHECK(two_sites({{10, 5}, {20, -7}, {30, 1}, {1, 0}}).check().index == 1);
    const argument_error own = two_sites({{10, 5}, {-20, 7}, {30, 1}, {40, 0}}).check();
    CHECK((refused_argument(own) == "latency" && own.value == -20 && own.index == 1));
    const links ours{{10, 5}, {20, 7}, {30, 1}, {40, 0}};
    const argument_error up = two_sites(ours, {{}, {100, 9}, {-200, 0}, {300, 2}}).check();
    CHECK((refused_argument(up) == "latency" && up.value == -200 && up.index == 2));
    CHECK(two_sites(ours, {{}, {std::int64_t{1} << 60, 9}, {200, 0}, {1, 2}}).check().index ==
          3);  // sum along one path
    CHECK(refused_argument(two_sites({{10, 5}, {20, 7}, {30, 1}, {40, 0}}, {{}, {}}).check()) == "uplinks");
    CHECK(refused_argument(lob_model(list{1, -1}, list(4), list(4)).check()) == "overhead");
    CHECK(refused_argument(lob_model(list{1, 1}, list(3), list(4)).check()) == "latency");
    CHECK(refused_argument(lob_model(list{1, 1}, list(4), list(5)).check()) == "bandwidth");
    CHECK(refused_argument(lob_model(list{1, 1}, list{0, 1, -1, 0}, list(4)).check()) == "latency");
    CHECK(!lob_model(list{1, 1}, list{-9, 1, 1, -9}, list{-9, 1, 1, -9}).check());  // the diagonal is not read
    CHECK(refused_argument(lob_model(list{1, 1}, {}, {}).check()) == "nodes");
}

TEST_CASE("lob: a path without any bandwidth is found") {
    const links none(4);
    CHECK(refused_argument(two_sites(none).check()) == "bandwidth");  // the two in the cabinet
    CHECK(!two_sites({{0, 1}, {0, 0}, {0, 0}, {0, 0}}, {{}, {0, 1}, {0, 1}, {0, 0}}).check());
    CHECK(refused_argument(two_sites({{0, 1}, {0, 0}, {0, 0}, {0, 0}}, {{}, {0, 1}, {0, 0}, {0, 0}}).check()) ==
          "bandwidth");
    CHECK(!two_sites(none, links(4)).with({}, list(16, 1)).check());
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

TEST_CASE("lob: matrices replace slow links entirely, and wrong placements stay wrong") {
    const std::int64_t year = std::int64_t{1} << 58;
    const lob_model slow = two_sites({{year, 5}, {20, 7}, {30, 1}, {40, 0}});
    CHECK(refused_argument(slow.check(100, 1000)) == "latency");
    CHECK(!slow.with(list(16, 77), list(16, 1)).check(100, 1000));
    CHECK(refused_argument(two_sites().placed(placement::block(3, 0)).check()) == "nodes");
    CHECK(refused_argument(lob_model().with({}, {}).check()) == "nodes");
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
