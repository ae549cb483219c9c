#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "collsched/simulate/detail/event_queue.hpp"
#include "collsched/simulate/link_network.hpp"
#include "collsched/cost/picoseconds.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Flows through a network and their rates, which are max-min fair, by progressive filling. Integer arithmetic makes
/// times exact to the nearest picosecond and equal on all platforms.
///
/// All flows of one path have the same rate at any time, so rates are those of paths. A flow that begins or ends changes
/// only the rates of paths that share links with its path, directly or by other paths. These are computed in O(links of
/// the paths + links * different rates), however many flows a path has.
class fair_rates {
  public:
    /// The links that flows pass, the links of their acknowledgements, the weight of a flow, and its largest rate.
    struct path {
        link_route links{}, back{};
        std::int64_t weight = 1;  ///< 1 .. 2^26
        std::int64_t limit = 0;   ///< see window_limit(); 0: none
    };

    /// Returns the largest rate of a flow that has at most `bytes` bytes in flight for `time` (1 ps or more).
    static std::int64_t window_limit(bytes_t bytes, picoseconds time) {
        const wide limit = (static_cast<wide>(bytes) << bits) / (static_cast<wide>(time) * 1000);
        return static_cast<std::int64_t>(std::clamp<wide>(limit, 1, wide{1} << 62));
    }

    fair_rates(const link_network& net, std::int64_t back_permille)
        : net_(net), back_permille_(back_permille), links_(net.links().size()) {}

    /// Adds a path without flows. Paths are numbered from 0.
    void add(path on) {
        paths_.emplace_back();
        paths_.back().cap = own_limit(on);
        paths_.back().on = std::move(on);
    }

    bool empty() const { return active_ == 0; }
    /// Returns the time at which the first flow is complete if no flow begins before; without flows the latest time.
    picoseconds next() {
        if (!changed_.empty()) share();
        while (!ends_.empty() && at(ends_.next().number).version != ends_.next().version) ends_.take();
        return ends_.empty() ? never : ends_.next().time;
    }

    /// Begins a flow of `bytes` bytes on a path, which passes a millionth of `bandwidth_ppm` of them for each byte of its
    /// rate. Times do not decrease.
    void begin(std::int64_t id, std::int64_t number, bytes_t bytes, picoseconds time,
               std::int64_t bandwidth_ppm = whole) {
        now_ = time;
        used_path& used = at(number);
        move(used);
        if (used.flows++ == 0) enter(number);
        used.targets.push({used.passed + inflated(bytes, bandwidth_ppm), ++begun_, id});
        ++active_;
        changed_.push_back(number);
    }
    /// Calls ended(id) for all flows that are complete at `time`, in the order in which they began.
    template <class F>
    void end(picoseconds time, F ended) {
        now_ = time;
        complete_.clear();
        ended_.clear();
        while (next() == time) take_complete(ends_.take().number);
        for (const std::int64_t number : ended_)
            if (at(number).flows == 0) leave(number);
            else changed_.push_back(number);
        std::sort(complete_.begin(), complete_.end(),
                  [](const target& a, const target& b) { return a.begun < b.begun; });
        for (const target& flow : complete_) ended(flow.id);
    }

  private:
    __extension__ using wide = unsigned __int128;
    static constexpr int bits = 60;   // a rate of 1 is 2^-60 bytes per femtosecond
    static constexpr int level = 14;  // further bits of a share
    static constexpr std::int64_t whole = 1'000'000;
    static constexpr picoseconds never = std::numeric_limits<picoseconds>::max();

    /// The end of a flow: the bytes that a flow of its path has passed by then, counted from the first flow.
    struct target {
        wide passed;
        std::int64_t begun, id;

        bool operator<(const target& other) const { return passed < other.passed; }
    };
    struct used_path {
        path on{};
        wide cap = 0;     // largest rate of a flow per weight, with `level` more bits
        wide passed = 0;  // bytes that a flow has passed at `moved`
        std::int64_t rate = 0, flows = 0;
        picoseconds moved = 0, ends = never;  // ends: of the first flow, as in ends_
        std::int64_t version = 0;
        bool open = false;
        event_queue<target> targets{};
        std::vector<std::int32_t> seats{};  // per use of a link: position among the link's paths
    };
    struct seat {
        std::int64_t number;
        std::int32_t use;
    };
    struct link_state {
        std::vector<seat> paths{};
        std::int64_t weight = 0;  // of open paths, in thousandths
        std::int64_t left = 0;    // capacity that fixed rates leave
        bool found = false;
    };
    struct finish {
        picoseconds time;
        std::int64_t number, version;

        bool operator<(const finish& other) const { return time < other.time; }
    };

    used_path& at(std::int64_t number) { return paths_[static_cast<std::size_t>(number)]; }
    link_state& at_link(std::int32_t link) { return links_[static_cast<std::size_t>(link)]; }
    bool limits(std::int32_t link) const { return net_[link].cost.byte_fs > 0 && net_[link].shared; }
    std::int64_t capacity(std::int32_t link) const {
        return std::max<std::int64_t>(1, (std::int64_t{1} << bits) / net_[link].cost.byte_fs);
    }

    static wide inflated(bytes_t bytes, std::int64_t bandwidth_ppm) {
        const wide all = static_cast<wide>(bytes) << bits;
        if (bandwidth_ppm == whole) return all;
        const auto ppm = static_cast<wide>(bandwidth_ppm);
        return bytes < std::int64_t{1} << 40 ? all * whole / ppm : all / ppm * whole;
    }

    /// Calls f(link, share of a flow's weight on the link, in thousandths).
    template <class F>
    void for_each_use(const path& on, F f) const {
        for (const std::int32_t link : on.links)
            if (limits(link)) f(link, on.weight * 1000);
        if (back_permille_ > 0)
            for (const std::int32_t link : on.back)
                if (limits(link)) f(link, on.weight * back_permille_);
    }
    /// Returns the largest rate of a flow per weight, by its window and its slowest unshared link.
    wide own_limit(const path& on) const {
        wide least = on.limit > 0 ? static_cast<wide>(on.limit) : wide{1} << 62;
        for (const std::int32_t link : on.links)
            if (net_[link].cost.byte_fs > 0 && !net_[link].shared)
                least = std::min<wide>(least, static_cast<wide>(capacity(link)));
        return (least << level) / static_cast<wide>(on.weight);
    }

    /// Adds a path to its links.
    void enter(std::int64_t number) {
        used_path& entered = at(number);
        for_each_use(entered.on, [&](std::int32_t link, std::int64_t) {
            const auto use = static_cast<std::int32_t>(entered.seats.size());
            entered.seats.push_back(static_cast<std::int32_t>(at_link(link).paths.size()));
            at_link(link).paths.push_back({number, use});
        });
    }
    /// Removes a path from its links.
    void leave(std::int64_t number) {
        used_path& left = at(number);
        left.rate = 0;
        left.passed = 0;
        std::size_t use = 0;
        for_each_use(left.on, [&](std::int32_t link, std::int64_t) {
            std::vector<seat>& paths = at_link(link).paths;
            const seat last = paths.back();
            paths[static_cast<std::size_t>(left.seats[use])] = last;
            at(last.number).seats[static_cast<std::size_t>(last.use)] = left.seats[use];
            paths.pop_back();
            if (!paths.empty()) changed_.push_back(paths.front().number);
            ++use;
        });
        left.seats.clear();
    }
    /// Ends the first flow of a path and all others that have passed as many bytes.
    void take_complete(std::int64_t number) {
        used_path& used = at(number);
        move(used);
        used.ends = never;
        ++used.version;
        used.passed = std::max(used.passed, used.targets.next().passed);
        for (; used.flows > 0 && used.targets.next().passed <= used.passed; --used.flows, --active_)
            complete_.push_back(used.targets.take());
        ended_.push_back(number);
    }

    /// Computes the rates of all paths that share links with the changed ones, directly or by others.
    void share() {
        find_changed();
        std::sort(open_.begin(), open_.end(), [this](std::int64_t a, std::int64_t b) { return at(a).cap < at(b).cap; });
        std::size_t capped = 0, left = open_.size();
        while (left > 0) {
            while (capped < open_.size() && !at(open_[capped]).open) ++capped;
            wide least = capped < open_.size() ? at(open_[capped]).cap : ~wide{0};
            for (const std::int32_t link : used_)
                if (at_link(link).weight > 0) least = std::min(least, share_of(at_link(link)));
            full_.clear();
            for (std::size_t i = capped; i < open_.size() && at(open_[i]).cap <= least; ++i)
                if (at(open_[i]).open) close(open_[i]);
            for (const std::int32_t link : used_)
                if (at_link(link).weight > 0 && share_of(at_link(link)) <= least)
                    for (const seat& user : at_link(link).paths)
                        if (at(user.number).open) close(user.number);
            for (const std::int64_t number : full_) fix(number, least);
            left -= full_.size();
            std::erase_if(used_, [this](std::int32_t link) { return at_link(link).weight <= 0; });
        }
    }
    void close(std::int64_t number) {
        at(number).open = false;
        full_.push_back(number);
    }

    /// Opens the changed paths and all that are connected with them, and brings their bytes up to date.
    void find_changed() {
        open_.clear();
        used_.clear();
        const auto open = [&](std::int64_t number) {
            if (at(number).open || at(number).flows == 0) return;
            at(number).open = true;
            open_.push_back(number);
        };
        for (const std::int64_t number : changed_) open(number);
        changed_.clear();
        for (std::size_t i = 0; i < open_.size(); ++i) {
            used_path& current = at(open_[i]);
            move(current);
            for_each_use(current.on, [&](std::int32_t link, std::int64_t part) {
                link_state& state = at_link(link);
                if (!state.found) {
                    state.found = true;
                    state.left = capacity(link);
                    state.weight = 0;
                    used_.push_back(link);
                    for (const seat& user : state.paths) open(user.number);
                }
                state.weight += part * current.flows;
            });
        }
        for (const std::int32_t link : used_) at_link(link).found = false;
    }
    void move(used_path& current) const {
        current.passed += static_cast<wide>(current.rate) * static_cast<wide>(now_ - current.moved) * 1000;
        current.moved = now_;
    }

    /// Returns the rate of a weight of 1 on a link, with `level` more bits.
    static wide share_of(const link_state& link) {
        return (static_cast<wide>(link.left) * 1000 << level) / static_cast<wide>(link.weight);
    }

    /// Fixes the rate of the flows of a path, and computes the end of the first.
    void fix(std::int64_t number, wide share) {
        used_path& fixed = at(number);
        const wide limit = wide{1} << 62;
        fixed.rate = std::max<std::int64_t>(
            1, static_cast<std::int64_t>(std::min(limit, share * static_cast<wide>(fixed.on.weight) >> level)));
        for_each_use(fixed.on, [&](std::int32_t link, std::int64_t part) {
            link_state& state = at_link(link);
            const wide taken = static_cast<wide>(fixed.rate) * static_cast<wide>(part / fixed.on.weight) *
                               static_cast<wide>(fixed.flows) / 1000;
            state.left = taken < static_cast<wide>(state.left) ? state.left - static_cast<std::int64_t>(taken) : 0;
            state.weight -= part * fixed.flows;
        });
        const picoseconds ends = end_of(fixed);
        if (ends == fixed.ends) return;
        fixed.ends = ends;
        ++fixed.version;
        ends_.push({ends, number, fixed.version});
    }
    picoseconds end_of(used_path& current) const {
        const wide first = current.targets.next().passed, rate = static_cast<wide>(current.rate) * 1000;
        const wide left = first > current.passed ? first - current.passed : 0, remaining = (left + rate / 2) / rate;
        return remaining < static_cast<wide>(never - now_) ? now_ + static_cast<picoseconds>(remaining) : never;
    }

    const link_network& net_;
    std::int64_t back_permille_;
    std::vector<used_path> paths_;
    std::vector<link_state> links_;      // per link of the network
    std::vector<std::int64_t> changed_;  // paths on which flows began or ended, and neighbors of paths that flows left
    std::vector<std::int64_t> open_;     // paths whose rates are computed, slowest limit first
    std::vector<std::int32_t> used_;     // links that open paths share
    std::vector<std::int64_t> full_;     // paths that have reached their limit
    std::vector<std::int64_t> ended_;    // paths on which flows end at one time
    std::vector<target> complete_;
    event_queue<finish> ends_;
    std::int64_t active_ = 0, begun_ = 0;
    picoseconds now_ = 0;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
