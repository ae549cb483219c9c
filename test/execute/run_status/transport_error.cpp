#include "collsched/execute/run_status.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace collsched;

TEST_CASE("message::error: every error of the engine and of transports has a text of its own") {
    std::set<std::string> texts;
    for (int error = element_mismatch; error <= message::error::revoked; ++error)
        CHECK(texts.insert(error_text(error)).second);
    const std::string other = "an error of the transport";
    CHECK(texts.count(other) == 0);
    for (const int error : {element_mismatch - 1, message::error::revoked + 1, int(message::error::first_own)})
        CHECK(error_text(error) == other);
}

TEST_CASE("message::error: the numbers, which ranks of one job exchange") {
    using error = message::error;
    static_assert(error::peer_died == 1 && error::peer_left == 2 && error::size_mismatch == 3);
    static_assert(error::disagreement == 4 && error::withdrawn == 5 && error::no_such_rank == 6);
    static_assert(error::protocol_violation == 7 && error::combine_failed == 8 && error::closed == 9);
    static_assert(error::would_block == 10 && error::no_such_channel == 11 && error::revoked == 12);
    static_assert(error::first_own == 1000);
    CHECK(error_text(error::peer_died) == std::string("the other rank has died"));
}
