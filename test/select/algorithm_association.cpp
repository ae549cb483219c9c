// Which reductions have which association: docs/association.md, line by line.

#include "collsched/select/algorithm_association.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "collsched/format/schedules/write_association.hpp"
#include "support/brief.hpp"
#include "support/clusters.hpp"
#include "support/matched_networks.hpp"
#include "support/random_forest.hpp"
#include "support/registry.hpp"

using namespace collsched;

namespace {

/// Shapes of p ranks with other radices, groups, sizes of messages and placements than an algorithm's own.
std::vector<shape> variants(const algorithm_entry& entry, rank_t p) {
    std::vector<shape> made;
    for (const std::int64_t k : {2, 3, 4, 8}) {
        if (entry.takes(&shape::radix)) made.push_back({.ranks = p, .radix = k});
        if (entry.takes(&shape::group) && !entry.takes(&shape::placement)) made.push_back({.ranks = p, .group = k});
        if (entry.takes(&shape::aggregate)) made.push_back({.ranks = p, .aggregate = k});
        if (!entry.takes(&shape::placement) || k > p) continue;
        made.push_back({.ranks = p, .placement = topology::placement::block(p, (p + k - 1) / k)});
        made.push_back({.ranks = p, .placement = topology::placement::cyclic(p, k)});
    }
    return made;
}

std::string title(const algorithm_entry& entry) {
    return std::string(name_of(entry.info.collective)) + "/" + entry.info.name;
}

/// Returns the row of the table for an algorithm.
std::string table_row(const algorithm_entry& entry, rank_t most) {
    association_report::summary own, others;
    for (rank_t p = 3; p <= most; ++p) {
        add_association(entry, {.ranks = p}, own);
        if (p <= 17 || p % 16 <= 1)
            for (const shape& other : variants(entry, p)) add_association(entry, other, others);
    }
    CHECK(own == summarize_association(entry));
    if (!entry.takes(&shape::placement)) CHECK(others.any_ranks >= own.any_ranks);  // the command line relies on it
    return "| " + title(entry) + " | " + name_of(own.any_ranks) + " | " + name_of(own.powers_of_two) + " | " +
           (variants(entry, 4).empty() ? "-" : name_of(others.any_ranks)) + " |";
}

std::set<std::string> lines_of_page() {
    std::ifstream file("docs/association.md");
    std::set<std::string> rows;
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("| ") && line.find('/') < line.find(" | ")) rows.insert(line);
    return rows;
}

}  // namespace

TEST_CASE("algorithm_association: the table of docs/association.md equals the schedules, p = 3 .. 64") {
    const std::set<std::string> page = lines_of_page();
    std::size_t count = 0;
    for (const algorithm_entry& entry : compiled::registry()) {
        if (!reduces(entry.info.collective)) continue;
        ++count;
        if (support::brief() && count % 5 != 0) continue;
        const std::string row = table_row(entry, support::brief() ? 17 : 64);
        INFO(row);
        CHECK(page.contains(row));
    }
    CHECK(page.size() == count);
}

TEST_CASE("algorithm_association: a planned reduce has one tree for each plan, which depends on the size") {
    for (const rank_t p : {2, 3, 8, 13})
        for (const lob_model& cluster : support::clusters(p))
            for (const algorithm_entry& entry : compiled::planned_registry()) {
                if (!reduces(entry.info.collective)) continue;
                if (title(entry) == "reduce/optimal" && p > 8) continue;
                INFO(title(entry), " ", p);
                for (const bytes_t bytes : {bytes_t{8}, 24 * p})
                    CHECK(association(entry.make({.ranks = p, .bytes = bytes, .element = 8, .cluster = cluster}))
                              .has(association_class::position));
                CHECK(algorithm_association(entry, {.ranks = p, .cluster = cluster}) >= association_class::rank);
            }
}

TEST_CASE("algorithm_association: reductions for networks are of class rank or higher") {
    std::size_t networked = 0;
    for (const rank_t p : {2, 3, 8, 13})
        for (const algorithm_entry& entry : compiled::whole_registry()) {
            if (!reduces(entry.info.collective) || (!entry.takes(&shape::forest) && !entry.takes(&shape::transfers)))
                continue;
            ++networked;
            INFO(title(entry), " ", p);
            const shape given{.ranks = p,
                              .block = 8,
                              .bytes = 8,
                              .forest = support::random_forest(static_cast<std::uint64_t>(p), p),
                              .transfers = support::matched_ring(p, 1)};
            CHECK(!entry.make(given).check());
            CHECK(algorithm_association(entry, given) >= association_class::rank);
        }
    CHECK(networked == 16);
}

TEST_CASE("add_association: a number of ranks that is refused adds nothing") {
    for (const algorithm_entry& entry : compiled::registry())
        if (title(entry) == "reduce_scatter/swing") {
            association_report::summary summary;
            add_association(entry, {.ranks = 12}, summary);
            CHECK(summary == association_report::summary{});
            add_association(entry, {.ranks = 8}, summary);
            CHECK(summary == association_report::summary{association_class::rank, association_class::rank});
        }
}

namespace {

/// The shapes for which an algorithm makes schedules: message, block and segment in elements, root, element in bytes.
std::string requested;
/// The root, and the size in elements, for which the algorithm has the brackets of a ring; -1: for none.
rank_t ring_root = -1;
bytes_t ring_size = -1;
bool refuses = false;

any_schedule noted(const shape& given) {
    const bytes_t element = given.element;
    requested += std::to_string(given.bytes / 8) + "/" +
                 std::to_string(given.block.prefix(given.ranks) / given.ranks / 8) + "/" +
                 std::to_string(given.segment / 8) + "/" + std::to_string(given.root) + "/" + std::to_string(element) +
                 " ";
    shape valid = given;
    valid.ranks = refuses ? 0 : given.ranks;
    const bool ring = given.root == ring_root || given.bytes == 8 * ring_size;
    return compiled::find(collective::allreduce, ring ? "ring" : "interval-doubling")->make(valid);
}

algorithm_entry noting(std::initializer_list<const char*> parameters) {
    algorithm_entry entry{.info = compiled::find(collective::allreduce, "ring")->info, .make = noted};
    std::copy(parameters.begin(), parameters.end(), entry.parameters.begin());
    return entry;
}

association_class level_of(const algorithm_entry& entry, rank_t p) {
    requested.clear();
    return algorithm_association(entry, {.ranks = p});
}

}  // namespace

TEST_CASE("algorithm_association: sizes, segments and roots for which a class is computed") {
    refuses = true;
    CHECK(level_of(noting({"bytes"}), 5) == association_class::canonical);
    CHECK(requested == "1/1/0/0/8 5/5/0/0/8 8/8/0/0/8 ");
    (void)level_of(noting({"block"}), 5);
    CHECK(requested == "1/1/0/0/8 3/3/0/0/8 ");
    (void)level_of(noting({"bytes", "segment"}), 5);
    CHECK(requested == "1/1/0/0/8 5/5/0/0/8 8/8/0/0/8 1/1/3/0/8 5/5/3/0/8 8/8/3/0/8 1/1/1/0/8 5/5/1/0/8 8/8/1/0/8 ");
    (void)level_of(noting({"bytes", "root"}), 5);
    CHECK(requested == "1/1/0/0/8 5/5/0/0/8 8/8/0/0/8 1/1/0/2/8 5/5/0/2/8 8/8/0/2/8 1/1/0/4/8 5/5/0/4/8 8/8/0/4/8 ");
    (void)level_of(noting({"bytes", "segment"}), 64);
    CHECK(std::count(requested.begin(), requested.end(), ' ') == 9);
    (void)level_of(noting({"bytes", "segment", "root"}), 65);  // the largest size alone
    CHECK(requested == "98/98/0/0/8 98/98/33/0/8 98/98/0/32/8 98/98/33/32/8 98/98/0/64/8 98/98/33/64/8 ");
    (void)level_of(noting({"block", "segment"}), 65);
    CHECK(requested == "3/3/0/0/8 3/3/33/0/8 ");
    refuses = false;
}

TEST_CASE("algorithm_association: the class is the smallest of all roots and sizes") {
    const algorithm_entry entry = noting({"bytes", "root"}), rootless = noting({"bytes"});
    CHECK(level_of(entry, 8) == association_class::canonical);
    for (const rank_t root : {0, 4, 7}) {
        ring_root = root;
        CHECK(level_of(entry, 8) == association_class::rank);
        CHECK((level_of(rootless, 8) == association_class::rank) == (root == 0));
    }
    ring_root = -1;
    for (const bytes_t size : {1, 8, 13}) {
        ring_size = size;
        CHECK(level_of(entry, 8) < association_class::canonical);
    }
    ring_size = -1;
}

TEST_CASE("add_association: powers of two have a class of their own, and a summary begins with the highest") {
    association_report::summary summary;
    CHECK(summary == association_report::summary{association_class::canonical, association_class::canonical});
    const algorithm_entry entry = noting({"bytes", "root"});
    ring_root = 3;  // the middle root of 6 ranks, and the last of 4
    add_association(entry, {.ranks = 6}, summary);
    CHECK(summary == association_report::summary{association_class::rank, association_class::canonical});
    CHECK(requested.ends_with(" 10/10/0/5/8 "));
    ring_root = -1;
    add_association(entry, {.ranks = 8}, summary);
    CHECK(summary == association_report::summary{association_class::rank, association_class::canonical});
    ring_root = 3;
    add_association(entry, {.ranks = 4}, summary);
    CHECK(summary == association_report::summary{association_class::rank, association_class::rank});
    ring_root = -1;
    requested.clear();
    (void)summarize_association(noting({"bytes"}));
    for (const char* size : {"3", "4", "5", "6", "7", "8", "12", "16"})
        CHECK(requested.find(std::string(" ") + size + "/" + size + "/0/0/8 ") != requested.npos);
    CHECK(std::count(requested.begin(), requested.end(), ' ') == 8 * (1 + 3));
}

TEST_CASE("has_association: reductions without a cluster or network") {
    for (const algorithm_entry& entry : compiled::registry())
        CHECK(has_association(entry) == reduces(entry.info.collective));
    for (const algorithm_entry& entry : compiled::whole_registry())
        if (entry.takes(&shape::cluster) || entry.takes(&shape::forest) || entry.takes(&shape::transfers))
            CHECK(!has_association(entry));
}
