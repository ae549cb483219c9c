#pragma once

#include "collsched/schedule/parameters.hpp"
#include "collsched/core/digits.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allgather {

/// Groups of k = radix ranks exchange all blocks that they hold, at distance 1, k, k^2 ...
///
/// p a power of k: in step i the k ranks whose numbers in base k differ only in digit i exchange k-1 messages per rank.
/// Otherwise, with P the largest power of k below p: first p - P guests send their block to hosts, each of which has up
/// to k-1 guests. Host and guests are consecutive ranks, and the first hosts have guests. Then the hosts, numbered 0 ..
/// P-1, run the power-of-k algorithm with the blocks that they hold. Finally, a host sends each of its guests the p-1
/// blocks that it lacks. A radix above p counts as p and gives one step. Radix 2 is recursive doubling.
///
/// Rounds log_k p, or floor(log_k p) + 2. Every rank receives p-1 blocks. It sends p-1, or less than (2k-1)(p-1) if p
/// is no power of k. No scratch.
/// Source: Ruefenacht, Bull, Booth 2017; MPICH's recursive exchange.
struct recursive_multiplying {
    rank_t ranks = 1;
    block_layout block = 0;
    std::int64_t radix = 3;

    static constexpr algorithm_info info{.collective = collective::allgather,
                                         .name = "recursive-multiplying",
                                         .rounds = "log_k p; floor(log_k p)+2 where p is no power of k",
                                         .source = "Ruefenacht, Bull, Booth 2017"};

    constexpr argument_error check() const {
        return radix < 2 ? argument_error{"radix", radix, "2 or more"} : argument_error{};
    }
    constexpr step_t steps() const { return floor_log(base(), ranks) + (guests() > 0 ? 2 : 0); }
    constexpr step_t next(rank_t r, step_t k) const {
        return k == 0 || host(number(r)) == r || k >= steps() ? k : steps() - 1;
    }

    constexpr void targets(rank_t r, step_t k, auto f) const { partners(r, k, fold(k), f); }
    constexpr void sources(rank_t r, step_t k, auto f) const { partners(r, k, unfold(k), f); }
    constexpr void message(rank_t src, rank_t dst, step_t k, auto f) const {
        if (fold(k)) return f(block_interval{src, 1});
        if (unfold(k)) return f(block_interval{wrap(dst + 1, ranks), ranks - 1});
        const rank_t width = weight(k), held = number(src) / width * width;
        f(block_interval{host(held), host(held + width) - host(held)});
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("radix", self.radix);
    }
    bool operator==(const recursive_multiplying&) const = default;

  private:
    constexpr rank_t base() const { return radix <= ranks ? radix : ranks > 2 ? ranks : 2; }
    constexpr rank_t guests() const { return ranks - power(base(), floor_log(base(), ranks)); }
    constexpr bool fold(step_t k) const { return guests() > 0 && k == 0; }
    constexpr bool unfold(step_t k) const { return guests() > 0 && k == steps() - 1; }

    /// Returns the host with this number; p for number P.
    constexpr rank_t host(rank_t number) const {
        const rank_t all = guests(), per_host = base() - 1;
        return number + (number <= all / per_host ? number * per_host : all);
    }
    /// Returns the number of host r, or of the host of guest r.
    constexpr rank_t number(rank_t r) const {
        const rank_t all = guests(), with_guests = (all + base() - 2) / (base() - 1);
        return r < all + with_guests ? r / base() : r - all;
    }

    /// Calls f for the partners of r in a step between hosts and guests. `up` selects the messages of guests to hosts.
    constexpr void partners(rank_t r, step_t k, bool up, auto& f) const {
        const rank_t host_number = number(r), first = host(host_number);
        if (fold(k) || unfold(k)) {
            if (up && r != first) f(first);
            if (!up && r == first)
                for (rank_t guest = r + 1; guest < host(host_number + 1); ++guest) f(guest);
        } else if (r == first) {
            const rank_t width = weight(k), host_digit = host_number / width % base();
            for (rank_t digit = 0; digit < base(); ++digit)
                if (digit != host_digit) f(host(host_number + (digit - host_digit) * width));
        }
    }
    constexpr rank_t weight(step_t k) const { return power(base(), k - (guests() > 0 ? 1 : 0)); }
};

}}}  // namespace collsched::COLLSCHED_ABI::allgather
