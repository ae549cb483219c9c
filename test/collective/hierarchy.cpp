#include "collsched/collective/hierarchy.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/brief.hpp"
#include "support/layouts.hpp"
#include "support/placements.hpp"

using namespace collsched;
using support::placed_as;
using topology::placement;

namespace {

/// The groups by name: "a b b a" has 0 and 3 together.
std::string drawn(const rank_groups& groups) {
    std::string text;
    for (rank_t r = 0; r < groups.ranks(); ++r) text += static_cast<char>('a' + groups.group(r));
    return text;
}

std::vector<bytes_t> places(const region& r, bytes_t size) {
    std::vector<bytes_t> all;
    for (bytes_t i = 0; i < size; ++i) all.push_back(r.at(i).start.offset);
    return all;
}

}  // namespace

TEST_CASE("hierarchy: ranks that share a node are a group, and neighbors that do are a run") {
    const auto groups = [](const char* seats) {
        const placement where = placed_as(seats);
        return drawn(groups_of(where, where.ranks())) + " " + drawn(runs_of(where, where.ranks()));
    };
    CHECK(groups("A") == "a a");
    CHECK(groups("ABBA") == "abba abbc");
    CHECK(groups("AABBBA") == "aabbba aabbbc");
    CHECK(groups("ABABBA") == "ababba abcdde");
    CHECK(groups("ZZYXXY") == "aabccb aabccd");
    CHECK(drawn(groups_of({}, 5)) == "aaaaa");
    CHECK(drawn(runs_of({}, 5)) == "aaaaa");
    for (rank_t p = 1; p <= support::most(40); ++p)
        for (const auto& [name, where] : support::placements(p)) {
            const support::crowd crowd(where, p);
            CHECK(groups_of(where, p).groups() == crowd.nodes);
            CHECK(groups_of(where, p).consecutive() == crowd.neighbors());
            CHECK(runs_of(where, p).groups() == crowd.runs);
            CHECK(runs_of(where, p).consecutive());
        }
}

TEST_CASE("hierarchy: an invalid placement is reported and replaced by that of one rank") {
    CHECK(!check_placement({}, 7));
    CHECK(!check_placement(placed_as("ABBA"), 4));
    CHECK(std::string(check_placement(placed_as("ABBA"), 5).argument) == "placement");
    CHECK(check_placement(placed_as("ABBA"), 5).value == 4);
    CHECK(std::string(check_placement(placement::block(4, 0), 4).argument) == "nodes");
    constexpr rank_t most = rank_t{1} << 24;
    CHECK(!check_placement({}, most));
    CHECK(!check_placement(placement::block(4, most), 4));
    const auto text = [](const placement& where, rank_t ranks) {
        return std::string(check_placement(where, ranks).text().c_str());
    };
    CHECK(text({}, most + 1) == "ranks: got 16777217, expected 2^24 or less, as groups are stored");
    CHECK(text(placement::block(4, most + 1), 4) == "nodes: got 16777217, expected 2^24 or less");
    CHECK(text(placed_as("ABBA"), 3) == "placement: got 4, expected as many entries as ranks");
    CHECK(groups_of(placed_as("ABBA"), 5).ranks() == 1);
    CHECK(runs_of(placement::block(4, 0), 4).ranks() == 1);
    CHECK(groups_of({}, -3).ranks() == 1);
    CHECK(groups_of({}, rank_t{1} << 50).ranks() == 1);
}

TEST_CASE("hierarchy: sizes and offsets of the blocks of each group") {
    for (rank_t p = 1; p <= 12; ++p)
        for (const auto& [name, where] : support::placements(p))
            for (const auto& [sizes, layout] : support::layouts(p, 2)) {
                INFO(name, " ", sizes, " p=", p);
                const rank_groups groups = groups_of(where, p);
                const detail::blocks_in_groups blocks(layout, groups);
                std::vector<bytes_t> all;
                for (rank_t g = 0; g < groups.groups(); ++g) {
                    std::vector<bytes_t> expected;
                    for (rank_t i = 0; i < groups.size(g); ++i) {
                        const rank_t r = groups.member(g, i);
                        CHECK(blocks.inside(g).count(i) == layout.count(r));
                        CHECK(blocks.inside(g).displ(i) == std::ssize(expected));
                        for (bytes_t k = 0; k < layout.count(r); ++k) expected.push_back(layout.displ(r) + k);
                    }
                    CHECK(blocks.bytes(g) == std::ssize(expected));
                    CHECK(blocks.group_layout().count(g) == std::ssize(expected));
                    CHECK(places(blocks.of_group(g, buffer::output), std::ssize(expected)) == expected);
                    all.insert(all.end(), expected.begin(), expected.end());
                }
                CHECK(places(blocks.in(buffer::input), std::ssize(all)) == all);
                CHECK(blocks.in(buffer::input).where() == buffer::input);
            }
}

TEST_CASE("hierarchy: usable during constant evaluation") {
    static_assert([] {
        const rank_t seats[] = {1, 0, 1};
        const rank_groups groups = groups_of(placement::list(seats, 2), 3);
        const detail::blocks_in_groups blocks(5, groups);
        return blocks.bytes(0) == 10 && blocks.of_group(0, buffer::output).at(5).start.offset == 10 &&
               blocks.of_group(1, buffer::output).at(0).start.offset == 5;
    }());
}
