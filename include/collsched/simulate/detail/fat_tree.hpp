#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "collsched/core/checked.hpp"
#include "collsched/core/argument_error.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// A fat tree of identical cables. The nodes are level 0. A switch of level l+1 has down[l] vertices of level l below
/// it, and each of these has up[l] switches above it, with cables[l] cables to each. A vertex is identified by its
/// coordinates: coordinate i is a number below down[i], or, below the vertex's own level, below up[i]. Vertices of
/// adjacent levels that agree in all but one coordinate are joined. Coordinate 0 of nodes varies fastest.
///
/// A message rises to the lowest common level. At every level the receiver's number selects the switch above and the
/// cable to it: number / up[0] / ... / up[l-1] modulo all cables of up[l] switches, where consecutive cables lead to
/// different switches (D-mod-k routing, under which shifts do not collide). On the way down the sender's number selects
/// among parallel cables.
/// Source: Zahavi, D-Mod-K routing providing non-blocking traffic for shift permutations, 2010; SimGrid's fat trees.
class fat_tree {
  public:
    /// Constructs a fat tree; empty `cables` means one cable to each switch. check() returns the error of invalid
    /// numbers; then no other function may be called.
    fat_tree(std::vector<rank_t> down, std::vector<rank_t> up, std::vector<rank_t> cables = {})
        : down_(std::move(down)), up_(std::move(up)), parallel_(std::move(cables)) {
        if (parallel_.empty()) parallel_.assign(down_.size(), 1);
        for (const std::vector<rank_t>* numbers : {&down_, &up_, &parallel_})
            for (const rank_t n : *numbers)
                if ((n < 1 || n > limit) && !error_) error_ = {"fat tree", n, "1 to 2^24 of everything"};
        if (up_.size() != down_.size()) error_ = {"up", std::ssize(up_), "a number for each level, as in down"};
        if (parallel_.size() != down_.size())
            error_ = {"cables", std::ssize(parallel_), "a number for each level, as in down"};
        for (std::size_t l = 0; l < down_.size() && !error_; ++l) {
            const checked all = checked(first_.back()) + things(l) * up_[l] * parallel_[l];
            if (!all.ok() || all.value() > limit)
                error_ = {"up", up_[l], "2^24 cables at most", std::ssize(first_) - 1};
            first_.push_back(all.value());
        }
    }
    argument_error check() const { return error_; }

    rank_t nodes() const { return things(0).value(); }
    const std::vector<rank_t>& down() const { return down_; }
    /// Returns the number of cables; each has two directions.
    rank_t cables() const { return first_.back(); }

    /// Calls up(cable) for all cables on the way up, then down(cable) for all cables on the way down.
    template <class Up, class Down>
    void route(rank_t from, rank_t to, Up up, Down down) const {
        std::size_t top = 0;
        for (rank_t a = from, b = to; a != b; ++top) a /= down_[top], b /= down_[top];
        for (std::size_t l = 0; l < top; ++l) {
            const way chosen = above(l, from, to);
            up(chosen.first_cable + chosen.cable);
        }
        for (std::size_t l = top; l-- > 0;) down(above(l, to, to).first_cable + from % parallel_[l]);
    }

  private:
    static constexpr rank_t limit = rank_t{1} << 24;

    /// A step from a vertex to a switch above it.
    struct way {
        rank_t first_cable, cable;
    };

    /// Returns the number of vertices on a level.
    checked things(std::size_t level) const {
        checked n = 1;
        for (std::size_t i = 0; i < down_.size(); ++i) n = n * (i < level ? up_[i] : down_[i]);
        return n;
    }
    /// Returns the step from the ancestor of node `under` on a level towards a receiver.
    way above(std::size_t level, rank_t under, rank_t to) const {
        rank_t thing = 0, stride = 1, chosen = to;
        for (std::size_t i = 0; i < down_.size(); ++i) {
            if (i < level) {
                thing += chosen % up_[i] * stride;
                chosen /= up_[i];
                stride *= up_[i];
            } else {
                thing += under % down_[i] * stride;
                stride *= down_[i];
            }
            under /= down_[i];
        }
        const rank_t ways = up_[level], cables = parallel_[level];
        return {first_[level] + (thing * ways + chosen % ways) * cables, chosen / ways % cables};
    }

    std::vector<rank_t> down_, up_, parallel_;
    std::vector<rank_t> first_{0};  // per level: number of its first cable upwards
    argument_error error_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
