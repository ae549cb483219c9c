#include "collsched/collective/algorithm_list.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "collsched/collective.hpp"
#include "support/archetypes.hpp"

using namespace collsched;

TEST_CASE("an entry makes its algorithm from a shape, and tells what it takes") {
    constexpr algorithm_entry entry = entry_of<allgather::ring>();
    static_assert(entry.takes("block") && entry.takes("ranks") && !entry.takes("root") && !entry.takes("bloc"));
    static_assert(make<allgather::ring>({.ranks = 5, .block = 3}) == allgather::ring{.ranks = 5, .block = 3});
    CHECK(entry.make({.ranks = 5, .block = 3}).fingerprint() == fingerprint(allgather::ring{.ranks = 5, .block = 3}));
}

TEST_CASE("a list goes through its types in order") {
    std::string names;
    algorithm_list<allgather::ring, support::direct_exchange>::for_each(
        [&]<class A>() { names += std::string(A::info.name) + ";"; });
    CHECK(names == "ring;direct-exchange;");
}

TEST_CASE("names in the registry are unique and made of lower-case words and hyphens") {
    std::set<std::string> seen;
    for (const algorithm_entry& entry : registry::entries) {
        const std::string name = std::string(name_of(entry.info.what)) + "/" + entry.info.name;
        CHECK(seen.insert(name).second);
        CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_/") == std::string::npos);
        CHECK(std::string(entry.info.rounds) != "");
        CHECK(std::string(entry.info.source) != "");
    }
}
