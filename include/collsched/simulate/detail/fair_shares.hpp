#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "collsched/cost/concepts.hpp"
#include "collsched/simulate/detail/link_users.hpp"
#include "collsched/simulate/contention_model.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The max-min fair rates of paths through a network, by progressive filling, in integer arithmetic.
///
/// A path has a rate for each of its flows. A rate is fair if the path has a full link on which no rate per weight is
/// larger (its bottleneck), or if it is the path's own limit. After a change, only the paths whose rates may not be
/// fair any more are filled again. If the new rates violate those of other paths on the same links, these are filled
/// too.
class fair_shares {
  public:
    __extension__ using wide = unsigned __int128;
    static constexpr int bits = 60;  ///< a rate of 1 is 2^-60 bytes per femtosecond

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

    fair_shares(const contention_model::network& net, std::int64_t back_permille)
        : net_(net), back_permille_(back_permille), users_(net), links_(net.links().size()) {
        for (std::size_t i = 0; i < links_.size(); ++i)
            links_[i].capacity = links_[i].free_capacity = capacity(static_cast<std::int32_t>(i));
    }

    /// Adds a path without flows. Paths are numbered from 0.
    void add(const path& on) {
        used_path& added = paths_.emplace_back();
        added.weight = on.weight;
        added.cap = own_limit(on);
        users_.add(on.links, on.back, back_permille_);
        wide full_share = ~wide{0};
        for (const link_users::use& use : users_.uses(std::ssize(paths_) - 1))
            full_share = std::min(full_share, share_of(at_link(use.link).capacity, on.weight * use.permille));
        added.may_be_capped = added.cap <= full_share;
    }

    /// Sets the number of flows of a path, 0 or more. The next update() considers it.
    void set_flows(std::int64_t number, std::int64_t flows) {
        used_path& changed = at(number);
        if (changed.flows == 0) users_.enter(number);
        for (const link_users::use& use : users_.uses(number))
            at_link(use.link).load += use.permille * changed.weight * (flows - changed.flows);
        active_ += (flows > 0 ? 1 : 0) - (changed.flows > 0 ? 1 : 0);
        changed.flows = flows;
        changed_.push_back(number);
        if (flows > 0) return;
        users_.leave(number);
        release(number);
    }
    /// Returns the rate of a path with flows if all paths with flows on its links had the same rate per weight.
    std::int64_t equal_rate(std::int64_t number) {
        const used_path& used = at(number);
        wide least = used.cap;
        for (const link_users::use& use : users_.uses(number))
            least = std::min(least, share_of(at_link(use.link).capacity, at_link(use.link).load));
        return rate_of(used, least);
    }
    /// Returns whether set_flows() was called since the last update().
    bool is_changed() const { return !changed_.empty(); }

    /// Returns the full link that limits a path with flows since the last update(); -1: the limit is its own.
    std::int32_t bottleneck(std::int64_t number) const { return paths_[static_cast<std::size_t>(number)].bottleneck; }

    /// Computes the rates of paths, and calls f(number, rate) for those that may have changed, with every changed path
    /// that has flows. O(u log l) for u uses of l links by these paths, times the rounds until no other path is
    /// affected.
    /// @param all  whether to fill all paths at once, which is faster if most of them are affected
    template <class F>
    void update(F f, bool all = false) {
        if (all) open_every();
        else open_changed();
        for (int round = 1; !open_.empty(); ++round) {
            fill();
            const std::size_t size = open_.size();
            if (all) break;
            if (round == most_rounds || 2 * std::ssize(open_) > active_) open_all();
            else open_affected();
            if (open_.size() == size) break;
        }
        for (const std::int64_t number : open_) {
            at(number).in_set = false;
            f(number, at(number).rate);
        }
        open_.clear();
    }

  private:
    static constexpr int level = 14;       // further bits of a share
    static constexpr int tolerance = 40;   // shares are equal if they differ by less than this power of 1/2
    static constexpr int most_rounds = 8;  // after which all paths are filled
    static constexpr std::int32_t none = -1;

    struct used_path {
        std::int64_t weight = 1, flows = 0;
        std::int64_t rate = 0;                    // of each flow
        std::int64_t consumed = 0, returned = 0;  // of the capacity of its links, and in the reverse direction
        wide cap = 0;                             // largest rate of a flow per weight, with `level` more bits
        wide share = 0;                           // rate of a flow per weight, with `level` more bits
        std::int32_t bottleneck = none;           // the full link that limits it
        bool may_be_capped = false;               // whether its links may leave more than `cap`
        bool in_set = false, open = false;        // in open_; without a rate yet
    };
    struct link_state {
        std::int64_t capacity = 0;
        std::int64_t free_capacity = 0;  // capacity that fixed rates leave
        std::int64_t load = 0;           // weight of all flows, in thousandths
        std::int64_t weight = 0;         // of open paths, in thousandths
        wide level = 0;                  // largest share of the paths in open_
        bool found = false;
        bool current = false;  // whether its share in shares_ is that of `free_capacity` and `weight`
        bool full = false;     // whether it limits paths in open_
    };
    struct link_share {
        wide share;
        std::int32_t link;

        bool operator<(const link_share& other) const { return other.share < share; }  // a heap has the least first
    };

    used_path& at(std::int64_t number) { return paths_[static_cast<std::size_t>(number)]; }
    link_state& at_link(std::int32_t link) { return links_[static_cast<std::size_t>(link)]; }
    std::int64_t capacity(std::int32_t link) const {
        const std::int64_t byte_fs = std::max<std::int64_t>(1, net_[link].cost.byte_fs);
        return std::max<std::int64_t>(1, (std::int64_t{1} << bits) / byte_fs);
    }
    /// Returns the largest rate of a flow per weight, by its window and its slowest unshared link.
    wide own_limit(const path& on) const {
        wide least = on.limit > 0 ? static_cast<wide>(on.limit) : wide{1} << 62;
        for (const std::int32_t link : on.links)
            if (net_[link].cost.byte_fs > 0 && !net_[link].shared)
                least = std::min<wide>(least, static_cast<wide>(capacity(link)));
        return (least << level) / static_cast<wide>(on.weight);
    }
    /// Returns the rate of a weight of 1 on a link, with `level` more bits.
    static wide share_of(std::int64_t free_capacity, std::int64_t weight) {
        return free_capacity > 0 ? (static_cast<wide>(free_capacity) * 1000 << level) / static_cast<wide>(weight) : 0;
    }
    static constexpr wide largest_rate = wide{1} << 62;

    static std::int64_t rate_of(const used_path& used, wide share) {
        return std::max<std::int64_t>(
            1, static_cast<std::int64_t>(std::min(largest_rate, share * static_cast<wide>(used.weight) >> level)));
    }
    static bool exceeds(wide share, wide other) { return share > other + (other >> tolerance); }

    /// Returns what a path takes to its links.
    void release(std::int64_t number) {
        used_path& from = at(number);
        if (from.consumed == 0) return;
        for (const link_users::use& use : users_.uses(number))
            at_link(use.link).free_capacity += use.permille == 1000 ? from.consumed : from.returned;
        from.consumed = from.returned = 0;
    }

    void open(std::int64_t number) {
        if (at(number).in_set || at(number).flows == 0) return;
        at(number).in_set = true;
        open_.push_back(number);
    }
    /// Opens the changed paths, and those that a link of theirs limits.
    void open_changed() {
        for (const std::int64_t number : changed_) {
            open(number);
            for (const link_users::use& use : users_.uses(number))
                for (const link_users::user& other : users_.users(use.link))
                    if (at(other.path).bottleneck == use.link) open(other.path);
        }
        changed_.clear();
    }
    /// Opens all paths.
    void open_every() {
        for (std::int64_t number = 0; number < std::ssize(paths_); ++number) open(number);
        changed_.clear();
    }
    /// Opens the paths whose rates are not fair beside those in open_.
    void open_affected() {
        for (const std::int32_t number : used_) {
            const link_state& link = at_link(number);
            const bool full = link.full || link.free_capacity <= link.capacity >> tolerance;
            for (const link_users::user& user : users_.users(number)) {
                const used_path& other = at(user.path);
                if (other.in_set) continue;
                const bool gives = link.full && exceeds(other.share, link.level);
                const bool gains = other.bottleneck == number && (!full || exceeds(link.level, other.share));
                if (gives || gains) open(user.path);
            }
        }
    }
    /// Opens all paths that share links with those in open_, directly or by others.
    void open_all() {
        for (std::size_t i = 0; i < open_.size(); ++i)
            for (const link_users::use& use : users_.uses(open_[i])) {
                if (std::exchange(at_link(use.link).found, true)) continue;
                for (const link_users::user& other : users_.users(use.link)) open(other.path);
            }
        for (const std::int64_t number : open_)
            for (const link_users::use& use : users_.uses(number)) at_link(use.link).found = false;
    }

    /// Computes the rates of the paths in open_ beside those of all other paths.
    void fill() {
        begin_filling();
        std::size_t capped = 0, open_paths = open_.size();
        while (open_paths > 0) {
            while (capped < capped_.size() && !at(capped_[capped]).open) ++capped;
            const link_share* link = least_share();
            const wide least = std::min(capped < capped_.size() ? at(capped_[capped]).cap : ~wide{0},
                                        link != nullptr ? link->share : ~wide{0});
            closed_.clear();
            for (; link != nullptr && link->share <= least; link = least_share()) {
                at_link(link->link).full = true;
                for (const link_users::user& user : users_.users(link->link)) close(user.path, link->link);
                take_share();
            }
            for (; capped < capped_.size() && at(capped_[capped]).cap <= least; ++capped) close(capped_[capped], none);
            for (const std::int64_t number : closed_) fix(number, least);
            open_paths -= closed_.size();
        }
    }
    void begin_filling() {
        capped_.clear();
        shares_.clear();
        used_.clear();
        for (const std::int64_t number : open_) {
            used_path& opened = at(number);
            release(number);
            opened.open = true;
            if (opened.may_be_capped) capped_.push_back(number);
            for (const link_users::use& use : users_.uses(number)) {
                link_state& state = at_link(use.link);
                if (!std::exchange(state.found, true)) {
                    state.weight = 0;
                    used_.push_back(use.link);
                }
                state.weight += use.permille * opened.weight * opened.flows;
            }
        }
        for (const std::int32_t link : used_) {
            link_state& state = at_link(link);
            state.found = state.full = false;
            state.current = true;
            state.level = 0;
            shares_.push_back({share_of(state.free_capacity, state.weight), link});
        }
        std::make_heap(shares_.begin(), shares_.end());
        std::sort(capped_.begin(), capped_.end(),
                  [this](std::int64_t a, std::int64_t b) { return at(a).cap < at(b).cap; });
    }
    void close(std::int64_t number, std::int32_t bottleneck) {
        if (!std::exchange(at(number).open, false)) return;
        at(number).bottleneck = bottleneck;
        closed_.push_back(number);
    }
    void take_share() {
        std::pop_heap(shares_.begin(), shares_.end());
        shares_.pop_back();
    }
    /// Returns the link of open paths with the least share, or null. Shares only grow as rates are fixed, so that of a
    /// link is computed again when it is the least.
    const link_share* least_share() {
        while (!shares_.empty()) {
            const std::int32_t link = shares_.front().link;
            link_state& state = at_link(link);
            if (state.weight > 0 && state.current) return &shares_.front();
            take_share();
            if (state.weight <= 0) continue;
            state.current = true;
            shares_.push_back({share_of(state.free_capacity, state.weight), link});
            std::push_heap(shares_.begin(), shares_.end());
        }
        return nullptr;
    }
    /// Fixes the rate of the flows of a path.
    void fix(std::int64_t number, wide share) {
        used_path& fixed = at(number);
        const wide limit = largest_rate;
        fixed.share = share;
        fixed.rate = rate_of(fixed, share);
        const wide all = static_cast<wide>(fixed.rate) * static_cast<wide>(fixed.flows);
        fixed.consumed = static_cast<std::int64_t>(std::min(all, limit));
        fixed.returned = static_cast<std::int64_t>(std::min(all * static_cast<wide>(back_permille_) / 1000, limit));
        for (const link_users::use& use : users_.uses(number)) {
            link_state& state = at_link(use.link);
            state.free_capacity -= use.permille == 1000 ? fixed.consumed : fixed.returned;
            state.weight -= use.permille * fixed.weight * fixed.flows;
            state.level = std::max(state.level, share);
            state.current = false;
        }
    }

    const contention_model::network& net_;
    std::int64_t back_permille_;
    link_users users_;
    std::vector<used_path> paths_;
    std::vector<link_state> links_;      // per link of the network
    std::vector<std::int64_t> changed_;  // paths whose number of flows has changed
    std::vector<std::int64_t> open_;     // paths whose rates are computed
    std::vector<std::int64_t> capped_;   // those of them that their own limit may slow down, slowest first
    std::vector<std::int64_t> closed_;   // paths that have reached their limit
    std::vector<std::int32_t> used_;     // links of the paths in open_
    std::vector<link_share> shares_;     // heap of links of open paths
    std::int64_t active_ = 0;            // number of paths with flows
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
