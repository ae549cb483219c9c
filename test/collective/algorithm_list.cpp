#include "collsched/collective/algorithm_list.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/neighbor_linear.hpp"
#include "collsched/collective/reduce/linear.hpp"
#include "collsched/combine/rename_buffers.hpp"
#include "support/archetypes.hpp"
#include "support/registry.hpp"

using namespace collsched;

TEST_CASE("algorithm list: an entry makes its algorithm from a shape and reports its parameters") {
    constexpr algorithm_entry entry = entry_of<allgather::ring>();
    static_assert(entry.takes(&shape::block) && entry.takes(&shape::ranks) && !entry.takes(&shape::root) &&
                  !entry.takes(&shape::numbering));
    static_assert(make<allgather::ring>({.ranks = 5, .block = 3}) == allgather::ring{.ranks = 5, .block = 3});
    CHECK(entry.make({.ranks = 5, .block = 3}).fingerprint() == fingerprint(allgather::ring{.ranks = 5, .block = 3}));
}

TEST_CASE("algorithm list: a shape holds neighborhoods and sizes of ranks or of out-slots") {
    const neighborhood n(std::vector<int>{2, 1}, std::vector<int>{1, 1, 0});
    const std::vector<bytes_t> of_ranks{5, 6}, of_slots{1, 2, 3};
    const auto gathered = [&](const block_layout& block) {
        return make<neighbor_allgather::linear>({.ranks = 2, .block = block, .neighbors = n});
    };
    const auto exchanged = [&](const block_layout& block) {
        return make<neighbor_alltoall::linear>({.ranks = 2, .block = block, .neighbors = n});
    };
    CHECK(gathered(7) == neighbor_allgather::linear{.ranks = 2, .neighbors = n, .block = 7});
    CHECK(gathered(block_layout(of_ranks)).block == slot_layout::gathered(n, of_ranks));
    CHECK(exchanged(7) == neighbor_alltoall::linear{.ranks = 2, .neighbors = n, .block = 7});
    CHECK(exchanged(block_layout(of_slots)).block == slot_layout::exchanged(n, of_slots));
    CHECK(!check(exchanged(block_layout(of_slots))));
    CHECK(std::string(check(exchanged(block_layout(of_ranks))).expected) == "as many counts as out-slots");
    CHECK(std::string(check(gathered(block_layout(of_slots))).argument) == "counts");
    static_assert(entry_of<neighbor_alltoall::linear>().takes(&shape::neighbors));
}

TEST_CASE("algorithm list: for_each visits the types in order") {
    std::string names;
    algorithm_list<allgather::ring, support::direct_exchange>::for_each(
        [&]<class A>() { names += std::string(A::info.name) + ";"; });
    CHECK(names == "ring;direct-exchange;");
}

TEST_CASE("algorithm list: each collective has a list of its algorithms") {
    using mixed = algorithm_list<allgather::ring, reduce::linear, allgather::bruck>;
    static_assert(std::is_same_v<mixed::of<collective::allgather>, algorithm_list<allgather::ring, allgather::bruck>>);
    static_assert(mixed::of<collective::scan>::entries.empty());
    static_assert(mixed::of<collective::reduce>::entries[0].info.collective == collective::reduce);
}

TEST_CASE("algorithm list: names in the registry are unique and made of lower-case words and hyphens") {
    std::set<std::string> seen;
    for (const algorithm_entry& entry : compiled::registry()) {
        const std::string name = std::string(name_of(entry.info.collective)) + "/" + entry.info.name;
        CHECK(seen.insert(name).second);
        CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_/") == std::string::npos);
        CHECK(std::string(entry.info.rounds) != "");
        CHECK(std::string(entry.info.source) != "");
    }
}

TEST_CASE("algorithm list: an invalid shape is reported before the algorithm is called") {
    const std::vector<bytes_t> counts{1, 2, 3};
    const auto wrong = [](const algorithm_entry& entry, const shape& wanted) {
        INFO(std::string(name_of(entry.info.collective)), "/", std::string(entry.info.name));
        const any_schedule s = entry.make(wanted);
        CHECK(s.check());
        CHECK(s.check() == bind_in_place(s).check());
    };
    for (const algorithm_entry& entry : compiled::whole_registry()) {
        for (const rank_t ranks : {rank_t{0}, rank_t{-1}, INT64_MIN + 1, INT64_MAX, rank_t{1} << 62})
            wrong(entry, {.ranks = ranks, .block = block_layout(counts)});
        if (entry.takes(&shape::root))
            for (const rank_t root : {rank_t{3}, rank_t{-1}, rank_t{1} << 40})
                wrong(entry, {.ranks = 3, .root = root, .block = block_layout(counts)});
        if (entry.takes(&shape::radix))
            for (const std::int64_t radix : {0, -5}) wrong(entry, {.ranks = 3, .block = 1, .radix = radix});
        if (entry.takes(&shape::block)) {
            wrong(entry, {.ranks = 4, .block = block_layout(counts)});
            wrong(entry, {.ranks = 3, .block = -1});
        } else if (entry.takes(&shape::bytes)) {
            wrong(entry, {.ranks = 3, .bytes = -1});
            wrong(entry, {.ranks = 3, .bytes = 5, .element = 2});
            if (entry.takes(&shape::segment)) wrong(entry, {.ranks = 3, .bytes = 5, .segment = -1});
        }
    }
}

TEST_CASE("algorithm list: more steps than 64 bits count are rejected") {
    for (const algorithm_entry& entry : compiled::registry())
        if (entry.takes(&shape::segment) && entry.takes(&shape::bytes)) {
            INFO(std::string(name_of(entry.info.collective)), "/", std::string(entry.info.name));
            const any_schedule s = entry.make({.ranks = 1000, .bytes = bytes_t{1} << 62, .segment = 1});
            if (const argument_error error = s.check()) CHECK(std::string(error.argument) == "segment");
            else CHECK(s.steps() > bytes_t{1} << 61);
        }
}
