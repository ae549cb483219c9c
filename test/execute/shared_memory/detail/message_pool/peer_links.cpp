#include "collsched/execute/shared_memory/detail/message_pool.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <utility>
#include <vector>

using namespace collsched;

TEST_CASE("peer_links: each state is made once, and stays where it is") {
    detail::peer_links<int> links(4);
    const auto make = [made = 10]() mutable { return std::make_unique<int>(made++); };
    auto makes = make;
    for (rank_t r = 0; r < 4; ++r) CHECK(links.find(r) == nullptr);
    int& two = links.get(2, std::ref(makes));
    int& zero = links.get(0, std::ref(makes));
    CHECK((two == 10 && zero == 11));
    CHECK(&links.get(2, std::ref(makes)) == &two);
    CHECK((links.find(2) == &two && links.find(0) == &zero && links.find(1) == nullptr && links.find(3) == nullptr));
    std::vector<std::pair<rank_t, int>> seen;
    links.for_each([&](rank_t rank, int& state) { seen.emplace_back(rank, state); });
    CHECK(seen == std::vector<std::pair<rank_t, int>>{{0, 11}, {2, 10}});
}
