#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/detail/sort.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/topology/detail/arc_table.hpp"
#include "collsched/topology/detail/signed_vector.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace topology { namespace detail {

/// The ways from each rank to the ranks that it reaches without passing another rank: by links, or through switches.
class rank_arcs {
  public:
    /// The way to a rank with the fewest links, and of these one with the largest bandwidth.
    struct arc {
        rank_t to{};
        std::int64_t links = 1;
        std::int64_t bandwidth = 0;  ///< of its narrowest link, where parallel links count as one
    };

    /// Finds all ways. O(ranks * links) with switches, else O(links log links).
    /// @param most  largest number of arcs; with more, fits() is false
    rank_arcs(const network& net, std::int64_t most) : ranks_(net.ranks()) {
        const arc_table table(net);
        fits_ = table.fits();
        signed_vector<arc> best(static_cast<std::size_t>(net.vertices()));
        first_.push_back(0);
        for (rank_t r = 0; r < ranks_ && fits_; ++r) {
            add_from(r, table, best);
            first_.push_back(all_.length());
            fits_ = all_.length() <= most;
        }
    }

    /// Returns whether bandwidths and the number of arcs are in range. Otherwise no other method may be called.
    bool fits() const { return fits_; }
    rank_t ranks() const { return ranks_; }
    std::int64_t size() const { return all_.length(); }
    /// Returns the arcs from a rank, by `to`.
    std::span<const arc> from(rank_t r) const {
        return std::span<const arc>(all_).subspan(static_cast<std::size_t>(first_[r]),
                                                  static_cast<std::size_t>(first_[r + 1] - first_[r]));
    }
    /// Returns the arc from one rank to another, or nullptr. O(log arcs).
    const arc* find(rank_t from, rank_t to) const {
        const std::int64_t end = first_[from + 1];
        const std::int64_t i =
            collsched::detail::first_where(first_[from], end, [&](std::int64_t n) { return all_[n].to >= to; });
        return i < end && all_[i].to == to ? &all_[i] : nullptr;
    }

  private:
    /// Adds the arcs of a rank, by breadth first. `best` has zeros, also afterwards.
    void add_from(rank_t r, const arc_table& table, signed_vector<arc>& best) {
        signed_vector<rank_t> reached{r};
        best[r].links = 0;
        for (std::int64_t n = 0; n < reached.length(); ++n) {
            const rank_t v = reached[n];
            if (v < ranks_ && v != r) continue;
            for (std::int64_t i = table.first(v); i < table.first(v + 1); ++i) {
                arc& target = best[table[i].to];
                if (table[i].to == r) continue;
                const std::int64_t width =
                    v == r || table[i].bandwidth < best[v].bandwidth ? table[i].bandwidth : best[v].bandwidth;
                if (target.bandwidth == 0) {
                    target.to = table[i].to;
                    target.links = best[v].links + 1;
                    reached.push_back(target.to);
                }
                if (target.links == best[v].links + 1 && target.bandwidth < width) target.bandwidth = width;
            }
        }
        const std::int64_t begin = all_.length();
        for (const rank_t v : reached) {
            if (v < ranks_ && v != r) all_.push_back(best[v]);
            best[v] = {};
        }
        collsched::detail::sort(all_.data() + begin, all_.length() - begin,
                                [](const arc& a, const arc& b) { return a.to < b.to; });
    }

    rank_t ranks_;
    bool fits_ = true;
    signed_vector<arc> all_;
    signed_vector<std::int64_t> first_;
};

/// Searches a cycle through all ranks over arcs of at least some bandwidth, by backtracking.
class cycle_search {
  public:
    /// The next rank that is tried first: that of the widest arc, or the one with the fewest ranks that can follow it.
    /// The other rule decides between equal ones.
    enum class preference { wide, few_followers };

    cycle_search(const rank_arcs& arcs, std::int64_t least_bandwidth)
        : ranks_(arcs.ranks()), next_(static_cast<std::size_t>(ranks_)), previous_(static_cast<std::size_t>(ranks_)) {
        for (rank_t r = 0; r < ranks_; ++r)
            for (const rank_arcs::arc& arc : arcs.from(r))
                if (arc.bandwidth >= least_bandwidth) {
                    next_[r].push_back(arc);
                    previous_[arc.to].push_back(r);
                }
    }

    /// Returns whether there is no cycle because rank 0 does not reach a rank, or is not reached from it, or because all
    /// arcs lead between two sets of ranks of different sizes. O(arcs).
    bool excluded() const { return !reaches_all(true, false) || !reaches_all(false, true) || !halves(); }

    /// Searches a cycle from rank 0 on.
    /// @param rule    the order in which ranks are tried
    /// @param budget  number of arcs after which the search ends
    /// @return the ranks in the order of the cycle, or nothing
    signed_vector<rank_t> run(preference rule, std::int64_t budget) {
        start(budget);
        signed_vector<signed_vector<rank_t>> untried;
        untried.push_back({0});
        while (!untried.empty() && budget_ >= 0) {
            if (untried.back().empty()) {
                untried.pop_back();
                if (!path_.empty()) leave();
                continue;
            }
            const rank_t r = untried.back().back();
            untried.back().pop_back();
            const bool alive = enter(r);
            if (alive && path_.length() == ranks_) return path_;
            if (alive) untried.push_back(followers(r, rule));
            else leave();
        }
        return {};
    }
    /// Returns whether the last run() ended because its budget was used up.
    bool is_cut_short() const { return budget_ < 0; }

  private:
    /// Calls f(rank) for the ranks at the other ends of the arcs from a rank, and of those to it.
    template <class F>
    void for_each_neighbor(rank_t r, bool forward, bool backward, const F& f) const {
        if (forward)
            for (const rank_arcs::arc& arc : next_[r]) f(arc.to);
        if (backward)
            for (const rank_t other : previous_[r]) f(other);
    }
    bool reaches_all(bool forward, bool backward) const {
        signed_vector<char> found(static_cast<std::size_t>(ranks_), 0);
        signed_vector<rank_t> open{0};
        found[0] = 1;
        rank_t count = 0;
        for (; !open.empty(); ++count) {
            const rank_t r = open.back();
            open.pop_back();
            for_each_neighbor(r, forward, backward, [&](rank_t other) {
                if (found[other] == 0) open.push_back(other);
                found[other] = 1;
            });
        }
        return count == ranks_;
    }
    /// Returns whether an arc leads within one set, for the two sets that an alternating numbering of connected ranks
    /// makes, or whether the sets have equal sizes.
    bool halves() const {
        signed_vector<int> side(static_cast<std::size_t>(ranks_), 0);
        signed_vector<rank_t> open{0};
        side[0] = 1;
        std::int64_t sum = 0;
        bool within = false;
        while (!open.empty()) {
            const rank_t r = open.back();
            open.pop_back();
            sum += side[r];
            for_each_neighbor(r, true, true, [&](rank_t other) {
                if (side[other] == 0) open.push_back(other), side[other] = -side[r];
                within = within || side[other] == side[r];
            });
        }
        return within || sum == 0;
    }

    void start(std::int64_t budget) {
        budget_ = budget;
        path_.clear();
        visited_.assign(static_cast<std::size_t>(ranks_), 0);
        ahead_.resize(static_cast<std::size_t>(ranks_));
        behind_.resize(static_cast<std::size_t>(ranks_));
        for (rank_t r = 0; r < ranks_; ++r) ahead_[r] = next_[r].length(), behind_[r] = previous_[r].length();
    }
    /// Appends a rank to the path. Returns false if a rank is left without a way out or in; then leave() follows.
    bool enter(rank_t r) {
        bool alive = true;
        count(r, -1, alive);
        visited_[r] = 1;
        path_.push_back(r);
        if (path_.length() < ranks_) return alive && behind_[0] > 0;
        for (const rank_arcs::arc& arc : next_[r])
            if (arc.to == 0) return true;
        return false;
    }
    void leave() {
        const rank_t r = path_.back();
        path_.pop_back();
        visited_[r] = 0;
        bool alive = true;
        count(r, 1, alive);
    }
    /// Changes the counts for the step from the end of the path to a rank. The ranks ahead of a rank are those that are
    /// not visited, and rank 0. The ranks behind it are those not visited, and the end of the path; behind rank 0, those
    /// not visited.
    void count(rank_t r, std::int64_t change, bool& alive) {
        if (!path_.empty())
            for (const rank_arcs::arc& arc : next_[path_.back()]) {
                --budget_;
                if (arc.to == r || visited_[arc.to] != 0) continue;
                behind_[arc.to] += change;
                alive = alive && behind_[arc.to] > 0;
            }
        for (const rank_arcs::arc& arc : next_[r])
            if (arc.to == 0) behind_[0] += change;
        if (r == 0) return;
        for (const rank_t other : previous_[r]) {
            --budget_;
            if (visited_[other] != 0) continue;
            ahead_[other] += change;
            alive = alive && ahead_[other] > 0;
        }
    }
    /// Returns the ranks that can follow the end of the path, the preferred one last. A rank that nothing else can lead
    /// to is the only one.
    signed_vector<rank_t> followers(rank_t r, preference rule) {
        signed_vector<rank_arcs::arc> found;
        bool forced = false;
        for (const rank_arcs::arc& arc : next_[r]) {
            --budget_;
            if (visited_[arc.to] != 0) continue;
            const bool only = behind_[arc.to] == 1;
            if (forced && only) return {};
            if (only) found.clear();
            if (only || !forced) found.push_back(arc);
            forced = forced || only;
        }
        const auto key = [this, r](const rank_arcs::arc& arc) { return arc.to > r ? arc.to - r : arc.to - r + ranks_; };
        collsched::detail::sort(found.data(), found.length(), [&](const rank_arcs::arc& a, const rank_arcs::arc& b) {
            const std::int64_t fewer = ahead_[b.to] - ahead_[a.to];
            if (rule == preference::few_followers && fewer != 0) return fewer < 0;
            if (a.bandwidth != b.bandwidth) return a.bandwidth < b.bandwidth;
            if (a.links != b.links) return a.links > b.links;
            if (fewer != 0) return fewer < 0;
            return key(a) > key(b);
        });
        signed_vector<rank_t> order;
        for (const rank_arcs::arc& arc : found) order.push_back(arc.to);
        return order;
    }

    rank_t ranks_;
    signed_vector<signed_vector<rank_arcs::arc>> next_;
    signed_vector<signed_vector<rank_t>> previous_;
    signed_vector<std::int64_t> ahead_, behind_;
    signed_vector<char> visited_;
    signed_vector<rank_t> path_;
    std::int64_t budget_{};
};

}}}}  // namespace collsched::COLLSCHED_ABI::topology::detail
