#include "collsched/group/group_options.hpp"

#include <doctest/doctest.h>

using namespace collsched;

TEST_CASE("group_options: without a policy, without a limit of time") {
    const group_options none;
    CHECK((!none.policy && none.timeout == forever && none.kept_bytes == 64 << 20 && none.channels == 65536));
    CHECK(none.placement.ranks_per_node() == 1);
}
