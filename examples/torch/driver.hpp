#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "link.hpp"
#include "operation.hpp"

namespace examples {

/// Runs the operations of a group: in a thread of its own, or in a thread that waits for an operation. A short
/// operation is started in the thread that submits it. The thread that drives holds a lock, so one thread at a time
/// uses the link. After a failure the group is broken: all operations end with the first failure.
class driver {
  public:
    explicit driver(group_link& link, bool spare_processors)
        : link_(&link), pauses_(spare_processors ? 64 : 0), thread_([this] { run(); }) {}
    driver(const driver&) = delete;
    driver& operator=(const driver&) = delete;
    ~driver() {
        stop();
        thread_.join();
    }
    /// Ends all operations with `cancelled`, in the thread of the driver, and each later one in submit().
    void stop() {
        {
            const std::lock_guard hold(queue_lock_);
            stop_ = true;
        }
        idle_.notify_all();
        link_->wake();
    }

    /// Takes an operation. With `at_once` it is started in this thread if no other one drives, and the thread of the
    /// driver takes it over at attend() or within 5 ms; otherwise that thread starts it.
    void submit(const std::shared_ptr<operation>& one, bool at_once) {
        if (!enqueue(one)) return announce_all({{one, stopped}});
        if (at_once && drive_briefly(*one)) return;
        link_->wake();
        if (!at_once) attend();
    }
    /// Lets the thread of the driver take over.
    void attend() {
        if (waiters_.load() == 0 && busy()) wake_thread();
    }

    /// Waits for the end of an operation, or until the time. Returns whether it has ended.
    bool wait(const operation& one, operation::clock::time_point until) {
        if (one.ended.load()) return true;
        std::unique_lock only(waiting_lock_, std::try_to_lock);
        if (only.owns_lock()) {
            ++waiters_;
            link_->wake();
            drive([&] { return one.ended.load() || stop_.load() || operation::clock::now() >= until; });
            --waiters_;
            if (busy()) wake_thread();
            if (one.ended.load() || !stop_.load()) return one.ended.load();
        }
        std::unique_lock hold(queue_lock_);
        return ended_.wait_until(hold, std::min(until, operation::clock::now() + std::chrono::hours(1000)),
                                 [&] { return one.ended.load(); });
    }

  private:
    static constexpr std::chrono::nanoseconds slice = std::chrono::milliseconds(1);
    static constexpr int yields = 50;
    static constexpr std::chrono::milliseconds idle_slice{5};
    static constexpr run_status stopped{run_status::phase::failed, cancelled, -1, -1, -1};

    /// Returns whether the thread of the driver, or one that waits, takes the operation out of the queue.
    bool enqueue(const std::shared_ptr<operation>& one) {
        const std::lock_guard hold(queue_lock_);
        if (closed_) return false;
        queue_.push_back(one);
        queued_.store(true);
        return true;
    }
    void wake_thread() {
        {
            const std::lock_guard hold(queue_lock_);
            attended_.store(true);
        }
        idle_.notify_all();
    }

    /// The thread: drives while there are operations and no other thread waits. It looks at the link from time to time
    /// all the same, for messages that wait for room in a ring.
    void run() {
        for (;;) {
            look_once();
            drive([this] { return stop_.load() || waiters_.load() > 0 || !busy(); });
            std::unique_lock hold(queue_lock_);
            if (stop_.load()) break;
            idle_.wait_for(hold, idle_slice,
                           [this] { return stop_.load() || (waiters_.load() == 0 && attended_.exchange(false)); });
        }
        end_all();
    }
    void end_all() {
        {
            const std::lock_guard hold(queue_lock_);
            closed_ = true;
        }
        std::unique_lock alone(drive_lock_);
        break_group(stopped);
        take_queued();
        announce_unlocked(alone);
    }

    bool busy() const { return queued_.load() || active_count_.load() > 0; }

    void look_once() {
        std::unique_lock alone(drive_lock_);
        step();
        if (!reports_.empty()) announce_unlocked(alone);
    }
    /// Some polls in the thread that submits: returns whether the operation has ended.
    bool drive_briefly(const operation& one) {
        std::unique_lock alone(drive_lock_, std::try_to_lock);
        if (!alone.owns_lock()) return false;
        for (int i = 0; i <= pauses_ && !one.ended.load(); ++i) {
            step();
            if (!reports_.empty()) announce_unlocked(alone);
            else relax(0);
        }
        return one.ended.load();
    }

    template <class Until>
    void drive(Until until) {
        std::unique_lock alone(drive_lock_);
        for (int idle = 0; !until();) {
            const std::uint32_t mark = link_->mark();
            if (step()) idle = 0;
            if (!reports_.empty()) {
                announce_unlocked(alone);
                continue;
            }
            if (until()) return;
            if (++idle <= pauses_ + yields) {
                relax(idle);
                continue;
            }
            link_->sleep(mark, slice, alone);
            alone.lock();
        }
    }
    /// Before it sleeps, a thread lets others run: a rank that sleeps must be woken by a system call.
    void relax(int idle) const {
        if (idle > pauses_) return std::this_thread::yield();
#if defined(__x86_64__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        asm volatile("yield");
#endif
    }

    /// Takes what is queued, and handles completions. Returns whether there were any.
    bool step() {
        bool moved = queued_.load();
        if (moved) take_queued();
        for (completion c = poll(); !c.empty(); c = poll()) {
            moved = true;
            if (c.request.owner != nullptr) {
                deliver(c);
            } else {
                break_group({run_status::phase::failed, c.error, -1, -1, c.peer});
                if (c.peer < 0) break;
                link_->acknowledge(c.peer);  // else each poll reports the same death
            }
            start_next();
        }
        if (++looks_ % 16 == 0 && !active_.empty()) check_deadlines();
        start_next();
        return moved;
    }
    completion poll() {
        try {
            return link_->poll();
        } catch (const std::exception&) {  // of a reduction, which has ended its receive as well
            return {{}, process_group::error::combine_failed, -1};
        }
    }

    void take_queued() {
        std::vector<std::shared_ptr<operation>> all;
        {
            const std::lock_guard hold(queue_lock_);
            all.swap(queue_);
            queued_.store(false);
        }
        for (auto& one : all) {
            if (one->ordered) waiting_.push_back(std::move(one));
            else begin(one);
        }
        start_next();
        count();
    }
    void start_next() {
        for (reap(); !waiting_.empty() && ordered_ == nullptr; reap()) {
            const std::shared_ptr<operation> next = waiting_.front();
            waiting_.pop_front();
            if (!broken_.failed()) ordered_ = next;
            begin(next);
        }
        count();
    }
    void begin(const std::shared_ptr<operation>& one) {
        if (broken_.failed()) return report(one, broken_);
        active_.push_back(one);
        one->begin();
    }
    void count() { active_count_.store(active_.size() + waiting_.size()); }

    void check_deadlines() {
        const auto now = operation::clock::now();
        for (const auto& one : active_)
            if (one->running() && now >= one->deadline) one->fail(timed_out);
    }
    /// Reports the operations that have ended. The next one may run the same plan: it starts afterwards.
    void reap() {
        for (std::size_t i = 0; i < active_.size();) {
            if (active_[i]->running()) {
                ++i;
                continue;
            }
            const std::shared_ptr<operation> one = active_[i];
            active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(i));
            if (one == ordered_) ordered_ = nullptr;
            const run_status end = one->state();
            if (end.done()) one->finish();
            report(one, end);
            if (end.failed()) {
                break_group(end);
                i = 0;
            }
        }
        count();
    }
    void break_group(const run_status& end) {
        if (broken_.failed()) return;
        broken_ = end;
        for (const auto& one : active_)
            if (one->running()) one->fail(end.error);
    }

    void report(const std::shared_ptr<operation>& one, const run_status& end) { reports_.push_back({one, end}); }
    /// Calls on_end without the lock: the functions may submit further operations.
    void announce_unlocked(std::unique_lock<std::mutex>& alone) {
        const auto all = std::exchange(reports_, {});
        alone.unlock();
        announce_all(all);
        alone.lock();
    }
    void announce_all(const std::vector<std::pair<std::shared_ptr<operation>, run_status>>& all) {
        for (const auto& [one, end] : all) {
            if (one->on_end) one->on_end(end);
            one->on_end = {}, one->before = {}, one->after = {};
            const std::lock_guard hold(queue_lock_);
            one->ended.store(true);
        }
        ended_.notify_all();
    }

    group_link* link_;
    int pauses_;
    std::mutex drive_lock_;  // for all below up to reports_, and the link
    std::vector<std::shared_ptr<operation>> active_;
    std::deque<std::shared_ptr<operation>> waiting_;
    std::shared_ptr<operation> ordered_;
    run_status broken_;
    unsigned looks_ = 0;
    std::vector<std::pair<std::shared_ptr<operation>, run_status>> reports_;

    std::mutex queue_lock_;
    std::vector<std::shared_ptr<operation>> queue_;
    bool closed_ = false;  // the queue takes no operation
    std::condition_variable idle_, ended_;
    std::atomic<bool> queued_ = false, stop_ = false, attended_ = false;
    std::atomic<std::size_t> active_count_ = 0;

    std::mutex waiting_lock_;
    std::atomic<int> waiters_ = 0;
    std::thread thread_;
};

}  // namespace examples
