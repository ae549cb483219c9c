#include "examples/programs/ucx/ucx_transport.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <memory>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/execute/rank_memory.hpp"
#include "forked_ranks/forked_ranks.hpp"
#include "support/transport_checks.hpp"

using namespace examples;
using namespace support;
using namespace std::chrono_literals;

namespace {

/// Two connected ranks in one process. One thread polls them in turn.
struct pair_of_ranks {
    pair_of_ranks() {
        const std::string addresses[] = {at[0]->address(), at[1]->address()};
        int errors[2] = {-1, -1};
        {
            const std::jthread other([&] { errors[1] = at[1]->connect(addresses, 10s).error; });
            errors[0] = at[0]->connect(addresses, 10s).error;
        }
        REQUIRE(errors[0] == 0);
        REQUIRE(errors[1] == 0);
    }
    ~pair_of_ranks() {
        const std::jthread other([&] { at[1].reset(); });
        at[0].reset();
    }

    std::map<std::int64_t, completion> collect(std::size_t number, std::chrono::nanoseconds patience = 30s) {
        return support::collect(at, number, patience);
    }

    std::unique_ptr<ucx_transport> at[2] = {std::make_unique<ucx_transport>(0), std::make_unique<ucx_transport>(1)};
};

}  // namespace

TEST_CASE(
    "ucx_transport: messages posted in opposite orders, cut differently at both ends, arrive over many channels") {
    pair_of_ranks two;
    check_any_order(two.at);
}

TEST_CASE("a message of another size than its receive is an error there") {
    pair_of_ranks two;
    const cut_bytes sent(10);
    cut_bytes large(11), small(9);
    CHECK(two.at[0]->post_send(key(1, 0, 0), sent.out) == 0);
    CHECK(two.at[0]->post_send(key(1, 1, 1), sent.out) == 0);
    CHECK(two.at[1]->post_recv(key(0, 2, 0), large.in) == 0);
    CHECK(two.at[1]->post_recv(key(0, 3, 1), small.in) == 0);
    auto seen = two.collect(4);
    CHECK(seen[2].error == message::error::size_mismatch);
    CHECK(seen[3].error == message::error::size_mismatch);
    CHECK(seen[3].peer == 0);
}

TEST_CASE("ucx_transport: a peer outside of the group, or a number too large for the tag, is rejected") {
    pair_of_ranks two;
    CHECK(two.at[0]->post_send(key(2, 0), {}) == message::error::no_such_rank);
    CHECK(two.at[0]->post_recv(key(0, 0), {}) == message::error::no_such_rank);
    CHECK(two.at[0]->post_send(key(1, 0, std::int64_t{1} << 24), {}) == message::error::no_such_channel);
    message::key beyond = key(1, 0, 0);
    beyond.channel = 4096;
    CHECK(two.at[0]->post_send(beyond, {}) == message::error::no_such_channel);
    CHECK(two.at[0]->post_recv(beyond, {}) == message::error::no_such_channel);
    CHECK(two.at[0]->poll().request.owner == nullptr);
}

TEST_CASE("a receive that is cancelled before it began leaves everything else alone") {
    pair_of_ranks two;
    cut_bytes cancelled(10, 10, 3), got(1000, 10, 5);
    const cut_bytes after(1000);
    CHECK(two.at[1]->post_recv(key(0, 1), cancelled.in) == 0);
    CHECK(two.at[1]->post_recv(key(0, 2, 7, &owner_b), got.in) == 0);
    two.at[1]->cancel(&owner_a);
    CHECK(two.at[0]->post_send(key(1, 3, 7, &owner_b), after.out) == 0);
    auto seen = two.collect(2);
    CHECK(seen.size() == 2);
    CHECK(seen[2].error == 0);
    CHECK(got.bytes == after.bytes);
    CHECK(cancelled.bytes == cut_bytes(10, 10, 3).bytes);
}

TEST_CASE("memory is free after cancel, also of a large message whose receive never comes") {
    for (const bool begun : {false, true}) {
        CAPTURE(begun);
        pair_of_ranks two;
        auto sent = std::make_unique<cut_bytes>(bytes_t{32} << 20);
        auto got = std::make_unique<cut_bytes>(bytes_t{32} << 20);
        CHECK(two.at[0]->post_send(key(1, 0), sent->out) == 0);
        two.collect(1, 20ms);
        if (begun) {
            CHECK(two.at[1]->post_recv(key(0, 1), got->in) == 0);
            two.at[1]->cancel(&owner_a);
            std::fill(got->bytes.begin(), got->bytes.end(), std::byte{9});
        }
        two.at[0]->cancel(&owner_a);
        sent.reset();
        CHECK(two.collect(1, 100ms).empty());
        CHECK(two.at[0]->post_send(key(1, 2), {}) == ucx_error(UCS_ERR_CANCELED));
        if (begun) CHECK(got->bytes == std::vector<std::byte>(got->bytes.size(), std::byte{9}));
    }
}

TEST_CASE("ucx_transport: a wait ends when its time is up, and when a message comes") {
    pair_of_ranks two;
    check_waiting(two.at);
}

TEST_CASE("when a rank is killed, the others fail instead of waiting for ever") {
    constexpr rank_t ranks = 4, victim = 2, next = victim + 1;  // the only rank that waits for the victim
    notice_board board(ranks), connected(ranks), reports(ranks);
    const int failed = fork_ranks(ranks, [&](rank_t rank) {
        ucx_transport over(rank);
        board.put(rank, over.address());
        if (over.connect(board.all(ranks), 10s).error != 0) return 1;
        connected.put(rank, "");
        std::vector<std::byte> mine(1000), all(4000);
        bound_plan plan(allgather::ring{.ranks = ranks, .block = 1000}, rank, {mine, all});
        execution run(plan.plan(), over);
        if (rank == victim) {
            for (rank_t other = 0; other < ranks; ++other)  // connecting ranks need its progress
                while (!connected.has(other)) over.wait_any(1ms);
            over.wait_any(100ms);
            return raise(SIGKILL);
        }
        run.start(plan.buffers());
        const run_status end = run.wait_for(20s);
        if (rank == next) reports.put(next, end.peer == victim ? "the victim" : "somebody else");
        else if (reports.get(next) != "the victim") return 3;  // no rank exits before it has the error
        return end.failed() && end.error > 0 && end.step >= 0 ? 0 : 2;
    });
    CHECK(failed == 1);
}
