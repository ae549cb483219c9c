#include "collsched/execute/run_sender.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/execute/inline.hpp"
#include "collsched/execute/rank_memory.hpp"
#include "support/real_bytes.hpp"

using namespace collsched;

namespace {

/// The least receiver: notes how it was completed.
struct noting {
    std::string* seen;
    void set_value() && noexcept { *seen += "value "; }
    void set_stopped() && noexcept { *seen += "stopped "; }
    void set_error(const run_status& end) && noexcept { *seen += "error " + std::to_string(end.error) + " "; }
};

}  // namespace

TEST_CASE("run_sender: an operation completes its receiver once, by value, error or stopped") {
    std::string seen;
    const allgather::ring alone{.ranks = 1, .block = 4}, two{.ranks = 2, .block = 4};
    mock_network network(2);
    auto endpoint = network.at(0);
    support::real_bytes bytes(lower(alone).contract(), 0), half(lower(two).contract(), 0);
    bound_plan memory(alone, 0, bytes.memory()), pair(two, 0, half.memory());
    execution run(memory.plan(), endpoint), waiting(pair.plan(), endpoint, {.channel = 1});

    auto at_once = run_sender(run, memory.buffers()).connect(noting{&seen});
    CHECK(seen == "");
    at_once.start();
    CHECK(seen == "value ");
    run.fail(3);  // has ended
    CHECK(seen == "value ");

    auto failing = run_sender(waiting, pair.buffers()).connect(noting{&seen});
    failing.start();
    CHECK(seen == "value ");
    waiting.fail(8);
    CHECK(seen == "value error 8 ");
    auto stopping = run_sender(waiting, pair.buffers()).connect(noting{&seen});
    stopping.start();
    waiting.cancel();
    CHECK(seen == "value error 8 stopped ");
}
