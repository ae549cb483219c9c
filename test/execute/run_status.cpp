#include "collsched/execute/run_status.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace collsched;

TEST_CASE("run_status: the default state is idle") {
    static_assert(!run_status{}.done() && !run_status{}.failed());
    static_assert(run_status{.state = run_state::failed}.failed());
    CHECK(run_status{}.peer == -1);
}

TEST_CASE("run_status: every error of the engine has a unique text") {
    std::set<std::string> texts;
    for (int error = element_mismatch; error < 0; ++error)
        CHECK(texts.insert(text_of(static_cast<engine_error>(error))).second);
    CHECK(texts.count("an error of the transport") == 0);
    CHECK(text_of(static_cast<engine_error>(5)) == std::string("an error of the transport"));
}
