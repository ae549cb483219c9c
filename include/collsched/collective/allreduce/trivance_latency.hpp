#pragma once

#include "collsched/core/checked.hpp"
#include "collsched/core/detail/rank_interval.hpp"
#include "collsched/core/digits.hpp"
#include "collsched/schedule/lowering.hpp"
#include "collsched/schedule/parameters.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

/// In each round a rank exchanges its sum with two other ranks, and combines the three sums: the form of Trivance for
/// short messages. Let q be p without its factors of 3.
///
/// First the ranks of each block of q consecutive ranks exchange. The three parts of an interval, whose sizes differ by
/// at most one, exchange their sums, the smallest intervals first. Rank i of a part receives from rank i of each other
/// part, or from its last rank if that part has one rank less. Then rank r exchanges with the ranks r-d and r+d of a
/// ring, for d = p/3, p/9, ..., q, where ranks that are congruent modulo 3d have equal sums.
///
/// Rounds ceil(log3 p) for every p. A rank receives at most two messages of m bytes per round. It sends two at most in a
/// round on the ring, and four at most within a block. In a round on the ring each link carries d messages per direction.
/// All ranks of an interval, or of one remainder modulo d, combine in the same tree, ((part 0) op (part 1)) op (part 2), so
/// that all ranks and all elements have the same bits. 2 m bytes of scratch. Up to two steps of local edges follow a round.
/// Commutative operations only.
/// Source: derived from the abstract of "Trivance" (arXiv 2602.17254), an allreduce in log3 p rounds on bidirectional
/// rings. Other p are our extension.
struct trivance_latency {
    rank_t ranks = 1;
    bytes_t bytes = 0;
    bytes_t element = 1;

    static constexpr algorithm_info info{.collective = collective::allreduce,
                                         .name = "trivance-latency",
                                         .rounds = "ceil(log3 p)",
                                         .source = "Trivance, arXiv 2602.17254, for powers of 3",
                                         .commutative = true};

    constexpr argument_error check() const {
        if (ranks >= rank_t{1} << 61) return {"ranks", ranks, "less than 2^61"};
        return (checked(2) * bytes).ok() ? argument_error{} : argument_error{"bytes", bytes, "2 * bytes below 2^63"};
    }
    constexpr step_t steps() const { return ranks == 1 ? 1 : 3 * ceil_log(3, ranks) - first_round_of_pairs(); }
    constexpr bytes_t scratch(rank_t) const { return ranks == 1 ? 0 : 2 * bytes; }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        if (!is_message(k)) return;
        const exchange x = at(r, k);
        for (rank_t part = 0; part < 3; ++part)
            if (part != x.own_part) x.targets(part, f);
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        if (!is_message(k)) return;
        const exchange x = at(r, k);
        for (rank_t part = 0; part < 3; ++part)
            if (part != x.own_part) x.sources(part, f);
    }
    constexpr void transfers(rank_t src, rank_t dst, step_t k, auto f) const {
        f(edge{.into_offset = at(dst, k).slot(at(src, k).own_part) * bytes,
               .size = bytes,
               .from = k == 0 ? buffer::input : buffer::output,
               .into = buffer::scratch});
    }
    constexpr void local(rank_t r, step_t k, auto f) const {
        if (k == 0) return f(edge{.size = bytes});
        if (is_message(k)) return;
        const exchange x = at(r, k);
        const auto combine = [&](rank_t slot, buffer into, action order) {
            f(edge{.from_offset = slot * bytes, .size = bytes, .from = buffer::scratch, .into = into, .action = order});
        };
        if (x.own_part < 2 && padded(k) % 3 == 1) {
            if (x.has(1 - x.own_part))
                combine(0, buffer::output, x.own_part == 0 ? action::combine_after : action::combine_before);
            if (x.has(2)) combine(1, buffer::output, action::combine_after);
        }
        if (x.own_part == 2 && padded(k) % 3 == 1) combine(1, buffer::scratch, action::combine_after);
        if (x.own_part == 2 && padded(k) % 3 == 2) combine(0, buffer::output, action::combine_before);
    }

    static constexpr void parameters(auto& self, auto f) { collsched::detail::contract_parameters(self, f); }
    bool operator==(const trivance_latency&) const = default;

  private:
    using rank_interval = collsched::detail::rank_interval;

    /// An exchange of rank r with the other parts of an interval, or on the ring of p ranks if `distance` is not 0.
    struct exchange {
        rank_t r, p;
        rank_interval interval;
        rank_t distance;
        rank_t own_part = 0;

        /// Returns a third of an interval; without ranks if the interval has too few.
        static constexpr rank_interval third(const rank_interval& of, rank_t part) {
            const rank_t least = of.size / 3, larger = of.size % 3;
            return {of.first + part * least + (part < larger ? part : larger), least + (part < larger ? 1 : 0)};
        }
        /// Returns the number of the third that contains rank r.
        static constexpr rank_t third_of(const rank_interval& interval, rank_t r) {
            rank_t part = 0;
            while (!third(interval, part).contains(r)) ++part;
            return part;
        }
        constexpr bool has(rank_t part) const { return distance > 0 || third(interval, part).size > 0; }
        /// Returns the number of another part among the others: the slot of its sum in scratch.
        constexpr rank_t slot(rank_t part) const { return part < own_part ? part : part - 1; }

        constexpr void targets(rank_t part, auto& f) const {
            if (distance > 0) return sources(part, f);
            const rank_interval sender = third(interval, own_part), other = third(interval, part);
            const rank_t i = r - sender.first;
            if (i < other.size) f(other.first + i);
            if (i == sender.size - 1 && sender.size < other.size) f(other.first + sender.size);
        }
        constexpr void sources(rank_t part, auto& f) const {
            if (distance > 0) return f(wrap((part - own_part + 3) % 3 == 1 ? r + distance : r - distance, p));
            const rank_interval other = third(interval, part);
            const rank_t i = r - third(interval, own_part).first;
            if (other.size > 0) f(other.first + (i < other.size ? i : other.size - 1));
        }
    };

    /// Returns q, the number of ranks without its factors of 3.
    constexpr rank_t block() const {
        rank_t q = ranks;
        while (q % 3 == 0) q /= 3;
        return q;
    }
    /// Returns whether no interval of the first round has a third part, and so no rank two steps of local edges.
    constexpr bool first_round_of_pairs() const {
        const rank_t q = block();
        return q > 1 && q <= 2 * power(3, ceil_log(3, q) - 1);
    }
    /// Returns the number that step k has if every round has three steps.
    constexpr step_t padded(step_t k) const { return k < 2 || !first_round_of_pairs() ? k : k + 1; }
    constexpr bool is_message(step_t k) const { return ranks > 1 && padded(k) % 3 == 0; }
    /// Returns the exchange of rank r in the round of step k.
    constexpr exchange at(rank_t r, step_t k) const {
        const rank_t q = block();
        const step_t round = padded(k) / 3, within_blocks = ceil_log(3, q);
        if (round >= within_blocks) {
            const rank_t d = ranks / power(3, round - within_blocks + 1);
            return {r, ranks, {}, d, r % (3 * d) / d};
        }
        rank_interval interval{r / q * q, q};
        for (step_t depth = within_blocks - 1 - round; depth > 0; --depth)
            interval = exchange::third(interval, exchange::third_of(interval, r));
        return {r, ranks, interval, 0, exchange::third_of(interval, r)};
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
