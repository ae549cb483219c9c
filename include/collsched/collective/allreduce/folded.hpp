#pragma once

#include "collsched/collective/allreduce/in_groups.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/core/digits.hpp"
#include "collsched/schedule/lowering.hpp"
#include "collsched/schedule/parameters.hpp"
#include "collsched/tree/binomial.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce::detail {

/// Groups of k = radix ranks exchange their sums, at distance 1, k, k^2 ..., p a power of k: in phase i the ranks whose
/// numbers in base k differ only in digit i. Every rank of a group combines the k sums in the order of ranks, so
/// operands keep their order and all ranks have the same bits.
///
/// Rounds log_k p with k-1 messages of m bytes per rank. In groups of two ranks a sum is combined on arrival, without
/// scratch. In larger groups the sums are stored side by side in k m bytes of scratch, and two steps of local edges
/// follow a round.
struct exchange {
    rank_t ranks = 1;
    bytes_t bytes = 0;
    bytes_t element = 1;
    std::int64_t radix = 2;

    static constexpr algorithm_info info{
        .collective = collective::allreduce, .name = "exchange", .ranks = "power of radix"};

    /// A radix above p counts as p.
    static constexpr std::int64_t base(rank_t p, std::int64_t radix) {
        if (radix < 2 || p <= 2) return 2;
        return radix < p ? radix : p;
    }
    /// Returns the largest supported number of ranks up to p >= 1.
    static constexpr rank_t power_up_to(rank_t p, std::int64_t radix) {
        return power(base(p, radix), floor_log(base(p, radix), p));
    }

    constexpr argument_error check() const {
        if (radix < 2) return {"radix", radix, "2 or more"};
        if (power_up_to(ranks, radix) != ranks) return {"ranks", ranks, "a power of the radix"};
        if (uses_slots() && !(checked(bytes) * base()).ok()) return {"bytes", bytes, "radix * bytes below 2^63"};
        return {};
    }
    constexpr step_t steps() const { return 1 + floor_log(base(), ranks) * (uses_slots() ? 3 : 1); }
    static constexpr bool copies_first() { return true; }
    constexpr bytes_t scratch(rank_t) const { return uses_slots() && ranks > 1 ? base() * bytes : 0; }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        if (k == 0 || (uses_slots() && k % 3 != 1)) return;
        const rank_t distance = power(base(), phase(k)), first = r - digit(r, k) * distance;
        for (rank_t j = 0; j < base(); ++j)
            if (first + j * distance != r) f(first + j * distance);
    }
    constexpr void sources(rank_t r, step_t k, auto f) const { targets(r, k, f); }
    constexpr void transfers(rank_t src, rank_t dst, step_t k, auto f) const {
        if (uses_slots()) return f(into_slot(digit(src, k)));
        f(edge{.size = bytes,
               .from = buffer::output,
               .into = buffer::output,
               .action = src < dst ? action::combine_before : action::combine_after});
    }
    constexpr void local(rank_t r, step_t k, auto f) const {
        if (k == 0) return f(edge{.size = bytes});
        if (!uses_slots()) return;
        const rank_t position = digit(r, k);
        if (k % 3 == 1 && position > 0) f(into_slot(position));
        if (k % 3 == 2 && position > 0) f(edge{.size = bytes, .from = buffer::scratch});
        if (k % 3 == 0)
            for (rank_t j = 1; j < base(); ++j)
                f(edge{
                    .from_offset = j * bytes, .size = bytes, .from = buffer::scratch, .action = action::combine_after});
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("radix", self.radix);
    }
    bool operator==(const exchange&) const = default;

  private:
    constexpr std::int64_t base() const { return base(ranks, radix); }
    constexpr bool uses_slots() const { return base() > 2; }
    constexpr step_t phase(step_t k) const { return uses_slots() ? (k - 1) / 3 : k - 1; }
    constexpr rank_t digit(rank_t r, step_t k) const { return r / power(base(), phase(k)) % base(); }
    constexpr edge into_slot(rank_t slot) const {
        return {.into_offset = slot * bytes, .size = bytes, .from = buffer::output, .into = buffer::scratch};
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::allreduce::detail

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

namespace detail {

/// p ranks in n groups of consecutive ranks, p >= n. The first groups have k ranks, the next one has fewer, and all
/// others have one rank. There are n hosts and p - n guests, at most k-1 guests per group. All functions are O(1).
struct fold_groups {
    rank_t all = 1;
    rank_t hosts = 1;
    std::int64_t group_limit = 2;  ///< k

    constexpr rank_t ranks() const { return all; }
    constexpr rank_t groups() const { return hosts; }
    constexpr rank_t group(rank_t r) const {
        if (r < full() * group_limit) return r / group_limit;
        return r < crowded() ? full() : r - (all - hosts);
    }
    constexpr rank_t member(rank_t g, rank_t i) const { return first(g) + i; }
    constexpr rank_t index(rank_t r) const { return r - first(group(r)); }
    constexpr rank_t size(rank_t g) const { return first(g + 1) - first(g); }
    constexpr void kinds(auto f) const {
        for (const rank_t g : {rank_t{0}, full(), hosts - 1})
            if (g < hosts && (g == 0 || g == full() || full() < hosts - 1)) f(g);
    }
    constexpr void describe(auto f) const { f(all), f(hosts), f(group_limit); }
    bool operator==(const fold_groups&) const = default;

  private:
    constexpr rank_t full() const { return (all - hosts) / (group_limit - 1); }
    /// Returns the number of ranks in groups with guests.
    constexpr rank_t crowded() const {
        const rank_t remainder = (all - hosts) % (group_limit - 1);
        return full() * group_limit + (remainder > 0 ? remainder + 1 : 0);
    }
    constexpr rank_t first(rank_t g) const { return g <= full() ? g * group_limit : g + (all - hosts); }
};

}  // namespace detail

/// An allreduce for every p from an allreduce A for powers of k = radix. With n the largest power of k up to p, the p -
/// n guests first send their operands to their hosts, up to k-1 consecutive ranks to each. Then the hosts run A.
/// Finally the guests receive the result.
///
/// Rounds: those of A for n ranks, plus 2 ceil(log2 g), where g = min(k, p-n+1) is the number of ranks (the host and
/// its guests) in the largest group. Hosts with guests send and receive up to (k-1) m bytes more. Guests have m bytes
/// of scratch. Keeps the order of operands if A keeps it. Source: Thakur, Rabenseifner, Gropp 2005.
template <described A, class Label = void>
struct folded {
    rank_t ranks = 1;
    bytes_t bytes = 0;
    bytes_t element = 1;
    A of{};  ///< allreduce of the hosts, with its parameters; its ranks, bytes and element are replaced

    static constexpr algorithm_info info = [] {
        algorithm_info result = A::info;
        result.ranks = "any";
        if constexpr (requires { Label::name; }) result.name = Label::name;
        if constexpr (requires { Label::rounds; }) result.rounds = Label::rounds;
        if constexpr (requires { Label::source; }) result.source = Label::source;
        return result;
    }();

    constexpr auto view() const {
        return in_groups(contract_of(*this), groups(), true, broadcast::over_tree<trees::binomial>{}, of);
    }
    /// Returns whether step 0 only copies `input` to `output`, on every rank: where there are no guests.
    constexpr bool copies_first() const { return groups().hosts == groups().all; }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        own_parameters<A>(self.of, f);
    }
    bool operator==(const folded&) const = default;

  private:
    constexpr detail::fold_groups groups() const {
        std::int64_t radix = 2;
        if constexpr (requires { of.radix; }) radix = of.radix;
        const rank_t p = check_ranks(ranks) ? 1 : ranks;
        return {p, detail::exchange::power_up_to(p, radix), detail::exchange::base(p, radix)};
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
