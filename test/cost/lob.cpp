#include "collsched/cost/lob.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "collsched/cost/concepts.hpp"
#include "collsched/cost/loggp.hpp"

using namespace collsched;
using topology::machine_tree;
using topology::placement;

namespace {

using list = std::vector<std::int64_t>;
using links = std::vector<link_cost>;

/// Sites 1 and 2 under the root, a cabinet 3 in site 1; computers 0 and 1 in the cabinet, 2 in site 2, 3 at the root.
lob_model two_sites(links own = {{10, 5}, {20, 7}, {30, 1}, {40, 0}}, links up = {{}, {100, 9}, {200, 0}, {300, 2}}) {
    return {machine_tree(list{0, 0, 1}, list{3, 3, 2, 0}), list{1, 2, 3, 4}, own, up};
}

std::string told(const error& e) { return e ? e.argument : ""; }

}  // namespace

static_assert(message_cost<lob_model> && message_cost<loggp_model>);

TEST_CASE("along a path latencies add up, and the narrowest link gives the bandwidth") {
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

TEST_CASE("matrices win, transposed they go the other way, and a part of them alone leaves the rest") {
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
    CHECK(told(two_sites().with(list{1, 2, 3}, {}).check()) == "latency");
    CHECK(two_sites().with({}, {}) == two_sites());
}

TEST_CASE("ranks have the costs of their computers; on one of them only the overheads") {
    const lob_model m = two_sites().placed(placement::list(list{2, 0, 2}, 4));
    REQUIRE(!m.check());
    CHECK(m.ranks() == 3);
    CHECK(m.latency(0, 1) == two_sites().latency(2, 0));
    CHECK(m.latency(0, 2) == 0);
    CHECK(m.byte_fs(0, 2) == 0);
    CHECK(m.overhead(2) == 3);
    CHECK(told(two_sites().placed(placement::block(3, 3)).check()) == "computers");
    CHECK(told(two_sites().placed(placement::list(list{4}, 4)).check()) == "placement");
}

TEST_CASE("wrong numbers are told") {
    CHECK(told(lob_model().check()) == "computers");
    CHECK(told(two_sites({{10, 5}, {20, 7}, {30, 1}}).check()) == "links");
    CHECK(told(two_sites({{10, 5}, {20, 7}, {30, 1}, {-1, 0}}).check()) == "latency");
    CHECK(two_sites({{10, 5}, {20, -7}, {30, 1}, {1, 0}}).check().index == 1);
    CHECK(told(two_sites({{10, 5}, {20, 7}, {30, 1}, {40, 0}}, {{}, {}}).check()) == "uplinks");
    CHECK(told(lob_model(list{1, -1}, list(4), list(4)).check()) == "overhead");
    CHECK(told(lob_model(list{1, 1}, list(3), list(4)).check()) == "latency");
    CHECK(told(lob_model(list{1, 1}, list(4), list(5)).check()) == "bandwidth");
    CHECK(told(lob_model(list{1, 1}, list{0, 1, -1, 0}, list(4)).check()) == "latency");
    CHECK(!lob_model(list{1, 1}, list{-9, 1, 1, -9}, list{-9, 1, 1, -9}).check());  // the diagonal is not read
    CHECK(told(lob_model(list{1, 1}, {}, {}).check()) == "computers");
}

TEST_CASE("a path without any bandwidth is found") {
    const links none(4);
    CHECK(told(two_sites(none).check()) == "bandwidth");  // the two in the cabinet
    CHECK(!two_sites({{0, 1}, {0, 0}, {0, 0}, {0, 0}}, {{}, {0, 1}, {0, 1}, {0, 0}}).check());
    CHECK(told(two_sites({{0, 1}, {0, 0}, {0, 0}, {0, 0}}, {{}, {0, 1}, {0, 0}, {0, 0}}).check()) == "bandwidth");
    CHECK(!two_sites(none, links(4)).with({}, list(16, 1)).check());
}

TEST_CASE("times that could leave 64 bits are refused beforehand") {
    const std::int64_t year = std::int64_t{1} << 60;
    const lob_model slow(list{0, 0}, list{0, 1, 1, 0}, list{0, year, year, 0});
    CHECK(!slow.check(2, 1000));
    CHECK(told(slow.check(2, 100'000'000)) == "bytes");
    CHECK(told(slow.check(2, -1)) == "bytes");
}

TEST_CASE("matrices instead of slow links leave no trace of these; wrong placements stay wrong") {
    const std::int64_t year = std::int64_t{1} << 58;
    const lob_model slow = two_sites({{year, 5}, {20, 7}, {30, 1}, {40, 0}});
    CHECK(told(slow.check(100, 1000)) == "bytes");
    CHECK(!slow.with(list(16, 77), list(16, 1)).check(100, 1000));
    CHECK(told(two_sites().placed(placement::block(3, 0)).check()) == "computers");
    CHECK(told(lob_model().with({}, {}).check()) == "computers");
}
