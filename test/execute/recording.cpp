#include "collsched/execute/recording.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/execute/mock.hpp"
#include "collsched/execute/threads.hpp"
#include "support/real_bytes.hpp"

using namespace collsched;

static_assert(detail::has_ended<recording<thread_fabric::endpoint>>, "its starts must not be taken back later");

TEST_CASE("recording: messages of two threads are recorded at both ends, and arrive unchanged") {
    const allgather::ring schedule{.ranks = 4, .block = 100};
    std::vector<std::unique_ptr<support::real_bytes>> bytes;
    std::vector<rank_memory> memory;
    for (rank_t r = 0; r < 4; ++r) {
        bytes.push_back(std::make_unique<support::real_bytes>(lower(schedule).contract(), r));
        memory.push_back(bytes.back()->memory());
    }
    std::vector<std::vector<recording<thread_fabric::endpoint>::entry>> logs(4);
    const run_status end =
        run_threads(schedule, memory, binding::separate, {}, 2, [&](rank_t r, thread_fabric::endpoint inner) {
            return recording<thread_fabric::endpoint>(inner, r, logs[static_cast<std::size_t>(r)]);
        });
    CHECK(end.done());
    for (auto& b : bytes) CHECK(b->wrong() == "");
    for (rank_t r = 0; r < 4; ++r) {
        const auto& log = logs[static_cast<std::size_t>(r)];
        CHECK(log.size() == 12);  // twice three sends and three receives
        int sends = 0;
        for (const recording<thread_fabric::endpoint>::entry& one : log) {
            sends += one.sends ? 1 : 0;
            CHECK(one.rank == r);
            CHECK(one.bytes == 100);
            CHECK(one.error == 0);
            CHECK(one.key.peer == (one.sends ? (r + 1) % 4 : (r + 3) % 4));
            CHECK(one.complete > one.posted);
        }
        CHECK(sends == 6);
    }
}

TEST_CASE("recording: failed posts and posts that complete at once are recorded") {
    mock_network network(2, {.eager = true, .at_once = true, .faults = {.refuse = 0}});
    std::vector<recording<thread_fabric::endpoint>::entry> log;
    recording<mock_network::endpoint> end(network.at(0), 0, log);
    const std::byte data[1] = {};
    const message::send_part one{data, 1};
    int owner = 0, at_once = 0;
    CHECK(end.post_send({.peer = 1, .request = {&owner, 0}}, {&one, 1}) == mock_network::error::injected);
    for (std::int64_t i = 1; i < 20; ++i)
        at_once +=
            end.post_send({.peer = 1, .sequence = i, .request = {&owner, i}}, {&one, 1}) == already_complete ? 1 : 0;
    CHECK(log.size() == 20);
    CHECK(log[0].error == mock_network::error::injected);
    CHECK((at_once > 0 && at_once < 19));
    while (end.poll().request.owner != nullptr) {}
    for (std::size_t i = 1; i < log.size(); ++i) CHECK(log[i].complete > log[i].posted);
}

TEST_CASE("recording: an entry without a message, and one whose completion has an error") {
    const recording<mock_network::endpoint>::entry none;
    CHECK((none.rank == 0 && !none.sends && none.bytes == 0 && none.error == 0 && none.posted == none.complete));
    mock_network network(2, {.faults = {.fail = 0, .error = 44}});
    std::vector<recording<mock_network::endpoint>::entry> log;
    recording<mock_network::endpoint> end(network.at(0), 0, log);
    const std::byte out[3] = {};
    std::byte in[3] = {};
    const message::send_part from{out, 3};
    const message::receive_part into{in, 3};
    int owner = 0;
    CHECK(end.post_send({.peer = 1, .request = {&owner, 5}}, {&from, 1}) == 0);
    CHECK(network.at(1).post_recv({.peer = 0, .request = {&owner, 6}}, {&into, 1}) == 0);
    REQUIRE(log.size() == 1);
    CHECK(log[0].posted == log[0].complete);
    CHECK(end.poll().request.node == 5);
    CHECK((log[0].error == 44 && log[0].complete > log[0].posted && log[0].bytes == 3));
}
