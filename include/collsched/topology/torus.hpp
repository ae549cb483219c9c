#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/checked.hpp"
#include "collsched/core/argument_error.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/core/detail/shared.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace topology {

/// Torus of nodes. The last coordinate varies fastest: node 0 is (0, ..., 0), node 1 (0, ..., 0, 1). check() reports
/// wrong sizes; then no other method may be called.
class torus {
  public:
    /// Torus with sizes[d] nodes along dimension d.
    /// @param sizes  each 1 or more, with a product below 2^63
    constexpr explicit torus(std::span<const rank_t> sizes) : sizes_(owned_array<rank_t>(sizes)) {
        checked all = 1;
        for (rank_t d = 0; d < dimensions() && !error_; ++d) {
            if (size(d) < 1) error_ = {"sizes", size(d), "1 or more", d};
            all = all * size(d);
            if (!error_ && !all.ok()) error_ = {"sizes", size(d), "a product below 2^63", d};
        }
        nodes_ = all.value();
    }

    /// Returns the number of dimensions.
    constexpr rank_t dimensions() const { return sizes_->size(); }
    /// Returns the size of a dimension.
    /// @param dimension  0 .. dimensions()-1
    constexpr rank_t size(rank_t dimension) const { return (*sizes_)[dimension]; }
    /// Returns the number of nodes.
    constexpr rank_t nodes() const { return nodes_; }

    /// Returns the coordinate of node c in a dimension. O(dimensions).
    /// @param c          node, 0 .. nodes()-1
    /// @param dimension  0 .. dimensions()-1
    constexpr rank_t coordinate(rank_t c, rank_t dimension) const {
        for (rank_t d = dimensions() - 1; d > dimension; --d) c /= size(d);
        return c % size(dimension);
    }
    /// Returns the node `steps` links from c along a dimension, in positive or (steps < 0) negative direction.
    /// O(dimensions).
    /// @param c          node, 0 .. nodes()-1
    /// @param dimension  0 .. dimensions()-1
    /// @param steps      any number
    constexpr rank_t neighbor(rank_t c, rank_t dimension, rank_t steps) const {
        rank_t stride = 1;
        for (rank_t d = dimensions() - 1; d > dimension; --d) stride *= size(d);
        const rank_t n = size(dimension), from = coordinate(c, dimension);
        const rank_t to = ((from + steps % n) % n + n) % n;
        return c + (to - from) * stride;
    }
    /// Returns the number of links of a shortest path. O(dimensions).
    /// @param a  node, 0 .. nodes()-1
    /// @param b  node, 0 .. nodes()-1
    constexpr rank_t distance(rank_t a, rank_t b) const {
        rank_t links = 0;
        for (rank_t d = dimensions() - 1; d >= 0; --d) {
            const rank_t n = size(d), x = a % n, y = b % n, apart = x < y ? y - x : x - y;
            links += apart < n - apart ? apart : n - apart;
            a /= n;
            b /= n;
        }
        return links;
    }

    /// Returns the first error in the sizes, or no error. O(1).
    constexpr argument_error check() const { return error_; }
    bool operator==(const torus&) const = default;

  private:
    collsched::detail::shared<owned_array<rank_t>> sizes_;
    rank_t nodes_{};
    argument_error error_;
};

}}}  // namespace collsched::COLLSCHED_ABI::topology
