#include "collsched/group/outcome.hpp"

#include <doctest/doctest.h>

using namespace collsched;

TEST_CASE("outcome: its text names ranks, step and cause") {
    CHECK(outcome{}.text() == "not started");
    CHECK(!outcome{}.ok());
    CHECK(outcome{.status = {.state = run_status::phase::running}}.text() == "running");
    CHECK(outcome{.status = {.state = run_status::phase::running}}.running());
    const outcome done{.status = {.state = run_status::phase::done}};
    CHECK((done.ok() && done.text() == "done"));
    const outcome refused{.wrong = {"root", 7, "a rank of the group"}};
    CHECK((!refused.ok() && refused.text() == "root: got 7, expected a rank of the group"));
    const run_status died{
        .state = run_status::phase::failed, .error = message::error::peer_died, .step = 2, .rank = 1, .peer = 3};
    const run_status revoked{.state = run_status::phase::failed, .error = message::error::revoked, .rank = 0};
    const std::string first = "rank 1, step 2, message with rank 3: the other rank has died";
    CHECK(outcome{.status = died, .cause = died}.text() == first);
    CHECK(outcome{.status = revoked, .cause = died}.text() ==
          "rank 0: the operations of all ranks were ended; it follows from: " + first);
    const run_status later{.state = run_status::phase::failed, .error = message::error::revoked, .rank = 1};
    CHECK(outcome{.status = later, .cause = died}.text() ==
          "rank 1: the operations of all ranks were ended; it follows from: " + first);
    const run_status other{
        .state = run_status::phase::failed, .error = message::error::peer_died, .step = 2, .rank = 0, .peer = 3};
    CHECK(outcome{.status = other, .cause = died}.text().ends_with("; it follows from: " + first));
    const run_status own{.state = run_status::phase::failed, .error = message::error::first_own + 7, .rank = 0};
    CHECK(outcome{.status = own}.text() == "rank 0: an error of the transport 1007");
}
