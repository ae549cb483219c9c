#include "collsched/simulate/detail/link_users.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

using namespace collsched;
using namespace collsched::detail;

namespace {

std::vector<std::int64_t> users_of(const link_users& all, std::int32_t link) {
    std::vector<std::int64_t> found;
    for (const link_users::user& one : all.users(link)) found.push_back(one.path);
    std::ranges::sort(found);
    return found;
}
using paths = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("link_users: the users of a link are the paths that have entered and not left") {
    const contention_model::network net(2, {{{0, 5}}, {{0, 5}}, {{0, 5}, false}, {{0, 0}}}, {});
    link_users all(net);
    all.add({0, 2, 3}, {1}, 50);
    all.add({0, 1}, {}, 50);
    all.add({1, 0, 0}, {1}, 0);
    REQUIRE(all.uses(0).size() == 2);
    CHECK(all.uses(0)[0].permille == 1000);
    CHECK(all.uses(0)[1].permille == 50);
    CHECK(all.uses(2).size() == 3);
    for (const std::int64_t path : {0, 1, 2}) all.enter(path);
    CHECK(users_of(all, 0) == paths{0, 1, 2, 2});
    CHECK(users_of(all, 1) == paths{0, 1, 2});
    all.leave(0);
    CHECK(users_of(all, 0) == paths{1, 2, 2});
    all.leave(2);
    CHECK(users_of(all, 0) == paths{1});
    CHECK(users_of(all, 1) == paths{1});
    all.enter(0);
    all.leave(1);
    CHECK(users_of(all, 0) == paths{0});
    CHECK(users_of(all, 2).empty());
    CHECK(users_of(all, 3).empty());
}
