#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/core/detail/shared.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace topology {

/// The node of each rank. Several ranks may share a node. check() reports a wrong placement.
class placement {
  public:
    constexpr placement() = default;

    /// Neighboring ranks together: of p ranks on n nodes the first p mod n nodes hold one more than the
    /// others.
    static constexpr placement block(rank_t ranks, rank_t nodes) {
        if (ranks < 1 || nodes < 1) return {owned_array<rank_t>(ranks), nodes};
        const rank_t share = ranks / nodes, more = ranks % nodes;
        owned_array<rank_t> seats(ranks);
        for (rank_t r = 0; r < ranks; ++r)
            seats[r] = r < more * (share + 1) ? r / (share + 1) : more + (r - more * (share + 1)) / share;
        return {static_cast<owned_array<rank_t>&&>(seats), nodes};
    }
    /// Dealt out like cards: rank r on node r mod n.
    static constexpr placement cyclic(rank_t ranks, rank_t nodes) {
        owned_array<rank_t> seats(ranks);
        for (rank_t r = 0; r < ranks && nodes > 0; ++r) seats[r] = r % nodes;
        return {static_cast<owned_array<rank_t>&&>(seats), nodes};
    }
    /// Rank r on where[r].
    static constexpr placement list(std::span<const rank_t> where, rank_t nodes) {
        return {owned_array<rank_t>(where), nodes};
    }

    /// The placement that puts rank r on the node of rank above.node(r) here. check() fails where there is no such rank.
    constexpr placement under(const placement& above) const {
        if (above.ranks() == 0) return above;
        owned_array<rank_t> seats(above.ranks());
        for (rank_t r = 0; r < seats.size(); ++r) seats[r] = above.node(r) < ranks() ? node(above.node(r)) : -1;
        return {static_cast<owned_array<rank_t>&&>(seats), nodes_};
    }

    constexpr rank_t ranks() const { return node_ ? node_->size() : 0; }
    constexpr rank_t nodes() const { return nodes_; }
    constexpr rank_t node(rank_t r) const { return (*node_)[r]; }
    /// How many ranks each node holds. O(ranks + nodes).
    constexpr owned_array<rank_t> residents() const {
        owned_array<rank_t> counts(nodes_);
        for (rank_t r = 0; r < ranks(); ++r) ++counts[node(r)];
        return counts;
    }

    constexpr argument_error check() const { return error_; }
    /// f(number) for the numbers that tell this placement from others.
    constexpr void describe(auto f) const {
        f(ranks());
        for (rank_t r = 0; r < ranks(); ++r) f(node(r));
    }
    bool operator==(const placement&) const = default;

  private:
    constexpr placement(owned_array<rank_t> seats, rank_t nodes) : nodes_(nodes) {
        if (seats.empty()) error_ = {"ranks", 0, "1 or more"};
        else if (nodes < 1) error_ = {"nodes", nodes, "1 or more"};
        for (rank_t r = 0; r < seats.size() && !error_; ++r)
            if (seats[r] < 0 || seats[r] >= nodes) error_ = {"placement", seats[r], "a node, 0 to nodes-1", r};
        if (!error_) node_ = detail::shared<owned_array<rank_t>>(static_cast<owned_array<rank_t>&&>(seats));
    }

    rank_t nodes_ = 0;
    detail::shared<owned_array<rank_t>> node_;
    argument_error error_;
};

}}}  // namespace collsched::COLLSCHED_ABI::topology
