#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "collsched/simulate/detail/event_queue.hpp"
#include "collsched/simulate/link_network.hpp"
#include "collsched/cost/picoseconds.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Flows through a network and their rates, which are max-min fair, by progressive filling. Integer arithmetic makes
/// times exact to the nearest picosecond and equal on all platforms.
///
/// A flow that begins or ends changes only the rates of flows that share links with it, directly or by other flows. Their
/// rates are computed in O(links of their routes + links * different rates).
class fair_rates {
  public:
    /// A kind of flow: the links that it passes, the links of its acknowledgements, its weight, and its largest rate.
    struct path {
        link_route links{}, back{};
        std::int64_t weight = 1;  ///< 1 .. 2^30
        std::int64_t limit = 0;   ///< see window_limit(); 0: none
    };

    /// Returns the largest rate of a flow that has at most `bytes` bytes in flight for `time` (1 ps or more).
    static std::int64_t window_limit(bytes_t bytes, picoseconds time) {
        const wide limit = (static_cast<wide>(bytes) << bits) / (static_cast<wide>(time) * 1000);
        return static_cast<std::int64_t>(std::clamp<wide>(limit, 1, wide{1} << 62));
    }

    fair_rates(const link_network& net, std::int64_t back_permille)
        : net_(net), back_permille_(back_permille), links_(net.links().size()) {}

    bool empty() const { return active_ == 0; }
    /// Returns the time at which the first flow is complete if no flow begins before; without flows the latest time.
    picoseconds next() {
        if (!changed_.empty()) share();
        while (!ends_.empty() && is_stale(ends_.next())) ends_.take();
        return ends_.empty() ? never : ends_.next().time;
    }

    /// Begins a flow of `bytes` bytes, which passes a millionth of `bandwidth_ppm` of them for each byte of its rate. Times
    /// do not decrease.
    void begin(std::int64_t id, const path& on, bytes_t bytes, picoseconds time, std::int64_t bandwidth_ppm = whole) {
        now_ = time;
        const std::int32_t number = take_free();
        flow& added = at(number);
        added.id = id;
        added.on = &on;
        added.left = inflated(bytes, bandwidth_ppm);
        added.rate = 0;
        added.moved = time;
        added.begun = ++begun_;
        added.cap = own_limit(on);
        ++active_;
        for_each_use(on, [&](std::int32_t link, std::int64_t) {
            added.seats.push_back(static_cast<std::int32_t>(at_link(link).flows.size()));
            at_link(link).flows.push_back({number, static_cast<std::int32_t>(added.seats.size() - 1)});
        });
        changed_.push_back(number);
    }
    /// Calls ended(id) for all flows that are complete at `time`, in the order in which they began.
    template <class F>
    void end(picoseconds time, F ended) {
        now_ = time;
        complete_.clear();
        while (next() == time) complete_.push_back(ends_.take().flow);
        std::sort(complete_.begin(), complete_.end(),
                  [this](std::int32_t a, std::int32_t b) { return at(a).begun < at(b).begun; });
        for (const std::int32_t number : complete_) remove(number);
        for (const std::int32_t number : complete_) {
            ended(at(number).id);
            free_.push_back(number);
        }
    }

  private:
    __extension__ using wide = unsigned __int128;
    static constexpr int bits = 60;   // a rate of 1 is 2^-60 bytes per femtosecond
    static constexpr int level = 14;  // further bits of a share
    static constexpr std::int64_t whole = 1'000'000;
    static constexpr picoseconds never = std::numeric_limits<picoseconds>::max();

    struct flow {
        std::int64_t id = 0;
        const path* on = nullptr;
        wide left = 0, cap = 0;  // remaining bytes; largest rate per weight, with `level` more bits
        std::int64_t rate = 0;
        std::int64_t begun = 0;
        picoseconds moved = 0;  // time at which `left` bytes remained
        std::int32_t version = 0;
        bool open = false;
        std::vector<std::int32_t> seats{};  // per use of a link: position among the link's flows
    };
    struct seat {
        std::int32_t flow, use;
    };
    struct link_state {
        std::vector<seat> flows{};
        std::int64_t weight = 0;  // of open flows, in thousandths
        std::int64_t left = 0;    // capacity that fixed rates leave
        bool found = false;
    };
    struct finish {
        picoseconds time;
        std::int32_t flow, version;

        bool operator<(const finish& other) const { return time < other.time; }
    };

    flow& at(std::int32_t number) { return flows_[static_cast<std::size_t>(number)]; }
    link_state& at_link(std::int32_t link) { return links_[static_cast<std::size_t>(link)]; }
    bool limits(std::int32_t link) const { return net_[link].cost.byte_fs > 0 && net_[link].shared; }
    std::int64_t capacity(std::int32_t link) const {
        return std::max<std::int64_t>(1, (std::int64_t{1} << bits) / net_[link].cost.byte_fs);
    }
    bool is_stale(const finish& event) { return at(event.flow).version != event.version; }

    static wide inflated(bytes_t bytes, std::int64_t bandwidth_ppm) {
        const wide all = static_cast<wide>(bytes) << bits;
        if (bandwidth_ppm == whole) return all;
        const auto ppm = static_cast<wide>(bandwidth_ppm);
        return bytes < std::int64_t{1} << 40 ? all * whole / ppm : all / ppm * whole;
    }

    std::int32_t take_free() {
        if (free_.empty()) {
            flows_.emplace_back();
            return static_cast<std::int32_t>(flows_.size() - 1);
        }
        const std::int32_t number = free_.back();
        free_.pop_back();
        return number;
    }

    /// Calls f(link, share of the flow's weight on the link, in thousandths).
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

    void remove(std::int32_t number) {
        flow& ended = at(number);
        ++ended.version;
        --active_;
        std::size_t use = 0;
        for_each_use(*ended.on, [&](std::int32_t link, std::int64_t) {
            std::vector<seat>& flows = at_link(link).flows;
            const seat last = flows.back();
            flows[static_cast<std::size_t>(ended.seats[use])] = last;
            at(last.flow).seats[static_cast<std::size_t>(last.use)] = ended.seats[use];
            flows.pop_back();
            if (!flows.empty()) changed_.push_back(flows.front().flow);
            ++use;
        });
        ended.seats.clear();
        ended.on = nullptr;
    }

    /// Computes the rates of all flows that share links with the changed ones, directly or by others.
    void share() {
        find_changed();
        std::sort(open_.begin(), open_.end(), [this](std::int32_t a, std::int32_t b) { return at(a).cap < at(b).cap; });
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
                    for (const seat& user : at_link(link).flows)
                        if (at(user.flow).open) close(user.flow);
            for (const std::int32_t number : full_) fix(number, least);
            left -= full_.size();
            std::erase_if(used_, [this](std::int32_t link) { return at_link(link).weight <= 0; });
        }
    }
    void close(std::int32_t number) {
        at(number).open = false;
        full_.push_back(number);
    }

    /// Opens the changed flows and all that are connected with them, and brings their bytes up to date.
    void find_changed() {
        open_.clear();
        used_.clear();
        const auto open = [&](std::int32_t number) {
            if (at(number).open || at(number).on == nullptr) return;
            at(number).open = true;
            open_.push_back(number);
        };
        for (const std::int32_t number : changed_) open(number);
        changed_.clear();
        for (std::size_t i = 0; i < open_.size(); ++i) {
            flow& current = at(open_[i]);
            move(current);
            for_each_use(*current.on, [&](std::int32_t link, std::int64_t part) {
                link_state& state = at_link(link);
                if (!state.found) {
                    state.found = true;
                    state.left = capacity(link);
                    state.weight = 0;
                    used_.push_back(link);
                    for (const seat& user : state.flows) open(user.flow);
                }
                state.weight += part;
            });
        }
        for (const std::int32_t link : used_) at_link(link).found = false;
    }
    void move(flow& current) const {
        const wide done = static_cast<wide>(current.rate) * static_cast<wide>(now_ - current.moved) * 1000;
        current.left = done < current.left ? current.left - done : 0;
        current.moved = now_;
    }

    /// Returns the rate of a weight of 1 on a link, with `level` more bits.
    static wide share_of(const link_state& link) {
        return (static_cast<wide>(link.left) * 1000 << level) / static_cast<wide>(link.weight);
    }

    /// Fixes the rate of a flow, and computes its end.
    void fix(std::int32_t number, wide share) {
        flow& fixed = at(number);
        const wide limit = wide{1} << 62;
        const std::int64_t rate = std::max<std::int64_t>(
            1, static_cast<std::int64_t>(std::min(limit, share * static_cast<wide>(fixed.on->weight) >> level)));
        for_each_use(*fixed.on, [&](std::int32_t link, std::int64_t part) {
            link_state& state = at_link(link);
            const std::int64_t taken =
                static_cast<std::int64_t>(static_cast<wide>(rate) * static_cast<wide>(part / fixed.on->weight) / 1000);
            state.left = std::max<std::int64_t>(0, state.left - taken);
            state.weight -= part;
        });
        if (rate == fixed.rate) return;  // so is its end
        fixed.rate = rate;
        ++fixed.version;
        ends_.push({end_of(fixed), number, fixed.version});
    }
    picoseconds end_of(const flow& current) const {
        const wide a_ps = static_cast<wide>(current.rate) * 1000, remaining = (current.left + a_ps / 2) / a_ps;
        return remaining < static_cast<wide>(never - now_) ? now_ + static_cast<picoseconds>(remaining) : never;
    }

    const link_network& net_;
    std::int64_t back_permille_;
    std::vector<flow> flows_;
    std::vector<std::int32_t> free_;     // flows that have ended
    std::vector<link_state> links_;      // per link of the network
    std::vector<std::int32_t> changed_;  // flows that began, and neighbors of flows that ended
    std::vector<std::int32_t> open_;     // flows whose rates are computed, slowest limit first
    std::vector<std::int32_t> used_;     // links that open flows share
    std::vector<std::int32_t> full_;     // flows that have reached their limit
    std::vector<std::int32_t> complete_;
    event_queue<finish> ends_;
    std::size_t active_ = 0;
    std::int64_t begun_ = 0;
    picoseconds now_ = 0;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
