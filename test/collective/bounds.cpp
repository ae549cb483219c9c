// Which algorithms attain the lower bounds, and for which numbers of ranks: docs/bounds.md, line by line.

#include <doctest/doctest.h>

#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/brief.hpp"
#include "support/registry.hpp"
#include "support/verified.hpp"

using namespace collsched;

namespace {

using ranks_set = std::set<rank_t>;

any_schedule example(const algorithm_entry& entry, rank_t p) {
    const neighborhood ring = neighborhood::cartesian(std::vector<rank_t>{p}, std::vector<int>{1});
    return entry.make({.ranks = p, .block = 24, .bytes = 24 * p, .neighbors = ring});
}

/// Whether each rank sends and receives at most one message per round and the rounds equal their lower bound.
bool attains_rounds(const metrics_report& m) {
    return m.rounds == m.bounds.rounds && m.max_in_degree <= 1 && m.max_out_degree <= 1;
}
bool attains_bytes(const metrics_report& m) { return m.volume() == m.bounds.bytes; }

/// The numbers of ranks of `good` as text; `able` are all that the algorithm accepts.
std::string in_words(const ranks_set& good, const ranks_set& able) {
    if (good.empty()) return "-";
    if (good == able) return "every p";
    const auto those = [&](const std::function<bool(rank_t)>& like) {
        ranks_set all;
        for (const rank_t p : able)
            if (like(p)) all.insert(p);
        return all;
    };
    if (good == those(is_power_of_two)) return good.size() == 1 ? "p = 2" : "powers of two";
    if (good == those([](rank_t p) { return p % 2 == 0; })) return "even p";
    if (good == those([&](rank_t p) { return p <= *good.rbegin(); })) {
        const std::string last = std::to_string(*good.rbegin());
        return good.size() == 1 ? "p = " + last : "p <= " + last;
    }
    return "some p";
}

std::set<std::string> table_rows(rank_t most) {
    std::set<std::string> rows;
    for (const algorithm_entry& entry : compiled::registry()) {
        ranks_set able, rounds, bytes;
        for (rank_t p = 2; p <= most; ++p) {
            if (!support::can_do(entry, p)) continue;
            able.insert(p);
            const metrics_report m = support::measured(example(entry, p));
            if (attains_rounds(m)) rounds.insert(p);
            if (attains_bytes(m)) bytes.insert(p);
            CHECK(m.volume() >= m.bounds.bytes);
            if (m.max_in_degree <= 1 && m.max_out_degree <= 1) CHECK(m.rounds >= m.bounds.rounds);
        }
        rows.insert("| " + std::string(name_of(entry.info.collective)) + "/" + entry.info.name + " | " +
                    in_words(rounds, able) + " | " + in_words(bytes, able) + " |");
    }
    return rows;
}

const algorithm_entry& entry_named(const std::string& name) {
    for (const algorithm_entry& entry : compiled::registry())
        if (std::string(name_of(entry.info.collective)) + "/" + entry.info.name == name) return entry;
    FAIL("no ", name);
    return compiled::registry().front();
}

}  // namespace

TEST_CASE("bounds: the table of docs/bounds.md equals the schedules, p = 2 .. 33") {
    std::ifstream file("docs/bounds.md");
    REQUIRE(file);
    std::set<std::string> rows;
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("| ") && line.find('/') < line.find(" |")) rows.insert(line);
    const std::set<std::string> found = table_rows(33);
    for (const std::string& row : found) CHECK_MESSAGE(rows.contains(row), row, " is missing");
    for (const std::string& row : rows) CHECK_MESSAGE(found.contains(row), row, " is not so");
}

TEST_CASE("bounds: some schedule attains each bound or both, for every collective and p up to 300, in long runs all") {
    const rank_t stride = support::long_run() ? 1 : 7;  // beyond 64
    const auto check = [stride](const std::string& name, bool rounds, bool bytes) {
        const algorithm_entry& entry = entry_named(name);
        for (rank_t p = 1; p <= support::most(300); p += p < 64 ? 1 : stride) {
            CAPTURE(name);
            CAPTURE(p);
            const metrics_report m = support::measured(example(entry, p));
            if (rounds) CHECK(attains_rounds(m));
            if (bytes) CHECK(attains_bytes(m));
        }
    };
    for (const char* both : {"allgather/circulant", "reduce_scatter/circulant", "gather/binomial", "scatter/binomial",
                             "barrier/dissemination"})
        check(both, true, true);
    for (const char* rounds : {"broadcast/binomial", "reduce/binomial", "allreduce/allgather-reduce", "alltoall/bruck",
                               "scan/recursive-doubling", "exscan/recursive-doubling"})
        check(rounds, true, false);
    for (const char* bytes : {"broadcast/chain", "reduce/chain", "allreduce/circulant", "scan/linear", "exscan/linear"})
        check(bytes, false, true);
}

TEST_CASE("bounds: every exchange up to 300 ranks attains the bytes of pairwise at some p") {
    for (const rank_t p : {1, 2, 3, 4, 5, 7, 8, 16, 31, 100, 299, 300})
        CHECK(attains_bytes(support::measured(example(entry_named("alltoall/pairwise"), p))));
}

TEST_CASE(
    "bounds: the circulant allreduce takes 2 ceil(log2 p) rounds and at most an element per part above the bytes") {
    for (rank_t p = 2; p <= support::most(300); ++p)
        for (const bytes_t elements : {p - 1, p + 1, 5 * p + 3}) {
            CAPTURE(p);
            const any_schedule s =
                entry_named("allreduce/circulant").make({.ranks = p, .bytes = 8 * elements, .element = 8});
            const metrics_report m = support::measured(s);
            CHECK(m.rounds == 2 * ceil_log2(p));
            CHECK(m.volume() <= 2 * ((elements - 1) / p + 1) * 8 * (p - 1));
        }
}
