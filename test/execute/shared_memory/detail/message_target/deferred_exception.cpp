#include "collsched/execute/shared_memory/detail/message_target.hpp"

#include <doctest/doctest.h>

using collsched::detail::deferred_exception;

TEST_CASE("deferred_exception: the first of several exceptions is thrown later, once") {
    deferred_exception kept;
    CHECK(kept.run([] {}));
    kept.rethrow();
    CHECK(!kept.run([] { throw 7; }));
    CHECK(!kept.run([] { throw 8; }));
    CHECK(kept.run([] {}));
    try {
        kept.rethrow();
        FAIL("nothing was thrown");
    } catch (int number) {
        CHECK(number == 7);
    }
    kept.rethrow();
}
