#include "collsched/execute/resilient_communicator.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/execute/engine.hpp"
#include "collsched/execute/mock.hpp"
#include "collsched/execute/processes.hpp"
#include "collsched/execute/rank_memory.hpp"
#include "collsched/execute/reductions.hpp"
#include "support/brief.hpp"
#include "support/processes.hpp"
#include "support/thread_ranks.hpp"

using namespace collsched;
using namespace std::chrono_literals;

namespace {

/// A rank of a mock network that dies before one of its calls.
struct mortal_endpoint {
    mock_network* network;
    rank_t rank;
    std::int64_t dies_at = -1, calls = 0;
    mock_network::endpoint inner = network->at(rank);

    void count() {
        if (calls++ == dies_at) network->kill(rank);
    }
    bool is_dead() const { return network->is_dead(rank); }
    int post_send(const message::key& key, std::span<const message::send_part> parts) {
        return count(), inner.post_send(key, parts);
    }
    int post_recv(const message::key& key, std::span<const message::receive_part> parts) {
        return count(), inner.post_recv(key, parts);
    }
    completion poll() { return count(), inner.poll(); }
    completion wait_any(std::chrono::nanoseconds timeout) { return count(), inner.wait_any(timeout); }
    void cancel(const void* owner) { inner.cancel(owner); }
    void acknowledge(rank_t dead) { inner.acknowledge(dead); }
};

/// An allreduce of one number, 2^rank of the transport.
template <class Inner>
struct sum_of_ranks {
    explicit sum_of_ranks(resilient_communicator<Inner>& over)
        : mine(static_cast<double>(1 << own_number(over))),
          schedule{.ranks = over.members().ranks(), .bytes = 8, .element = 8},
          plan(schedule, over.members().rank(),
               {std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(&total, 1))}),
          run(plan.plan(), over, over.members().open_channel()) {
        for (const rank_t r : over.members().members()) expected += static_cast<double>(1 << r);
        start();
    }
    static rank_t own_number(resilient_communicator<Inner>& over) {
        return over.members().members()[static_cast<std::size_t>(over.members().rank())];
    }
    void start() {
        total = 0;
        run.start(plan.buffers(), reductions::sum<double>());
    }
    bool is_right() const { return run.state().done() && total == expected; }

    double mine, total = 0, expected = 0;
    allreduce::recursive_doubling schedule;
    bound_plan plan;
    execution<resilient_communicator<Inner>> run;
};

/// All ranks of a mock network, which recover from deaths: shrink, sum, revoke where that fails, and again.
class recovering_ranks {
  public:
    using group = resilient_communicator<mortal_endpoint>;

    recovering_ranks(rank_t ranks, const mock_network::options& options) : network_(ranks, options) {
        for (rank_t r = 0; r < ranks; ++r) ends_.push_back({&network_, r});
    }
    void dies_at(rank_t rank, std::int64_t call) { end(rank).dies_at = call; }
    std::int64_t calls(rank_t rank) { return end(rank).calls; }

    /// Returns the faults; "" if the living ranks have computed their sum at last.
    std::string recover() {
        for (mortal_endpoint& one : ends_)
            groups_.push_back(std::make_unique<group>(communicator(one, std::ssize(ends_), one.rank)));
        for (std::size_t round = 0; round <= ends_.size(); ++round) {
            bool all_right = true;
            if (const std::string fault = shrink(); !fault.empty()) return fault;
            if (const std::string fault = sum(all_right); !fault.empty()) return fault;
            if (all_right) return "";
        }
        return "too many rounds";
    }

  private:
    mortal_endpoint& end(rank_t rank) { return ends_[static_cast<std::size_t>(rank)]; }

    /// Lets the living ranks take turns until has_ended(rank) holds for all.
    template <class F>
    std::string drive(const char* phase, F has_ended) {
        for (int turns = 0; turns < 2000; ++turns) {
            bool all = true;
            for (std::size_t r = 0; r < ends_.size(); ++r) all = (ends_[r].is_dead() || has_ended(r)) && all;
            if (all) return "";
            if (turns % 4 == 3) network_.skip();
        }
        return std::string(phase) + " does not end";
    }
    std::string sum(bool& all_right) {
        std::deque<std::unique_ptr<sum_of_ranks<mortal_endpoint>>> sums(ends_.size());
        for (std::size_t r = 0; r < ends_.size(); ++r)
            if (!ends_[r].is_dead()) sums[r] = std::make_unique<sum_of_ranks<mortal_endpoint>>(*groups_[r]);
        const std::string fault = drive("sum", [&](std::size_t r) {
            const run_status& state = sums[r]->run.progress();
            if (state.failed()) groups_[r]->revoke();
            return !state.running();
        });
        for (std::size_t r = 0; r < ends_.size(); ++r) {
            if (ends_[r].is_dead()) continue;
            if (sums[r]->run.state().done() && !sums[r]->is_right()) return "wrong sum";
            all_right = all_right && sums[r]->is_right();
        }
        return fault;
    }
    std::string shrink() {
        std::vector<bool> started(ends_.size()), ended(ends_.size());
        for (std::size_t r = 0; r < ends_.size(); ++r) {
            if (ends_[r].is_dead()) continue;
            groups_[r]->iagree(~(std::uint64_t{1} << r));
            started[r] = true;
            ended[r] = groups_[r]->test() && !ends_[r].is_dead();
        }
        const std::string fault = drive("agreement", [&](std::size_t r) {
            const bool done = groups_[r]->test();
            if (done && !ends_[r].is_dead()) ended[r] = true;
            return done;
        });
        if (!fault.empty()) return fault;
        std::unique_ptr<detail::agreement_result> first;
        for (std::size_t r = 0; r < ends_.size(); ++r) {
            if (!ended[r]) continue;
            const auto found = groups_[r]->result();
            if (found.error != 0) return "agreement fails with " + std::to_string(found.error);
            if (!first) first = std::make_unique<detail::agreement_result>(found);
            if (found.flags != first->flags || found.failed != first->failed || found.children != first->children)
                return "ranks agree on different values";
        }
        for (std::size_t r = 0; r < ends_.size(); ++r) {
            if (ends_[r].is_dead()) continue;
            for (const rank_t dead : first->failed)
                if (!end(groups_[r]->members().members()[static_cast<std::size_t>(dead)]).is_dead())
                    return "a living rank counts as failed";
            groups_[r] = std::make_unique<group>(groups_[r]->shrink(*first));
            if (groups_[r]->members().empty()) return "a living rank is left out";
        }
        return "";
    }

    mock_network network_;
    std::deque<mortal_endpoint> ends_;
    std::vector<std::unique_ptr<group>> groups_;
};

mock_network::options adverse(std::uint64_t seed) {
    return {.seed = seed,
            .eager = seed % 2 == 0,
            .reorder = true,
            .delay = seed % 3 == 0 ? 40 : 0,
            .faults = {.reports_death = seed % 4 < 3}};
}

/// The number of calls that each rank makes while the living ones recover, with a fault or "".
struct recovery {
    std::vector<std::int64_t> calls;
    std::string fault;
};
recovery recover(rank_t ranks, std::uint64_t seed, const std::vector<std::pair<rank_t, std::int64_t>>& deaths) {
    recovering_ranks all(ranks, adverse(seed));
    std::string where = std::to_string(ranks) + " ranks, seed " + std::to_string(seed);
    for (const auto& [rank, call] : deaths) {
        all.dies_at(rank, call);
        where += ", rank " + std::to_string(rank) + " dies at call " + std::to_string(call);
    }
    recovery done{.calls = {}, .fault = all.recover()};
    for (rank_t r = 0; r < ranks; ++r) done.calls.push_back(all.calls(r));
    if (!done.fault.empty()) done.fault = where + ": " + done.fault;
    return done;
}
std::int64_t calls_of(const recovery& one, rank_t rank) { return one.calls[static_cast<std::size_t>(rank)]; }

}  // namespace

TEST_CASE("resilient_communicator: the others recover from one death before each call of each rank") {
    for (rank_t p = 2; p <= 5; ++p)
        for (std::uint64_t seed = 0; seed < (support::brief() ? 2U : 12U); ++seed) {
            const recovery clean = recover(p, seed, {});
            REQUIRE(clean.fault == "");
            for (rank_t dead = 0; dead < p; ++dead)
                for (std::int64_t call = 0; call < calls_of(clean, dead); ++call)
                    REQUIRE(recover(p, seed, {{dead, call}}).fault == "");
        }
}

// All pairs of calls for 3 and 4 ranks, each seventh one for 5; in short runs one out of many.
TEST_CASE("resilient_communicator: the others recover from two deaths before each call of each rank") {
    for (rank_t p = 3; p <= 5; ++p) {
        const auto seed = static_cast<std::uint64_t>(p);
        const auto stride = static_cast<std::int64_t>(p < 5 ? support::one_of() : 7 * support::one_of());
        const recovery clean = recover(p, seed, {});
        for (rank_t first = 0; first < p; ++first)
            for (std::int64_t call = 0; call < calls_of(clean, first); ++call) {
                const recovery one = recover(p, seed, {{first, call}});
                for (rank_t second = 0; second < p; ++second)
                    for (std::int64_t next = call % stride; next < calls_of(one, second); next += stride)
                        if (second != first) REQUIRE(recover(p, seed, {{first, call}, {second, next}}).fault == "");
            }
    }
}

TEST_CASE("resilient_communicator: an acknowledged member ends no execution of the others") {
    mock_network network(3, {.faults = {.reports_death = true}});
    std::deque<mock_network::endpoint> ends;
    std::deque<resilient_communicator<mock_network::endpoint>> groups;
    for (rank_t r = 0; r < 3; ++r) {
        ends.push_back(network.at(r));
        groups.emplace_back(communicator(ends.back(), 3, r));
    }
    network.kill(1);
    completion end;
    for (int i = 0; i < 10 && (end = groups[0].poll()).error == 0;) deliver(end), ++i;
    for (completion c = end; c.request.owner != nullptr; c = end = groups[0].poll()) deliver(c);
    CHECK((end.request.owner == nullptr && end.error == mock_network::error::peer_died && end.peer == 1));
    CHECK(groups[0].poll().error == mock_network::error::peer_died);
    REQUIRE(groups[0].get_failed().size() == 1);
    CHECK(groups[0].get_failed()[0] == 1);
    groups[0].ack_failed();
    CHECK(groups[0].poll().empty());
    int owner = 0;
    std::byte sent{7}, received{};
    const message::send_part out{&sent, 1};
    const message::receive_part in{&received, 1};
    CHECK(groups[2].post_send({.peer = 0, .channel = 9, .request = {&owner, 1}}, {&out, 1}) == 0);
    CHECK(groups[0].post_recv({.peer = 2, .channel = 9, .request = {&owner, 2}}, {&in, 1}) == 0);
    const completion done = groups[0].wait_any(1ms);
    CHECK((done.request == message::request{&owner, 2} && done.error == 0 && received == sent));
}

TEST_CASE("resilient_communicator: a failure of the whole transport ends an agreement, and shrink has no ranks then") {
    mock_network network(2);
    auto zero = network.at(0);
    resilient_communicator group(communicator(zero, 2, 0));
    const auto found = group.agree(1);  // rank 1 takes no part
    CHECK(found.error == mock_network::error::would_block);
    CHECK(group.shrink(found).members().empty());
}

TEST_CASE("resilient_communicator: after revoke, executions and posts of all members end with revoked, on threads") {
    const std::string faults = support::thread_faults(4, [](thread_fabric::endpoint& endpoint, rank_t rank) {
        using group = resilient_communicator<thread_fabric::endpoint>;
        communicator world(endpoint, 4, rank);
        group members(world.dup());
        sum_of_ranks<thread_fabric::endpoint> sums(members);
        for (int round = 0; sums.run.wait().done() && sums.is_right(); ++round) {
            if (rank == 2 && round == 20) members.revoke();
            sums.start();
        }
        if (sums.run.state().error != message::error::revoked) return "error " + std::to_string(sums.run.state().error);
        if (!members.is_revoked()) return std::string("not revoked");
        if (members.post_send({.peer = (rank + 1) % 4}, {}) != message::error::revoked)
            return std::string("posts go on");
        const auto agreed = members.agree(~(std::uint64_t{1} << rank));
        if (agreed.flags != ~std::uint64_t{15} || !agreed.failed.empty() || agreed.error != 0)
            return std::string("wrong agreement");
        group again = members.shrink();
        sum_of_ranks<thread_fabric::endpoint> next(again);
        if (!next.run.wait().done() || !next.is_right()) return std::string("wrong sum");
        return std::string(again.agree(0).error == 0 ? "" : "last agreement");
    });
    CHECK(faults == "");
}

TEST_CASE("resilient_communicator: processes go on after one of them is killed") {
    const process_group::anonymous_segment room;
    support::rank_processes all(4, [&](rank_t rank) -> std::string {
        process_group joined;
        if (const auto wrong = joined.join(room, 4, rank)) return wrong.object;
        process_group::transport transport(joined);
        communicator world(transport, 4, rank);
        resilient_communicator members(world.dup());
        {
            sum_of_ranks<process_group::transport> sums(members);
            for (int round = 0; sums.run.wait().done() && sums.is_right(); ++round) {
                if (rank == 1 && round == 30) ::raise(SIGKILL);
                sums.start();
            }
            if (sums.run.state().done()) return "wrong sum";
        }
        members.revoke();
        resilient_communicator living = members.shrink();
        if (living.members().ranks() != 3) return "wrong ranks";
        sum_of_ranks<process_group::transport> sums(living);
        if (!sums.run.wait().done() || !sums.is_right()) return "wrong sum of the living";
        return living.agree(5).flags == 5 ? "" : "wrong flags";
    });
    const std::vector<std::string> faults = all.faults();
    for (const std::size_t r : std::vector<std::size_t>{0, 2, 3}) CHECK(faults[r] == "");
    CHECK(faults[1] == "killed by signal 9");
}
