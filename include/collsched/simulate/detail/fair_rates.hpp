#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "collsched/simulate/link_network.hpp"
#include "collsched/cost/picoseconds.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Flows through a network and their rates, which are max-min fair, by progressive filling. Integer arithmetic makes
/// times exact to the nearest picosecond and equal on all platforms.
///
/// Rates are recomputed when a flow begins or ends, in O(flows * links of a route * different rates).
class fair_rates {
  public:
    /// A kind of flow: the links that it passes, the links of its acknowledgements, and its weight.
    struct path {
        link_route links{}, back{};
        std::int64_t weight = 1;  ///< 1 .. 2^20
    };

    fair_rates(const link_network& net, std::int64_t back_permille)
        : net_(net), back_permille_(back_permille), weights_(net.links().size()), left_(net.links().size()) {}

    bool empty() const { return flows_.empty(); }
    /// Returns the time at which the first flow is complete if no flow begins before; without flows the latest time.
    picoseconds next() {
        if (changed_) share();
        return next_;
    }

    /// Begins a flow of `bytes` bytes. Times do not decrease.
    void begin(std::int64_t id, const path& on, bytes_t bytes, picoseconds time) {
        move(time);
        flows_.push_back({id, &on, static_cast<wide>(bytes) << bits, 0, never});
        changed_ = true;
    }
    /// Calls ended(id) for all flows that are complete at `time`, in the order in which they began.
    template <class F>
    void end(picoseconds time, F ended) {
        if (changed_) share();
        move(time);
        const auto complete = [](const flow& current) { return current.left == 0; };
        for (const flow& current : flows_)
            if (complete(current)) ended(current.id), changed_ = true;
        std::erase_if(flows_, complete);
    }

  private:
    __extension__ using wide = unsigned __int128;
    static constexpr int bits = 60;   // a rate of 1 is 2^-60 bytes per femtosecond
    static constexpr int level = 14;  // further bits of a share
    static constexpr picoseconds never = std::numeric_limits<picoseconds>::max();

    struct flow {
        std::int64_t id;
        const path* on;
        wide left;
        std::int64_t rate;
        picoseconds ends;
    };

    std::size_t at(std::int32_t link) const { return static_cast<std::size_t>(link); }
    bool limits(std::int32_t link) const { return net_[link].cost.byte_fs > 0 && net_[link].shared; }
    std::int64_t capacity(std::int32_t link) const {
        return std::max<std::int64_t>(1, (std::int64_t{1} << bits) / net_[link].cost.byte_fs);
    }

    void move(picoseconds time) {
        for (flow& current : flows_) {
            const wide done = static_cast<wide>(current.rate) * static_cast<wide>(time - moved_) * 1000;
            current.left = done < current.left && current.ends > time ? current.left - done : 0;
        }
        moved_ = std::max(moved_, time);
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

    void share() {
        changed_ = false;
        next_ = never;
        used_.clear();
        open_.clear();
        for (flow& current : flows_) {
            current.rate = 0;
            open_.push_back(&current);
            for_each_use(*current.on, [&](std::int32_t link, std::int64_t part) {
                if (weights_[at(link)] == 0) used_.push_back(link), left_[at(link)] = capacity(link);
                weights_[at(link)] += part;
            });
        }
        while (!open_.empty()) fill();
        for (const std::int32_t link : used_) weights_[at(link)] = 0;
        for (flow& current : flows_) {
            current.ends = end_of(current);
            next_ = std::min(next_, current.ends);
        }
    }

    /// Returns the rate of a weight of 1 on a link, with `level` more bits.
    wide share_of(std::int32_t link) const {
        return (static_cast<wide>(left_[at(link)]) * 1000 << level) / static_cast<wide>(weights_[at(link)]);
    }
    /// Returns the rate limit of a flow by its slowest unshared link.
    wide own_share(const flow& current) const {
        wide least = ~wide{0};
        for (const std::int32_t link : current.on->links)
            if (net_[link].cost.byte_fs > 0 && !net_[link].shared)
                least = std::min(least,
                                 (static_cast<wide>(capacity(link)) << level) / static_cast<wide>(current.on->weight));
        return least;
    }

    /// Fixes the rates of the flows that have reached their limit.
    void fill() {
        wide least = ~wide{0};
        for (const std::int32_t link : used_)
            if (weights_[at(link)] > 0) least = std::min(least, share_of(link));
        for (const flow* current : open_) least = std::min(least, own_share(*current));
        const auto full = [&](const flow* current) {
            bool found = own_share(*current) <= least;
            for_each_use(*current->on,
                         [&](std::int32_t link, std::int64_t) { found = found || share_of(link) <= least; });
            return found;
        };
        done_.clear();
        std::size_t still_open = 0;
        for (flow* current : open_) {
            if (full(current)) done_.push_back(current);
            else open_[still_open++] = current;
        }
        open_.resize(still_open);
        for (flow* current : done_) {
            const wide limit = wide{1} << 62;
            current->rate = std::max<std::int64_t>(
                1, static_cast<std::int64_t>(std::min(limit, least * static_cast<wide>(current->on->weight) >> level)));
            for_each_use(*current->on, [&](std::int32_t link, std::int64_t part) {
                const std::int64_t taken = static_cast<std::int64_t>(
                    static_cast<wide>(current->rate) * static_cast<wide>(part / current->on->weight) / 1000);
                left_[at(link)] = std::max<std::int64_t>(0, left_[at(link)] - taken);
                weights_[at(link)] -= part;
            });
        }
    }

    picoseconds end_of(const flow& current) const {
        const wide a_ps = static_cast<wide>(current.rate) * 1000, remaining = (current.left + a_ps / 2) / a_ps;
        return remaining < static_cast<wide>(never - moved_) ? moved_ + static_cast<picoseconds>(remaining) : never;
    }

    const link_network& net_;
    std::int64_t back_permille_;
    std::vector<flow> flows_;
    std::vector<flow*> open_;            // flows without a rate
    std::vector<flow*> done_;            // flows whose rate was fixed last
    std::vector<std::int32_t> used_;     // links that flows share now
    std::vector<std::int64_t> weights_;  // per link: weight of open flows, in thousandths
    std::vector<std::int64_t> left_;     // per link: remaining capacity
    picoseconds moved_ = 0, next_ = never;
    bool changed_ = false;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
