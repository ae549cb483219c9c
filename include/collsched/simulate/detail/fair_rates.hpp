#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "collsched/core/detail/heap.hpp"
#include "collsched/simulate/detail/fair_shares.hpp"
#include "collsched/simulate/detail/next_events.hpp"
#include "collsched/simulate/contention_model.hpp"
#include "collsched/cost/concepts.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Flows through a network at max-min fair rates. Integer arithmetic makes times exact to the nearest picosecond and
/// equal on all platforms.
///
/// All flows of one path have the same rate at any time, so rates are those of paths. They are computed once for all
/// flows that begin or end at one time. With an interval they are computed once for all that begin or end within it,
/// which is faster and not exact: until then the flows of a path on which one begins or ends have an equal part of each
/// link, and all others keep their rates.
class fair_rates {
  public:
    using path = fair_shares::path;

    /// @param interval  least time between two computations of rates, in picoseconds; 0: exact times
    fair_rates(const contention_model::network& net, std::int64_t back_permille, picoseconds interval = 0)
        : shares_(net, back_permille), interval_(interval) {}

    /// Adds a path without flows. Paths are numbered from 0.
    void add(const path& on) {
        shares_.add(on);
        paths_.emplace_back();
        ends_.add();
    }

    bool empty() const { return active_ == 0; }
    /// Returns whether flows have begun or ended at this time, so that other events of this time precede next().
    bool changes_at(picoseconds time) const { return shares_.is_changed() && time == now_ && now_ >= due_; }
    /// Returns the time at which the first flow is complete if no flow begins before; without flows the latest time.
    picoseconds next() {
        const picoseconds ends = ends_.empty() ? infinity : ends_.time();
        if (!shares_.is_changed()) return ends;
        if (now_ < due_) return std::min(ends, due_);
        shares_.update([this](std::int64_t number, std::int64_t rate) { set_rate(number, rate); }, interval_ > 0);
        if (active_ > 0) due_ = now_ + interval_;
        return ends_.empty() ? infinity : ends_.time();
    }

    /// Begins a flow of `bytes` bytes on a path, which passes a millionth of `bandwidth_ppm` of them for each byte of
    /// its rate. Times do not decrease.
    void begin(std::int64_t id, std::int64_t number, bytes_t bytes, picoseconds time,
               std::int64_t bandwidth_ppm = unit_ppm) {
        now_ = time;
        used_path& used = at(number);
        move(used);
        used.restarted = true;
        used.targets.push({used.passed + inflated(bytes, bandwidth_ppm), ++begun_, id});
        ++active_;
        shares_.set_flows(number, ++used.flows);
        if (now_ < due_) set_rate(number, shares_.equal_rate(number));
    }
    /// Calls ended(id) for all flows that are complete at `time`, in the order in which they began.
    template <class F>
    void end(picoseconds time, F ended) {
        now_ = time;
        complete_.clear();
        ended_.clear();
        while (next() == time && !ends_.empty() && ends_.time() == time) take_complete(ends_.number());
        for (const std::int64_t number : ended_) {
            used_path& used = at(number);
            if (used.flows == 0) used.rate = 0, used.passed = 0;
            shares_.set_flows(number, used.flows);
            if (used.flows > 0 && now_ < due_) set_rate(number, shares_.equal_rate(number));
        }
        std::sort(complete_.begin(), complete_.end(),
                  [](const target& a, const target& b) { return a.begun < b.begun; });
        for (const target& flow : complete_) ended(flow.id);
    }

  private:
    using wide = fair_shares::wide;
    static constexpr std::int64_t unit_ppm = 1'000'000;
    static constexpr picoseconds infinity = std::numeric_limits<picoseconds>::max();

    /// The end of a flow: the bytes that a flow of its path has passed by then, counted from the first flow.
    struct target {
        wide passed;
        std::int64_t begun, id;

        bool operator<(const target& other) const { return passed < other.passed; }
    };
    struct used_path {
        wide passed{};  // bytes that a flow has passed at `moved`
        std::int64_t rate = 0, flows = 0;
        picoseconds moved = 0, ends = infinity;  // ends: of the first flow, as in ends_
        bool restarted = false;                  // whether flows have begun or ended since `ends` was computed
        heap<target> targets{};
    };

    used_path& at(std::int64_t number) { return paths_[static_cast<std::size_t>(number)]; }

    static wide inflated(bytes_t bytes, std::int64_t bandwidth_ppm) {
        const wide all = static_cast<wide>(bytes) << fair_shares::bits;
        if (bandwidth_ppm == unit_ppm) return all;
        const auto ppm = static_cast<wide>(bandwidth_ppm);
        return bytes < std::int64_t{1} << 40 ? all * unit_ppm / ppm : all / ppm * unit_ppm;
    }

    /// Ends the first flow of a path and all others that have passed as many bytes.
    void take_complete(std::int64_t number) {
        used_path& used = at(number);
        move(used);
        used.restarted = true;
        used.ends = infinity;
        ends_.remove(number);
        used.passed = std::max(used.passed, used.targets.top().passed);
        for (; used.flows > 0 && used.targets.top().passed <= used.passed; --used.flows, --active_)
            complete_.push_back(used.targets.take());
        ended_.push_back(number);
    }
    void move(used_path& current) const {
        current.passed += static_cast<wide>(current.rate) * static_cast<wide>(now_ - current.moved) * 1000;
        current.moved = now_;
    }
    /// Sets the rate of the flows of a path, and computes the end of the first.
    void set_rate(std::int64_t number, std::int64_t rate) {
        used_path& current = at(number);
        if (rate == current.rate && !current.restarted) return;
        move(current);
        current.rate = rate;
        current.restarted = false;
        const picoseconds ends = end_of(current);
        if (ends == current.ends) return;
        current.ends = ends;
        ends_.set(number, ends);
    }
    picoseconds end_of(used_path& current) const {
        const wide first = current.targets.top().passed, rate = static_cast<wide>(current.rate) * 1000;
        const wide amount = first > current.passed ? first - current.passed : 0, remaining = (amount + rate / 2) / rate;
        return remaining < static_cast<wide>(infinity - now_) ? now_ + static_cast<picoseconds>(remaining) : infinity;
    }

    fair_shares shares_;
    std::vector<used_path> paths_;
    std::vector<std::int64_t> ended_;  // paths on which flows end at one time
    std::vector<target> complete_;
    next_events ends_;  // of the first flow of each path
    std::int64_t active_ = 0, begun_ = 0;
    picoseconds interval_;
    picoseconds now_ = 0, due_ = 0;  // due: earliest time of the next computation of rates
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
