#include "collsched/execute/shared_memory/detail/offered_message.hpp"

#include <doctest/doctest.h>

using collsched::detail::offered_message;

TEST_CASE("offered_message: one end claims it, until it releases it; another message's id does not") {
    offered_message message;
    message.id = 77;
    CHECK(!message.claim(76));
    CHECK(message.claim(77));
    CHECK(!message.claim(77));
    CHECK((message.unclaimed_id() == 77 && message.id != 77));
    message.release();
    CHECK((message.id == 77 && message.claim(77)));
}
