#include "collsched/execute/engine.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/collective/alltoall/direct.hpp"
#include "collsched/execute/inline.hpp"
#include "collsched/execute/reduce_with.hpp"
#include "collsched/execute/reductions.hpp"
#include "support/allocations.hpp"
#include "support/faulty.hpp"
#include "support/real_bytes.hpp"
#include "support/registry.hpp"
#include "support/small_schedules.hpp"
#include "support/wait_or_fail.hpp"

using namespace collsched;

namespace {

using endpoint = mock_network::endpoint;
using shaky = support::faulty<endpoint>;

/// All ranks of a schedule over one inline fabric, with memory of their own.
template <transport Transport>
struct crew {
    template <class X, class Wrap>
    crew(const X& x, Wrap wrap, execution_options how = {}) : contract(lower(x).contract()), fabric(x.ranks) {
        for (rank_t r = 0; r < x.ranks; ++r) {
            bytes.push_back(std::make_unique<support::real_bytes>(lower(x).contract(), r));
            plans.push_back(std::make_unique<bound_plan>(x, r, bytes.back()->memory()));
            transports.push_back(std::make_unique<Transport>(wrap(fabric.at(r))));
            runs.push_back(std::make_unique<execution<Transport>>(plans.back()->plan(), *transports.back(), how));
        }
    }

    void start(reduction op = {}) {
        for (std::size_t r = 0; r < runs.size(); ++r) runs[r]->start(plans[r]->buffers(), op);
    }
    /// Lets all ranks take turns until nothing more happens.
    void settle() {
        for (std::size_t i = 0; i < 4 * runs.size() + 40; ++i)
            for (auto& run : runs) run->progress();
    }

    collsched::contract contract;
    mock_network fabric;
    std::vector<std::unique_ptr<support::real_bytes>> bytes;
    std::vector<std::unique_ptr<bound_plan>> plans;
    std::vector<std::unique_ptr<Transport>> transports;
    std::vector<std::unique_ptr<execution<Transport>>> runs;
};

/// A transport without poll(): the test passes its completions on.
class calling {
  public:
    explicit calling(endpoint inner) : inner_(inner) {}
    int post_send(const message::key& key, std::span<const message::send_part> parts) {
        return inner_.post_send(key, parts);
    }
    int post_recv(const message::key& key, std::span<const message::receive_part> parts) {
        return inner_.post_recv(key, parts);
    }
    void cancel(const void* owner) { inner_.cancel(owner); }
    completion next() { return inner_.poll(); }

  private:
    endpoint inner_;
};
static_assert(transport<calling> && !polled_transport<calling>);

/// A transport all of whose sends are complete at once: their bytes are kept here.
class immediate : public calling {
  public:
    using calling::calling;
    int post_send(const message::key& key, std::span<const message::send_part> parts) {
        kept_.push_back({});
        for (const message::send_part& one : parts)
            kept_.back().bytes.insert(kept_.back().bytes.end(), one.data, one.data + one.size);
        kept_.back().whole = {kept_.back().bytes.data(), std::ssize(kept_.back().bytes)};
        message::key later = key;
        later.request = {this, 0};
        const int error = calling::post_send(later, {&kept_.back().whole, 1});
        return error == 0 ? already_complete : error;
    }
    completion poll() {
        completion c = next();
        while (c.request.owner == this) c = next();
        return c;
    }
    completion wait_any(std::chrono::nanoseconds) { return {}; }

  private:
    struct late_message {
        std::vector<std::byte> bytes;
        message::send_part whole;
    };
    std::deque<late_message> kept_;
};

/// Counts what is in flight.
class counting : public calling {
  public:
    using calling::calling;
    int post_send(const message::key& key, std::span<const message::send_part> parts) {
        most_sends = std::max(most_sends, ++sends_);
        sent_.insert({key.request.owner, key.request.node});
        return calling::post_send(key, parts);
    }
    int post_recv(const message::key& key, std::span<const message::receive_part> parts) {
        most_receives = std::max(most_receives, ++receives_);
        return calling::post_recv(key, parts);
    }
    completion poll() {
        const completion c = next();
        if (c.request.owner != nullptr) --(sent_.erase({c.request.owner, c.request.node}) > 0 ? sends_ : receives_);
        return c;
    }
    completion wait_any(std::chrono::nanoseconds) { return {}; }

    std::int64_t most_sends = 0, most_receives = 0;

  private:
    std::int64_t sends_ = 0, receives_ = 0;
    std::set<std::pair<void*, std::int64_t>> sent_;
};

/// Notes by what names and tokens messages are posted.
class noting : public calling {
  public:
    using calling::calling;
    int post_send(const message::key& key, std::span<const message::send_part> parts) {
        note(key, true);
        return calling::post_send(key, parts);
    }
    int post_recv(const message::key& key, std::span<const message::receive_part> parts) {
        note(key, false);
        return calling::post_recv(key, parts);
    }
    completion poll() { return next(); }
    completion wait_any(std::chrono::nanoseconds) { return {}; }

    std::int64_t posted = 0;
    std::set<std::pair<void*, std::int64_t>> tokens;
    std::set<std::tuple<bool, rank_t, std::uint64_t, std::uint64_t, std::int64_t>> names;

  private:
    void note(const message::key& key, bool sends) {
        ++posted;
        tokens.insert({key.request.owner, key.request.node});
        names.insert({sends, key.peer, key.channel, key.epoch, key.sequence});
    }
};

/// A transport whose waits return at once. Records the durations.
class sleeping : public calling {
  public:
    using calling::calling;
    completion poll() { return next(); }
    completion wait_any(std::chrono::nanoseconds timeout) {
        asked = timeout;
        return {};
    }

    std::chrono::nanoseconds asked{};
};

const auto plain = [](endpoint e) { return e; };

void concatenate(void*, std::byte* into, const std::byte* incoming, bytes_t size, action what) {
    // x op y := 10 x + y on bytes: associative it is not, which shows every reordering; order alone matters here.
    for (bytes_t i = 0; i < size; ++i) {
        const auto a = static_cast<unsigned>(what == action::combine_before ? incoming[i] : into[i]);
        const auto b = static_cast<unsigned>(what == action::combine_before ? into[i] : incoming[i]);
        into[i] = static_cast<std::byte>(10 * a + b);
    }
}

}  // namespace

TEST_CASE("execution: a start fails if the schedule may divide messages within a value of the reduction") {
    const auto end = [](bytes_t element, const reduction& op) {
        crew<endpoint> all(allreduce::ring{.ranks = 3, .bytes = 96, .element = element}, [](endpoint e) { return e; });
        all.start(op);
        all.settle();
        for (const auto& run : all.runs) CHECK(run->state().error == all.runs[0]->state().error);
        return all.runs[0]->state().error;
    };
    CHECK(end(8, reductions::sum<double>()) == 0);
    CHECK(end(16, reductions::sum<double>()) == 0);
    CHECK(end(1, reductions::sum<std::int8_t>()) == 0);
    CHECK(end(1, reductions::sum<double>()) == element_mismatch);
    CHECK(end(4, reductions::sum<double>()) == element_mismatch);
    auto sum = reduce_with<double>([](double a, double b) { return a + b; }, true);
    CHECK(end(4, sum) == element_mismatch);
    CHECK(end(24, sum) == 0);
    reduction unknown = reductions::sum<double>();
    unknown.element = 0;
    CHECK(end(4, unknown) == 0);
}

TEST_CASE("execution: repeated starts with new data are correct, and only the first one allocates") {
    for (const algorithm_entry& entry : support::registered_at(7)) {
        crew<endpoint> all(entry.make({.ranks = 7, .block = 64, .bytes = 64, .segment = 16}), plain);
        for (int round = 0; round < 20; ++round) {
            for (auto& b : all.bytes) b->refill(round);
            const long before = support::allocations;
            all.start(support::operation(all.contract));
            all.settle();
            const long after = support::allocations;
            for (auto& run : all.runs) REQUIRE(run->state().done());
            for (auto& b : all.bytes) REQUIRE(b->wrong() == "");
            if (round > 0) CHECK(after == before);
        }
    }
}

TEST_CASE("execution: sends may complete in their post, with and without limits") {
    for (const std::int64_t most : {0, 1})
        for (const algorithm_entry& entry : support::registered_at(6)) {
            crew<immediate> all(entry.make({.ranks = 6, .block = 24, .bytes = 24, .segment = 8}),
                                [](endpoint e) { return immediate(e); }, {.limits = {most, most}});
            all.start(support::operation(all.contract));
            all.settle();
            for (auto& run : all.runs) REQUIRE(run->state().done());
            for (auto& b : all.bytes) REQUIRE(b->wrong() == "");
        }
}

TEST_CASE("execution: progress() does not block, and returns false before the end") {
    crew<endpoint> all(allgather::ring{.ranks = 3, .block = 4}, plain);
    CHECK(all.runs[0]->state().state == run_status::phase::idle);
    all.runs[0]->start(all.plans[0]->buffers());
    CHECK(all.runs[0]->progress().state == run_status::phase::running);
    CHECK(all.runs[0]->progress().state == run_status::phase::running);
    all.runs[1]->start(all.plans[1]->buffers());
    all.runs[2]->start(all.plans[2]->buffers());
    all.settle();
    CHECK(all.runs[0]->state().done());
}

TEST_CASE("execution: several plans share one transport, each on a channel, and progress of one drives all") {
    crew<endpoint> first(allgather::ring{.ranks = 4, .block = 16}, plain, {.channel = 7});
    crew<endpoint> second(allgather::bruck{.ranks = 4, .block = 8}, plain);
    for (std::size_t r = 0; r < 4; ++r)
        second.runs[r] = std::make_unique<execution<endpoint>>(second.plans[r]->plan(), *first.transports[r],
                                                               execution_options{.channel = 8, .epoch = 3});
    for (int round = 0; round < 3; ++round) {
        for (auto& b : first.bytes) b->refill(round);
        for (auto& b : second.bytes) b->refill(round);
        first.start();
        second.start();
        second.settle();
        for (auto& run : second.runs) CHECK(run->state().done());
        for (auto& run : first.runs) run->progress();
        for (auto& run : first.runs) CHECK(run->state().done());
        for (auto& b : first.bytes) CHECK(b->wrong() == "");
        for (auto& b : second.bytes) CHECK(b->wrong() == "");
    }
    CHECK(second.runs[0]->epoch() == 6);
}

TEST_CASE("execution: a transport with callbacks drives it one message at a time") {
    for (const algorithm_entry& entry : support::registered_at(5)) {
        INFO(name_of(entry.info.collective), " ", entry.info.name);
        crew<calling> all(entry.make({.ranks = 5, .block = 6, .bytes = 24, .segment = 8}),
                          [](endpoint e) { return calling(e); });
        all.start(support::operation(all.contract));
        for (bool news = true; news;) {
            news = false;
            for (auto& transport : all.transports)
                for (completion c = transport->next(); c.request.owner != nullptr; c = transport->next(), news = true)
                    deliver(c);
        }
        for (auto& run : all.runs) CHECK(run->state().done());
        for (auto& b : all.bytes) CHECK(b->wrong() == "");
    }
}

TEST_CASE("execution: messages in flight stay within the limits, and all executions end") {
    for (const algorithm_entry& entry : support::registered_at(8))
        for (const execution_options::message_limits most :
             {execution_options::message_limits{1, 1}, {2, 1}, {0, 3}, {1, 0}, {-1, -1}}) {
            INFO(name_of(entry.info.collective), " ", entry.info.name, " sends ", most.sends, " receives ",
                 most.receives);
            crew<counting> all(entry.make({.ranks = 8, .block = 6, .bytes = 60, .segment = 8}),
                               [](endpoint e) { return counting(e); }, {.limits = most});
            for (int round = 0; round < 2; ++round) {
                all.start(support::operation(all.contract));
                for (bool running = true; running;) {
                    running = false;
                    for (auto& run : all.runs) running = run->progress().state == run_status::phase::running || running;
                }
                for (auto& run : all.runs) REQUIRE(run->state().done());
            }
            for (auto& b : all.bytes) CHECK(b->wrong() == "");
            for (auto& transport : all.transports) {
                CHECK((most.sends <= 0 || transport->most_sends <= most.sends));
                CHECK((most.receives <= 0 || transport->most_receives <= most.receives));
            }
        }
}

TEST_CASE("execution: fail(timed_out) reports the first message that is missing") {
    crew<sleeping> all(allgather::ring{.ranks = 3, .block = 4}, [](endpoint e) { return sleeping(e); });
    all.runs[0]->start(all.plans[0]->buffers());
    all.runs[2]->start(all.plans[2]->buffers());
    for (int i = 0; i < 10; ++i)
        for (const std::size_t r : {0U, 2U}) all.runs[r]->progress();
    const run_status early = support::wait_or_fail(*all.runs[0], std::chrono::milliseconds(1)),
                     late = support::wait_or_fail(*all.runs[2], std::chrono::hours(1));
    CHECK((early.failed() && early.error == timed_out && early.rank == 0 && early.step == 0 && early.peer == 1));
    CHECK((late.failed() && late.error == timed_out && late.rank == 2 && late.step == 0 && late.peer == 1));
}

TEST_CASE("execution: a transport waits for 0 ns or more, or for ever") {
    crew<sleeping> all(allgather::ring{.ranks = 2, .block = 4}, [](endpoint e) { return sleeping(e); });
    constexpr std::chrono::nanoseconds one(1);
    for (const auto time :
         {std::chrono::nanoseconds(0), -one, std::chrono::nanoseconds::min(), forever, forever - one}) {
        all.runs[0]->start(all.plans[0]->buffers());
        CHECK(support::wait_or_fail(*all.runs[0], time).failed());
        CHECK(all.transports[0]->asked == (time > one ? forever : std::chrono::nanoseconds(0)));
    }
}

TEST_CASE("execution: a completion of a message that is not in flight is an error") {
    crew<calling> all(allgather::ring{.ranks = 3, .block = 4}, [](endpoint e) { return calling(e); });
    all.start();
    completion c = all.transports[0]->next();
    while (c.request.owner == nullptr) c = all.transports[0]->next();
    CHECK(all.runs[0]->complete(c).state == run_status::phase::running);
    CHECK(all.runs[0]->complete(c).error == unknown_completion);
    for (const std::int64_t node : {-1, 1000}) {
        all.runs[1]->start(all.plans[1]->buffers());
        CHECK(all.runs[1]->complete({{all.runs[1].get(), node}}).failed());
    }
    CHECK(all.runs[2]->complete({{all.runs[1].get(), 0}}).error == unknown_completion);
    CHECK(all.runs[2]->complete({{all.runs[2].get(), 0}}).failed());
}

TEST_CASE("execution: tokens and keys of messages are unique across completed, failed and cancelled starts") {
    crew<noting> all(allgather::bruck{.ranks = 5, .block = 4}, [](endpoint e) { return noting(e); }, {.channel = 3});
    for (int round = 0; round < 12; ++round) {
        all.start();
        if (round % 3 == 0) all.settle();
        if (round % 3 == 1)
            for (auto& run : all.runs) run->complete({.request = {}, .error = 7});
        for (auto& run : all.runs) run->cancel();
    }
    for (auto& transport : all.transports) {
        CHECK(transport->posted >= 12);
        CHECK(std::ssize(transport->tokens) == transport->posted);
        CHECK(std::ssize(transport->names) == transport->posted);
    }
}

TEST_CASE("execution: a completion from an earlier start is an error, even if the same message is in flight again") {
    crew<calling> all(allgather::ring{.ranks = 3, .block = 4}, [](endpoint e) { return calling(e); });
    all.start();
    completion late = all.transports[0]->next();
    while (late.request.owner == nullptr) late = all.transports[0]->next();
    for (int round = 0; round < 3; ++round) {
        all.runs[0]->cancel();
        all.runs[0]->start(all.plans[0]->buffers());
        CHECK(all.runs[0]->complete(late).error == unknown_completion);
    }
}

TEST_CASE("execution: ranks with different schedules end with an error, unless comparison is off") {
    const auto run = [](bool compare) {
        const allgather::ring ring{.ranks = 2, .block = 4};
        const allgather::bruck bruck{.ranks = 2, .block = 4};
        crew<endpoint> one(ring, plain, {.compare = compare}), other(bruck, plain, {.compare = compare});
        execution<endpoint> stranger(other.plans[1]->plan(), *one.transports[1], {.compare = compare});
        one.runs[0]->start(one.plans[0]->buffers());
        stranger.start(other.plans[1]->buffers());
        for (int i = 0; i < 20; ++i) one.runs[0]->progress(), stranger.progress();
        return one.runs[0]->state();
    };
    CHECK(run(true).failed());
    CHECK(run(false).done());
}

TEST_CASE("execution: a failed post or completion is reported with error, step, rank and peer") {
    using where = shaky::where;
    const allgather::ring s{.ranks = 3, .block = 4};
    for (const where place : {where::send, where::receive, where::completion}) {
        crew<shaky> all(s, [&](endpoint e) { return shaky(e, where::nowhere, 0); });
        all.transports[1] = std::make_unique<shaky>(all.fabric.at(1), place, 1);
        all.runs[1] = std::make_unique<execution<shaky>>(all.plans[1]->plan(), *all.transports[1]);
        all.start();
        all.settle();
        const run_status end = all.runs[1]->state();
        CHECK(end.failed());
        CHECK(end.error == shaky::failure);
        CHECK(end.rank == 1);
        CHECK((end.peer == 0 || end.peer == 2));
        if (place == where::send) CHECK((end.step == 1 && end.peer == 2));
        if (place == where::receive) CHECK((end.step == 1 && end.peer == 0));
        CHECK(all.transports[1]->cancelled == 1);
    }
}

TEST_CASE(
    "execution: a transport failure reports the first message in flight with the failed peer, or the first of all") {
    const auto step_and_peer = [](rank_t peer) {
        crew<endpoint> all(alltoall::linear{.ranks = 4, .block = 4}, plain);
        all.start();
        all.runs[2]->complete({.request = {}, .error = 7, .peer = peer});
        const run_status end = all.runs[2]->state();
        CHECK((end.failed() && end.error == 7 && end.rank == 2));
        return std::pair(end.step, end.peer);
    };
    edge first[4];  // of rank 2 with each rank
    const auto s = lower(alltoall::linear{.ranks = 4, .block = 4});
    for (step_t k = s.steps(); k-- > 0;) {
        s.receives(2, k, [&](const edge& e) { first[e.src] = e; });
        s.sends(2, k, [&](const edge& e) { first[e.dst] = e; });
    }
    REQUIRE((first[0].step != first[1].step && first[0].step != first[3].step));
    for (const rank_t peer : {0, 1, 3}) CHECK(step_and_peer(peer) == std::pair(first[peer].step, peer));
    CHECK(step_and_peer(-1).first == std::min(first[1].step, first[3].step));
}

TEST_CASE("execution: the destructor cancels a running start and nothing else") {
    crew<shaky> all(allgather::ring{.ranks = 3, .block = 4},
                    [](endpoint e) { return shaky(e, shaky::where::nowhere, 0); });
    all.start();
    all.runs[1].reset();
    CHECK(all.transports[1]->cancelled == 1);
    all.runs[0]->cancel();
    CHECK(all.transports[0]->cancelled == 1);
    all.runs[0].reset();
    CHECK(all.transports[0]->cancelled == 1);
}

TEST_CASE("execution: a wait for a message that cannot arrive ends with an error") {
    crew<endpoint> all(allgather::ring{.ranks = 2, .block = 4}, plain);
    all.runs[0]->start(all.plans[0]->buffers());
    const run_status end = all.runs[0]->wait();
    CHECK(end.failed());
    CHECK(end.error == mock_network::error::would_block);
    CHECK(end.rank == 0);
}

TEST_CASE("execution: a plan can be started again after a failure") {
    crew<endpoint> all(allgather::bruck{.ranks = 2, .block = 4}, plain);
    all.runs[0]->start(all.plans[0]->buffers());
    CHECK(all.runs[0]->wait().failed());
    all.runs[1]->start(all.plans[1]->buffers());
    CHECK(all.runs[1]->wait().failed());
    for (auto& b : all.bytes) b->refill(5);
    all.start();
    all.settle();
    for (auto& run : all.runs) CHECK(run->state().done());
    for (auto& b : all.bytes) CHECK(b->wrong() == "");
}

TEST_CASE("execution: a start while running fails both starts, and a cancelled start raises the epoch") {
    crew<endpoint> all(allgather::ring{.ranks = 3, .block = 4}, plain);
    all.runs[0]->start(all.plans[0]->buffers());
    all.runs[0]->start(all.plans[0]->buffers());
    CHECK(all.runs[0]->state().error == already_running);
    CHECK(all.runs[0]->state().peer == -1);
    CHECK(all.runs[0]->epoch() == 1);
    all.runs[1]->start(all.plans[1]->buffers());
    all.runs[1]->cancel();
    CHECK(all.runs[1]->state().error == cancelled);
    all.runs[2]->start(all.plans[2]->buffers());
    all.runs[2]->cancel();
    all.start();
    all.settle();
    for (auto& run : all.runs) CHECK(run->state().done());
    for (auto& b : all.bytes) CHECK(b->wrong() == "");
    CHECK(all.runs[0]->epoch() == 2);
}

TEST_CASE("execution: combines keep the order of operands, and require a reduction") {
    for (rank_t p = 1; p <= 5; ++p) {
        crew<endpoint> all(support::linear_reduce(p, 3), plain);
        all.start({concatenate, nullptr});
        all.settle();
        unsigned expected[3] = {};
        for (rank_t r = 0; r < p; ++r)
            for (std::size_t i = 0; i < 3; ++i)
                expected[i] = (10 * expected[i] +
                               static_cast<unsigned>(all.bytes[static_cast<std::size_t>(r)]->memory().input[i])) &
                              0xff;
        for (std::size_t i = 0; i < 3; ++i)
            CHECK(static_cast<unsigned>(all.bytes[0]->memory().output[i]) == expected[i]);
        if (p > 1) {
            all.start();
            CHECK(all.runs[0]->state().error == missing_reduction);
        }
    }
}

TEST_CASE("execution: local edges without bytes access no memory") {
    const std::vector<bytes_t> none{0};
    const std::vector<edge> edges{{.size = 4},
                                  {.into_offset = 2, .size = 0, .into = buffer::input, .action = action::combine_after},
                                  {.size = 0, .into = buffer::scratch}};
    const stored_schedule s({.collective = collective::scan, .ranks = 1, .bytes = 4}, 1, {}, owned_array<bytes_t>(none),
                            owned_array<bytes_t>(none), owned_array<edge>(edges), 1);
    crew<endpoint> all(s, plain);
    int combined = 0;
    all.start(
        {[](void* times, std::byte*, const std::byte*, bytes_t, action) { ++*static_cast<int*>(times); }, &combined});
    all.settle();
    CHECK(all.runs[0]->state().done());
    CHECK(all.bytes[0]->wrong() == "");
    CHECK(combined == 0);
}

TEST_CASE("execution: a schedule that may reorder operands rejects a reduction that is not declared commutative") {
    const auto start = [](const auto& schedule, bool commutative) {
        crew<endpoint> all(schedule, plain);
        all.start({concatenate, nullptr, commutative});
        all.settle();
        return all.runs[0]->state();
    };
    const allreduce::ring reorders{.ranks = 3, .bytes = 3};
    CHECK(start(reorders, false).error == not_commutative);
    CHECK(start(reorders, true).done());
    const allreduce::recursive_doubling keeps{.ranks = 3, .bytes = 3};
    CHECK(start(keeps, false).done());
    CHECK(start(keeps, true).done());
}

TEST_CASE("execution: signals complete a barrier, and window 1 runs one step at a time") {
    for (rank_t p = 1; p <= 9; ++p) {
        crew<endpoint> all(support::dissemination_barrier(p), plain);
        for (std::size_t r = 0; r + 1 < all.runs.size(); ++r) all.runs[r]->start(all.plans[r]->buffers());
        all.settle();
        for (std::size_t r = 0; r + 1 < all.runs.size(); ++r) CHECK(!all.runs[r]->state().done());
        all.runs.back()->start(all.plans.back()->buffers());
        all.settle();
        for (auto& run : all.runs) CHECK(run->state().done());
    }
}
