#include "collsched/execute/run_async.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/execute/inline.hpp"
#include "collsched/execute/rank_memory.hpp"
#include "support/real_bytes.hpp"
#include "support/coroutines.hpp"

using namespace collsched;

namespace {

/// A coroutine that begins at once and destroys itself at its end.
using run_type = execution<mock_network::endpoint>;

support::task run_twice(run_type& run, plan::buffers buffers, std::vector<run_status>& ends) {
    ends.push_back(co_await run_async(run, buffers));
    ends.push_back(co_await run_async(run, buffers));
}

}  // namespace

TEST_CASE("run_async: coroutines of all ranks run a plan twice, resumed by progress()") {
    for (const rank_t ranks : {1, 2, 5}) {  // one rank ends within start
        const allgather::ring s{.ranks = ranks, .block = 4};
        mock_network network(ranks);
        std::vector<std::unique_ptr<support::real_bytes>> bytes;
        std::vector<std::unique_ptr<bound_plan>> plans;
        std::vector<mock_network::endpoint> endpoints;
        std::vector<run_type> runs;
        std::vector<std::vector<run_status>> ends(static_cast<std::size_t>(ranks));
        for (rank_t r = 0; r < ranks; ++r) {
            bytes.push_back(std::make_unique<support::real_bytes>(lower(s).contract(), r));
            plans.push_back(std::make_unique<bound_plan>(s, r, bytes.back()->memory()));
            endpoints.push_back(network.at(r));
        }
        for (std::size_t r = 0; r < endpoints.size(); ++r) runs.emplace_back(plans[r]->plan(), endpoints[r]);
        for (std::size_t r = 0; r < endpoints.size(); ++r) run_twice(runs[r], plans[r]->buffers(), ends[r]);
        for (int i = 0; i < 60; ++i)
            for (run_type& run : runs) run.progress();
        for (std::size_t r = 0; r < endpoints.size(); ++r) {
            REQUIRE(ends[r].size() == 2);
            CHECK(ends[r][0].done());
            CHECK(ends[r][1].done());
            CHECK(bytes[r]->wrong() == "");
            CHECK(runs[r].epoch() == 2);
        }
    }
}

TEST_CASE("run_async: a failure and a cancel resume the coroutine with the status") {
    const allgather::ring s{.ranks = 2, .block = 4};
    mock_network network(2);
    auto endpoint = network.at(0);
    support::real_bytes bytes(lower(s).contract(), 0);
    bound_plan memory(s, 0, bytes.memory());
    run_type run(memory.plan(), endpoint);
    std::vector<run_status> ends;
    run_twice(run, memory.buffers(), ends);
    run.fail(17);
    REQUIRE(ends.size() == 1);
    CHECK(ends[0].error == 17);
    run.cancel();
    REQUIRE(ends.size() == 2);
    CHECK(ends[1].error == cancelled);
}
