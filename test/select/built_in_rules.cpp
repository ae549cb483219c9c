#include "collsched/select/built_in_rules.hpp"

#include <doctest/doctest.h>

#include <set>
#include <span>
#include <string>

#include "collsched/select/choice.hpp"
#include "support/registry.hpp"

using namespace collsched;

TEST_CASE("built_in_rules: rows name algorithms of the library, with parameters that these have") {
    for (const std::span<const decision> rows :
         {std::span<const decision>(built_in_rules), std::span<const decision>(canonical_rules)})
        for (const decision& row : rows) {
            CAPTURE(row.algorithm);
            const algorithm_entry* const entry = find_algorithm(compiled::registry(), row.collective, row.algorithm);
            REQUIRE(entry != nullptr);
            for (const decision::free_parameter& one : free_parameters)
                CHECK((row.*one.row == shape::as_it_is || entry->takes(one.value)));
            CHECK(row.origin == (row.ranks < 3 ? decision::source::measured : decision::source::simulated));
        }
}

TEST_CASE(
    "built_in_rules: every call of a collective but those of neighbors fits a row that needs no commutative "
    "operation") {
    std::set<collective> found;
    for (const decision& row : built_in_rules)
        if (row.ranks == 1 && row.ranks_per_node == 1 && row.bytes == 0 && !row.commutative)
            found.insert(row.collective);
    CHECK(found.size() == 11);
    for (const collective none : {collective::neighbor_allgather, collective::neighbor_alltoall})
        CHECK(!found.contains(none));
    CHECK(std::string(built_in_model) == "10 GbE and 100 Gb/s InfiniBand");
}

TEST_CASE("built_in_rules: canonical rows are for reductions from 3 ranks on") {
    for (const decision& row : canonical_rules) CHECK((reduces(row.collective) && row.ranks >= 3));
}

TEST_CASE("built_in_rules: no row has been changed by hand") {
    const auto fingerprint_of_rows = [](std::span<const decision> rows) {
        std::uint64_t hash = 14695981039346656037U;
        const auto add = [&](std::uint64_t word) { hash = (hash ^ word) * 1099511628211U; };
        for (const decision& row : rows) {
            for (const std::int64_t value : row.precedence()) add(static_cast<std::uint64_t>(value));
            for (const decision::free_parameter& one : free_parameters) add(static_cast<std::uint64_t>(row.*one.row));
            add(static_cast<std::uint64_t>(row.collective));
            for (const char* c = row.algorithm; *c != '\0'; ++c) add(static_cast<unsigned char>(*c));
        }
        return hash;
    };
    // After make_rules.py has written other rows, these are their numbers.
    CHECK(fingerprint_of_rows(built_in_rules) == 7629911718031711460U);
    CHECK(fingerprint_of_rows(canonical_rules) == 10301684229189217801U);
}
