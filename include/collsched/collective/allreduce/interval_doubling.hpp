#pragma once

#include "collsched/schedule/parameters.hpp"
#include "collsched/core/bits.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/detail/rank_interval.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

/// The parts of an interval of the canonical tree (rank_interval), g = log2 k levels below it for radix k, exchange their
/// results, the smallest intervals first; with radix 2 the parts are its halves. Rank i of a part receives from rank i of
/// each other part, or from its last rank if that part has one rank less. Each rank combines the results in the
/// canonical tree: for n ranks (the first ceil(n/2)) op (the others), recursively.
///
/// In step j of an exchange a rank sends to the part j places after its own, cyclically: k-1 rounds for g levels, and
/// fewer in the last exchange if g does not divide ceil(log2 p). Rounds ceil(log2 p) with radix 2, the minimum, for
/// every p. A rank receives one message of m bytes per round, and sends at most two. Keeps the order of operands, with
/// the same bits on all ranks. Step 0 copies `input` to `output`. With radix 2 results are combined on arrival, without
/// scratch. Otherwise they are stored side by side in k m bytes of scratch, and g+1 steps of local edges follow. A radix
/// above p counts as the power of two from p on.
/// Source: Thakur, Rabenseifner, Gropp 2005 for powers of two and radix 2.
struct interval_doubling {
    rank_t ranks = 1;
    bytes_t bytes = 0;
    bytes_t element = 1;
    std::int64_t radix = 2;

    static constexpr algorithm_info info{.collective = collective::allreduce,
                                         .name = "interval-doubling",
                                         .rounds = "ceil(log2 p); up to (k-1) ceil(ceil(log2 p) / log2 k) for radix k",
                                         .source = "Thakur, Rabenseifner, Gropp 2005, for powers of two"};

    constexpr argument_error check() const {
        if (radix < 2 || !is_power_of_two(radix)) return {"radix", radix, "a power of two, 2 or more"};
        if (uses_slots() && !(checked(bytes) * (rank_t{1} << levels())).ok())
            return {"bytes", bytes, "radix * bytes below 2^63"};
        return {};
    }
    constexpr step_t steps() const {
        const step_t all = ceil_log2(ranks), remainder = all % levels();
        return 1 + all / levels() * exchange_steps(levels()) + (remainder > 0 ? exchange_steps(remainder) : 0);
    }
    /// Returns whether step 0 only copies `input` to `output`, on every rank: always.
    static constexpr bool copies_first() { return true; }
    constexpr bytes_t scratch(rank_t) const { return uses_slots() ? bytes << levels() : 0; }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        if (!is_message(k)) return;
        const rank_interval own_part = part(r, k), other = part_of_slot(r, k, slot(r, k) + shift(k));
        const rank_t i = r - own_part.first;
        if (i < other.size) f(other.first + i);
        if (i == own_part.size - 1 && own_part.size < other.size) f(other.first + own_part.size);
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        if (!is_message(k)) return;
        const rank_interval other = part_of_slot(r, k, slot(r, k) - shift(k));
        const rank_t i = r - part(r, k).first;
        if (other.size > 0) f(other.first + (i < other.size ? i : other.size - 1));
    }
    constexpr void transfers(rank_t src, rank_t dst, step_t k, auto f) const {
        if (uses_slots()) return f(into_slot(slot(src, k)));
        f(edge{.size = bytes,
               .from = buffer::output,
               .into = buffer::output,
               .action = src < dst ? action::combine_before : action::combine_after});
    }
    constexpr void local(rank_t r, step_t k, auto f) const {
        if (k == 0) return f(edge{.size = bytes});
        if (!uses_slots()) return;
        const rank_t own_slot = slot(r, k);
        const step_t behind_messages = shift(k) - message_steps(part_levels(k));
        if (shift(k) == 1 && own_slot > 0) f(into_slot(own_slot));
        if (behind_messages == 1 && own_slot > 0) f(edge{.size = bytes, .from = buffer::scratch});
        if (behind_messages > 1) combine(merged(r, k), part_levels(k), behind_messages - 1, 0, f);
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("radix", self.radix);
    }
    bool operator==(const interval_doubling&) const = default;

  private:
    using rank_interval = collsched::detail::rank_interval;

    /// Returns g, the levels of the tree per exchange. A radix above p counts as the power of two from p on.
    constexpr int levels() const {
        const int most = ceil_log2(ranks) > 1 ? ceil_log2(ranks) : 1, radix_levels = floor_log2(radix);
        return radix_levels < most ? radix_levels : most;
    }
    constexpr bool uses_slots() const { return levels() > 1; }
    static constexpr step_t message_steps(step_t levels) { return (step_t{1} << levels) - 1; }
    /// Returns the steps of an exchange of so many levels. Only the last one may have fewer than levels().
    constexpr step_t exchange_steps(step_t levels) const {
        return message_steps(levels) + (uses_slots() ? levels + 1 : 0);
    }
    /// Returns the number of step k >= 1 within its exchange, from 1. In a message step it is the number of parts from
    /// the sender to the receiver.
    constexpr step_t shift(step_t k) const { return (k - 1) % exchange_steps(levels()) + 1; }
    constexpr bool is_message(step_t k) const { return k > 0 && shift(k) < step_t{1} << part_levels(k); }

    /// Returns the depth of the parts that exchange in step k >= 1.
    constexpr step_t depth(step_t k) const { return ceil_log2(ranks) - (k - 1) / exchange_steps(levels()) * levels(); }
    constexpr step_t part_levels(step_t k) const { return depth(k) < levels() ? depth(k) : levels(); }
    constexpr rank_interval merged(rank_t r, step_t k) const {
        return rank_interval::at(ranks, r, depth(k) - part_levels(k));
    }
    constexpr rank_interval part(rank_t r, step_t k) const { return rank_interval::at(ranks, r, depth(k)); }

    /// Returns the part of a slot, counted cyclically; without ranks if there is none.
    constexpr rank_interval part_of_slot(rank_t r, step_t k, rank_t slot) const {
        rank_interval interval = merged(r, k);
        for (step_t level = part_levels(k); level > 0; --level) {
            const bool upper = (slot >> (level - 1) & 1) != 0;
            if (interval.size > 1) interval = upper ? interval.upper_half() : interval.lower_half();
            else if (upper) return {0, 0};
        }
        return interval;
    }
    /// Returns the slot of the part with rank r: its number among the parts of a complete tree.
    constexpr rank_t slot(rank_t r, step_t k) const {
        rank_t found = 0;
        rank_interval interval = merged(r, k);
        for (step_t level = part_levels(k); level > 0 && interval.size > 1; --level) {
            if (!interval.is_lower(r)) found += rank_t{1} << (level - 1);
            interval = interval.half_with(r);
        }
        return found;
    }
    constexpr edge into_slot(rank_t slot) const {
        return {.into_offset = slot * bytes, .size = bytes, .from = buffer::output, .into = buffer::scratch};
    }
    /// Combines the results of both halves of each interval of so many levels. Slot 0 is `output`.
    /// @param interval  interval of `levels` levels, whose first slot is `first`
    /// @param target    levels of the intervals to combine, 1 or more
    constexpr void combine(const rank_interval& interval, step_t levels, step_t target, rank_t first, auto& f) const {
        if (levels < target || interval.size == 1) return;
        const rank_t upper = first + (rank_t{1} << (levels - 1));
        if (levels == target)
            return f(edge{.from_offset = upper * bytes,
                          .into_offset = first * bytes,
                          .size = bytes,
                          .from = buffer::scratch,
                          .into = first == 0 ? buffer::output : buffer::scratch,
                          .action = action::combine_after});
        combine(interval.lower_half(), levels - 1, target, first, f);
        combine(interval.upper_half(), levels - 1, target, upper, f);
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
