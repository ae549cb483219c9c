#pragma once

#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/collective/exscan/recursive_doubling.hpp"
#include "collsched/collective/levels.hpp"
#include "collsched/collective/scan/detail/in_phases.hpp"
#include "collsched/collective/scan/recursive_doubling.hpp"
#include "collsched/combine/local_step.hpp"
#include "collsched/tree/binomial.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace scan::detail {

/// Scan or exscan on every run of consecutive ranks of one node, an exscan of the runs' totals among the last ranks of
/// the runs, a broadcast of the preceding total in every run, and a local step that combines it before the own result.
/// Keeps the order of operands for any placement. A node whose ranks are not consecutive has several runs, each with a
/// leader.
///
/// Rounds: those of Inner for the longest run, those of Outer among runs, and those of Broadcast for the longest run
/// but the first. Scratch: m bytes for the preceding total, m for the total of an exscan, and that of the parts. O(p)
/// memory.
/// @pre Outer does not read the input of its last rank, as all exscans here
template <described Inner, described Outer, described Broadcast = broadcast::over_tree<trees::binomial>>
    requires((Inner::info.collective == collective::scan || Inner::info.collective == collective::exscan) &&
             Outer::info.collective == collective::exscan)
struct in_runs {
    rank_t ranks = 1;
    bytes_t bytes = 0;
    bytes_t element = 1;
    topology::placement placement{};
    Inner inner{};
    Outer outer{};
    Broadcast inner_broadcast{};

    static constexpr bool exclusive = Inner::info.collective == collective::exscan;
    static constexpr algorithm_info info{.collective = Inner::info.collective,
                                         .name = "hierarchical",
                                         .rounds = "those among runs + twice those in the longest one",
                                         .source = "MPICH, by runs of neighbors"};

    constexpr auto view() const {
        const argument_error error = check_parameters(*this);
        const collsched::detail::two_levels two(contract_of(*this), runs_of(placement, ranks), -1, true);
        const rank_groups& runs = two.groups;
        const auto share = [contract = two.contract](rank_t) { return contract; };
        const auto within = [part = two.parts(inner, share), longest = longest_of(runs)](rank_t g) {
            return in_phases_of(part(g), longest);
        };
        const collsched::detail::two_levels shifted_levels(two.contract, behind_first(runs));
        const auto spread = shifted_levels.parts(inner_broadcast, [contract = two.contract, runs](rank_t g) {
            collsched::contract part = contract;
            part.root = runs.size(g + 1) - 1;
            return part;
        });
        // Scratch: the total of an exscan's run, the preceding total, and the scratch of the parts. A single run needs
        // neither total.
        const bytes_t m = error || runs.groups() == 1 ? 0 : bytes, before = m * (exclusive ? 1 : 0);
        const buffer prefix_buffer = runs.groups() == 1 ? buffer::output : buffer::scratch;
        const auto parts = [before, m](rank_t, buffer b) { return location{b, b == buffer::scratch ? before + m : 0}; };
        const auto totals = [before, m, prefix_buffer](rank_t, buffer b) {
            if (b == buffer::input) return location{exclusive ? prefix_buffer : buffer::output, 0};
            return b == buffer::output ? location{prefix_buffer, before} : location{b, before + m};
        };
        const auto prefix = [before, m, prefix_buffer](rank_t, buffer b) {
            return b == buffer::scratch ? location{b, before + m} : location{prefix_buffer, before};
        };
        // The total of the last run is not used.
        const auto sends_total = [runs](rank_t r) {
            const rank_t g = runs.group(r);
            return exclusive && g + 1 < runs.groups() && runs.index(r) + 1 == runs.size(g);
        };
        const auto copy_input = [m, sends_total](rank_t r, auto f) {
            if (sends_total(r)) f(edge{.size = m, .into = buffer::scratch});
        };
        const auto make_total = [m, runs, sends_total](rank_t r, auto f) {
            if (sends_total(r) && runs.index(r) > 0)
                f(edge{.size = m, .from = buffer::output, .into = buffer::scratch, .action = action::combine_before});
        };
        const auto put_before = [m, before, runs](rank_t r, auto f) {
            const bool first_result = exclusive && runs.index(r) == 0;
            if (runs.group(r) > 0)
                f(edge{.from_offset = before,
                       .size = m,
                       .from = buffer::scratch,
                       .action = first_result ? action::copy : action::combine_before});
        };
        const bool several = runs.groups() > 1;
        return then(then(local_step(copy_input, two.contract, several && exclusive), two.within(within, parts)),
                    then(then(local_step(make_total, two.contract, exclusive && adds_to_total(runs)),
                              two.across(two.led(outer, two.contract), totals)),
                         then(shifted_levels.within(spread, prefix), local_step(put_before, two.contract, several))));
    }
    constexpr argument_error check() const {
        if (!(checked(4) * bytes).ok()) return {"bytes", bytes, "less than 2^61 bytes"};
        return check_levels(*this);
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("placement", self.placement);
    }
    static constexpr void parts(auto& self, auto f) { f(self.inner), f(self.outer), f(self.inner_broadcast); }
    bool operator==(const in_runs&) const = default;

  private:
    static constexpr rank_t longest_of(const rank_groups& runs) {
        rank_t longest = 1;
        for (rank_t g = 0; g < runs.groups(); ++g) longest = runs.size(g) > longest ? runs.size(g) : longest;
        return longest;
    }
    /// Returns the runs but the first, which no operand precedes.
    static constexpr rank_groups behind_first(const rank_groups& runs) {
        return rank_groups::by_label(runs.ranks(), runs.groups() - 1, [&](rank_t r) { return runs.group(r) - 1; });
    }
    /// Returns whether any run but the last has several ranks, so that its total is more than one operand.
    static constexpr bool adds_to_total(const rank_groups& runs) {
        for (rank_t g = 0; g + 1 < runs.groups(); ++g)
            if (runs.size(g) > 1) return true;
        return false;
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::scan::detail

namespace collsched { inline namespace COLLSCHED_ABI { namespace scan {

/// A scan on every run of consecutive ranks of one node, an exscan of the runs' totals among the last ranks of the
/// runs, a broadcast of the preceding total in every run, and a local step that combines it before the own result.
/// Keeps the order of operands for any placement.
///
/// Rounds: those of Inner for the longest run, those of Outer among runs, and those of a binomial broadcast for the
/// longest run but the first. Scratch: m bytes for the preceding total, and that of the parts; a single run needs no
/// totals. With runs of n ranks on each of c nodes and the default parts, a rank sends at most m (ceil(log2 n) +
/// ceil(log2 c)) bytes. O(p) memory.
/// Source: MPICH, by runs of neighbors.
template <described Inner = recursive_doubling, described Outer = exscan::recursive_doubling>
using hierarchical = detail::in_runs<Inner, Outer>;

}}}  // namespace collsched::COLLSCHED_ABI::scan

namespace collsched { inline namespace COLLSCHED_ABI { namespace exscan {

/// An exscan on every run of consecutive ranks of one node, an exscan of the runs' totals among the last ranks of the
/// runs, a broadcast of the preceding total in every run, and a local step that combines it before the own result.
/// Keeps the order of operands for any placement.
///
/// Rounds: those of Inner for the longest run, those of Outer among runs, and those of a binomial broadcast for the
/// longest run but the first. Scratch: m bytes for the preceding total, m bytes for the total of a run, and that of the
/// parts; a single run needs no totals. With runs of n ranks on each of c nodes and the default parts, a rank sends at
/// most m (ceil(log2 n) + ceil(log2 c)) bytes. O(p) memory.
/// Source: MPICH, by runs of neighbors.
template <described Inner = recursive_doubling, described Outer = Inner>
using hierarchical = scan::detail::in_runs<Inner, Outer>;

}}}  // namespace collsched::COLLSCHED_ABI::exscan
