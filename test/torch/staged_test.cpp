#include "examples/torch/staged.hpp"

#include <doctest/doctest.h>

#include <sys/mman.h>
#include <sys/wait.h>

#include <barrier>
#include <thread>

#include "collsched/execute.hpp"
#include "collsched/verify.hpp"
#include "examples/torch/driver.hpp"
#include "examples/torch/process_link.hpp"

using namespace examples;
using namespace std::chrono_literals;

namespace {

template <class A>
void check_verified(const A& a) {
    for (const binding place : {binding::separate, binding::in_place}) {
        const verdict found = verify(a, place);
        INFO(name_of(A::info.collective), " of ", a.ranks, " ranks: ", name_of(found.finding), " in step ", found.step);
        CHECK(found.ok());
    }
}

/// The ranks of a group with windows, as threads of this process, each with its own driver.
class threads_with_windows {
  public:
    static constexpr bytes_t window = 1 << 16;

    /// Calls f(rank, link) in a thread per rank.
    template <class F>
    static void run(rank_t ranks, F f) {
        const std::string name = "/collsched-staged-test-" + std::to_string(::getpid()) + "-" + std::to_string(ranks);
        std::barrier<> meet(ranks);
        std::vector<std::jthread> all;
        for (rank_t r = 0; r < ranks; ++r)
            all.emplace_back([=, &meet] {
                process_link link(name, ranks, r, 20s);
                const auto of = [&](rank_t i) { return name + "-" + std::to_string(i); };
                const int made = link.windows()[static_cast<std::size_t>(r)].make(of(r), window);
                meet.arrive_and_wait();
                int opened = 0;
                for (rank_t i = 0; i < ranks; ++i)
                    if (i != r) opened |= link.windows()[static_cast<std::size_t>(i)].open(of(i), window);
                meet.arrive_and_wait();
                ::shm_unlink(of(r).c_str());
                CHECK((made | opened) == 0);
                link.connect_windows();
                f(r, link);
                meet.arrive_and_wait();
            });
    }
};

/// The operation of a running plan.
class plan_operation final : public operation {
  public:
    plan_operation(std::shared_ptr<running_plan> run, plan::buffers buffers, reduction op, std::uint64_t number)
        : run_(std::move(run)), buffers_(buffers), op_(op), number_(number) {}
    void start() override { run_->start(buffers_, op_, {}, {number_, 0}); }
    void fail(int error) override { run_->fail(error); }
    bool running() const override { return run_->state().running(); }
    run_status state() const override { return run_->state(); }

  private:
    std::shared_ptr<running_plan> run_;
    plan::buffers buffers_;
    reduction op_;
    std::uint64_t number_;
};

/// A link that reports the death of a rank in every poll until it is acknowledged.
class link_with_death : public group_link {
  public:
    std::unique_ptr<running_plan> prepare(plan&&) override { return nullptr; }
    std::unique_ptr<running_plan> prepare_staged(plan&&, bool) override { return nullptr; }
    int post_send(const message::key&, std::span<const message::send_part>) override { return 0; }
    int post_recv(const message::key&, std::span<const message::receive_part>) override { return 0; }
    void cancel(const void*) override {}
    void ended(const void*) override {}
    completion poll() override {
        return acknowledged_ ? completion{} : completion{{}, process_group::error::peer_died, 1};
    }
    void acknowledge(rank_t rank) override { acknowledged_ = rank == 1; }
    std::uint32_t mark() override { return 0; }
    void sleep(std::uint32_t, std::chrono::nanoseconds, std::unique_lock<std::mutex>& held) override {
        held.unlock();
        std::this_thread::sleep_for(1ms);
    }
    void wake() override {}
    std::string text_of(int) const override { return "died"; }

  private:
    bool acknowledged_ = false;
};

class silent_link final : public link_with_death {
  public:
    silent_link() { acknowledge(1); }
};

/// An operation that ends at once, or not by itself.
class plain_operation final : public operation {
  public:
    explicit plain_operation(bool endless) : endless_(endless) {}
    void start() override { state_.state = endless_ ? run_status::phase::running : run_status::phase::done; }
    void fail(int error) override { state_ = {run_status::phase::failed, error, -1, -1, -1}; }
    bool running() const override { return state_.running(); }
    run_status state() const override { return state_; }

  private:
    bool endless_;
    run_status state_;
};

}  // namespace

TEST_CASE("driver: stop() ends the waits of all threads, and later operations at their submission") {
    silent_link link;
    driver runs(link, true);
    std::atomic<int> ends = 0;
    std::vector<std::shared_ptr<operation>> all;
    for (int i = 0; i < 6; ++i) {
        all.push_back(std::make_shared<plain_operation>(true));
        all.back()->ordered = i % 2 == 0;
        all.back()->on_end = [&ends](const run_status& end) { ends += end.error == cancelled; };
    }
    std::vector<std::jthread> waits;
    for (std::size_t i = 0; i < 4; ++i) {
        runs.submit(all[i], i < 2);
        waits.emplace_back([&runs, one = all[i]] { CHECK(runs.wait(*one, operation::clock::now() + 60s)); });
    }
    std::this_thread::sleep_for(50ms);
    CHECK(ends == 0);
    const auto began = operation::clock::now();
    runs.stop();
    waits.clear();
    CHECK(operation::clock::now() - began < 10s);
    CHECK(ends == 4);
    for (std::size_t i = 4; i < 6; ++i) {
        runs.submit(all[i], i == 4);
        CHECK(all[i]->ended.load());
    }
    CHECK(ends == 6);
}

TEST_CASE("driver: an operation starts after those before it have completed their outputs") {
    silent_link link;
    driver runs(link, true);
    std::vector<int> events;  // of the thread that drives
    std::vector<std::shared_ptr<operation>> all;
    for (int i = 0; i < 8; ++i) {
        all.push_back(std::make_shared<plain_operation>(false));
        all.back()->before = [&events, i] { events.push_back(2 * i); };
        all.back()->after = [&events, i] { events.push_back(2 * i + 1); };
    }
    all[6]->after = [] { throw std::runtime_error("no memory"); };
    bool threw = false;
    all[6]->on_end = [&](const run_status& end) { threw = end.done() && all[6]->thrown != nullptr; };
    for (const auto& one : all) runs.submit(one, false);
    for (const auto& one : all) CHECK(runs.wait(*one, operation::clock::now() + 10s));
    CHECK(threw);
    CHECK(events == std::vector{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15});
}

TEST_CASE("driver: a death ends all operations, however often the link reports it") {
    link_with_death link;
    driver runs(link, true);
    for (int i = 0; i < 2; ++i) {
        const auto one = std::make_shared<plain_operation>(true);
        run_status end;
        one->on_end = [&end](const run_status& e) { end = e; };
        runs.submit(one, false);
        CHECK(runs.wait(*one, operation::clock::now() + 10s));
        CHECK(end.error == process_group::error::peer_died);
    }
}

TEST_CASE("staged: broadcast, allgather and allreduce are correct for all segments, also in place") {
    for (rank_t p = 1; p <= 6; ++p)
        for (const bytes_t bytes : {0, 4, 8, 40, 100, 400})
            for (const bytes_t segment : {0, 4, 16, 100, 4096}) {
                for (rank_t root = 0; root < p; ++root) check_verified(staged::broadcast{p, root, bytes, segment});
                check_verified(staged::allgather{p, bytes, segment});
                check_verified(staged::allreduce{p, bytes, 4, segment});
            }
}

TEST_CASE("staged: an allreduce keeps the order of operands") {
    CHECK_FALSE(lower(staged::allreduce{4, 100, 4, 16}).contract().commutative);
}

TEST_CASE("staged: every message is one part of scratch") {
    const auto check = [](const auto& a) {
        for (rank_t r = 0; r < a.ranks; ++r) {
            const plan steps(a, r, binding::in_place);
            for (const plan::node& n : steps.nodes()) {
                if (!n.is_message()) continue;
                CHECK(n.parts == 1);
                if (n.kind != plan::kind::send) continue;
                CHECK(steps.sent()[static_cast<std::size_t>(n.first_part)].where == message::area::scratch);
                CHECK(steps.sent()[static_cast<std::size_t>(n.first_part)].offset % 64 == 0);
            }
        }
    };
    check(staged::broadcast{4, 1, 400, 16});
    check(staged::allgather{4, 400, 16});
    check(staged::allreduce{4, 400, 4, 16});
}

TEST_CASE("driver: allreduces over windows give sums in the order of ranks, and several wait at once") {
    threads_with_windows::run(3, [](rank_t rank, process_link& link) {
        const std::size_t count = 5000;
        constexpr int times = 20;
        std::atomic<int> done = 0;
        std::vector<std::vector<float>> data(times);
        driver runs(link, false);
        std::vector<std::shared_ptr<operation>> all;
        const auto run = std::shared_ptr<running_plan>(link.prepare_staged(
            plan(staged::allreduce{3, bytes_t{count * 4}, 4, 1024}, rank, binding::in_place), false));
        for (int i = 0; i < times; ++i) {
            auto& own = data[static_cast<std::size_t>(i)];
            own.assign(count, rank == 0 ? 1e8F : rank == 1 ? -1e8F : 1.F);  // another order rounds the 1 away
            auto* const at = reinterpret_cast<std::byte*>(own.data());
            all.push_back(std::make_shared<plan_operation>(run, plan::buffers{at, at, link.window().data(), nullptr},
                                                           reductions::sum<float>(), static_cast<std::uint64_t>(i)));
            all.back()->on_end = [&done](const run_status& end) { done += end.done(); };
            runs.submit(all.back(), i % 2 == 0);
        }
        for (const auto& one : all) CHECK(runs.wait(*one, operation::clock::now() + 60s));
        CHECK(done == times);
        for (const auto& own : data) CHECK(own == std::vector<float>(count, 1.F));
    });
}

TEST_CASE("driver: an operation without its peers ends at its deadline, and breaks the group") {
    threads_with_windows::run(2, [](rank_t rank, process_link& link) {
        if (rank == 1) return std::this_thread::sleep_for(300ms);
        driver runs(link, true);
        std::vector<float> own(10);
        auto* const at = reinterpret_cast<std::byte*>(own.data());
        const auto run = std::shared_ptr<running_plan>(
            link.prepare_staged(plan(staged::allreduce{2, 40, 4, 0}, rank, binding::in_place), false));
        run_status ends[2];
        std::shared_ptr<operation> both[2];
        for (int i = 0; i < 2; ++i) {
            both[i] = std::make_shared<plan_operation>(run, plan::buffers{at, at, link.window().data(), nullptr},
                                                       reductions::sum<float>(), static_cast<std::uint64_t>(i));
            both[i]->deadline = operation::clock::now() + 50ms;
            both[i]->on_end = [&end = ends[i]](const run_status& e) { end = e; };
            runs.submit(both[i], false);
        }
        CHECK(runs.wait(*both[1], operation::clock::now() + 10s));
        CHECK(both[0]->ended.load());
        CHECK(ends[0].error == timed_out);
        CHECK(ends[1].error == timed_out);
    });
}

TEST_CASE("staged_transport: a range outside of the window, or of another size, ends the message with an error") {
    threads_with_windows::run(2, [](rank_t rank, process_link& link) {
        std::byte target[64]{};
        std::int64_t ranges[3][2] = {{threads_with_windows::window, 64}, {-64, 64}, {0, 32}};
        const auto run = [&](int i) {
            const message::key key{.peer = 1 - rank, .channel = 1, .sequence = i, .request = {&target, i, nullptr}};
            const message::send_part out{reinterpret_cast<const std::byte*>(ranges[i]), 16};
            if (rank == 1) {
                CHECK(link.transport().post_matched_send(key, {&out, 1}) == 0);
            } else {
                const message::receive_part in{target, 64};
                staged_transport over(link.transport(), link.windows(), rank);
                CHECK(over.post_recv(key, {&in, 1}) == 0);
                completion end;
                bool threw = false;
                for (const auto until = operation::clock::now() + 20s; operation::clock::now() < until;) {
                    try {
                        end = link.poll();
                    } catch (const std::runtime_error&) {
                        threw = true;
                    }
                    if (end.request.owner != nullptr) break;
                }
                CHECK(threw);
                CHECK(end.error == process_group::error::combine_failed);
                return;
            }
            while (link.poll().request.owner == nullptr) std::this_thread::yield();
        };
        for (int i = 0; i < 3; ++i) run(i);
    });
}

TEST_CASE("staged_window: a window of another size, or that others may read, does not open") {
    const std::string name = "/collsched-staged-test-window-" + std::to_string(::getpid());
    staged_window own, other;
    REQUIRE(own.make(name, 4096) == 0);
    CHECK(other.make(name, 4096) == EEXIST);
    CHECK(other.open(name, 8192) == EPROTO);
    REQUIRE(::chmod(("/dev/shm" + name).c_str(), 0644) == 0);
    CHECK(other.open(name, 4096) == EPERM);
    REQUIRE(::chmod(("/dev/shm" + name).c_str(), 0600) == 0);
    CHECK(other.open(name, 4096) == 0);
    CHECK(::shm_unlink(name.c_str()) == 0);
}
