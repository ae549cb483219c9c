// Which reductions have which association: docs/association.md, line by line.

#include "collsched/select/algorithm_association.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "collsched/format/write_association.hpp"
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
        if (entry.takes("radix")) made.push_back({.ranks = p, .radix = k});
        if (entry.takes("group") && !entry.takes("placement")) made.push_back({.ranks = p, .group = k});
        if (entry.takes("aggregate")) made.push_back({.ranks = p, .aggregate = k});
        if (!entry.takes("placement") || k > p) continue;
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
    association_summary own, others;
    for (rank_t p = 3; p <= most; ++p) {
        add_association(entry, {.ranks = p}, own);
        if (p <= 17 || p % 16 <= 1)
            for (const shape& other : variants(entry, p)) add_association(entry, other, others);
    }
    CHECK(own == summarize_association(entry));
    if (!entry.takes("placement")) CHECK(others.any_ranks >= own.any_ranks);  // the command line relies on it
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
        for (const cluster_model& cluster : support::clusters(p))
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
            if (!reduces(entry.info.collective) || (!entry.takes("forest") && !entry.takes("transfers"))) continue;
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
            association_summary summary;
            add_association(entry, {.ranks = 12}, summary);
            CHECK(summary == association_summary{});
            add_association(entry, {.ranks = 8}, summary);
            CHECK(summary == association_summary{association_class::rank, association_class::rank});
        }
}
