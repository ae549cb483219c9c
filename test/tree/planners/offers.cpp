#include "collsched/tree/planners/offers.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "support/random_clusters.hpp"

using namespace collsched;

namespace {

std::vector<rank_t> all_of(const planners::offers& open) {
    std::vector<rank_t> all;
    open.for_each([&](rank_t r) { all.push_back(r); });
    return all;
}

}  // namespace

TEST_CASE("the first of all pairs with a look-ahead, while senders come and start later, and receivers go") {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        support::pairs_model model(seed);
        planners::offers open(model.receivers());
        const auto start = [&](rank_t i) { return model.start_of(i); };
        const auto cost = [&](rank_t i, rank_t j) { return model.cost(i, j); };
        const std::vector<picoseconds> extra = model.numbers();
        const auto ahead = [&](rank_t j) { return extra[static_cast<std::size_t>(j)] * (open.waiting() % 3); };
        for (rank_t sender = 0; open.waiting() > 0; ++sender) {
            model.add(sender);
            open.add(sender, start(sender), cost);
            CHECK(all_of(open) == model.waiting);
            for (int sends = 0; sends < 3; ++sends) {
                const trees::tree_edge chosen = open.best(start, ahead);
                REQUIRE(chosen == model.best(ahead));
                model.delay(chosen.parent);
            }
            model.remove(open.best(start, ahead).child);
            open.remove([&](rank_t r) { return !model.waits(r); });
        }
        CHECK(model.waiting.empty());
    }
}

TEST_CASE("where starts never change") {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        support::pairs_model model(seed);
        planners::offers open(model.receivers(), false);
        const auto start = [&](rank_t i) { return model.start_of(i); };
        for (rank_t sender = 0; open.waiting() > 0; ++sender) {
            model.add(sender);
            open.add(sender, start(sender), [&](rank_t i, rank_t j) { return model.cost(i, j); });
            const trees::tree_edge chosen = open.best(start, [](rank_t) { return 0; });
            REQUIRE(chosen == model.best([](rank_t) { return 0; }));
            model.remove(chosen.child);
            open.remove([&](rank_t r) { return !model.waits(r); });
        }
    }
}
