#pragma once

#include "collsched/collective/allgather/over_dimensions.hpp"
#include "collsched/collective/allreduce/by_reversal.hpp"
#include "collsched/collective/allreduce/trivance_latency.hpp"
#include "collsched/collective/detail/grid.hpp"
#include "collsched/schedule/lowering.hpp"
#include "collsched/schedule/parameters.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

/// The allreduce A along each dimension of a torus or mesh in turn: first on the rows, each of `group` consecutive ranks,
/// then with their sums on the lines of the next dimension, and so on. The dimensions are those of
/// allgather::by_dimension: after the first one, `radix` rows or planes each, and the rest in the last one.
///
/// Rounds and bytes: the sums of those of A over the sizes of the dimensions. Scratch: that of A on the longest line. The
/// sizes of the dimensions are factors of p. Keeps the order of operands if A keeps it, and all ranks have the same bits if
/// they have them in A. A has default parameters, reads `input` in its first step only, and has messages in it. Label
/// defines the name.
/// Source: folklore.
template <edge_algorithm A, class Label = void>
    requires(!requires(const A& a) { a.copies_first(); })
struct over_dimensions {
    rank_t ranks = 1;
    bytes_t bytes = 0;
    bytes_t element = 1;
    rank_t group = 8;        ///< ranks per row, 1 or more; a number above p counts as p
    std::int64_t radix = 8;  ///< rows per plane, 2 or more

    static constexpr algorithm_info info = [] {
        algorithm_info result{.collective = collective::allreduce,
                              .name = "over-dimensions",
                              .ranks = "a full grid",
                              .rounds = "sum of those on n ranks over the dimensions",
                              .source = "folklore",
                              .commutative = A::info.commutative};
        if constexpr (requires { Label::name; }) result.name = Label::name;
        if constexpr (requires { Label::rounds; }) result.rounds = Label::rounds;
        if constexpr (requires { Label::source; }) result.source = Label::source;
        return result;
    }();

    constexpr argument_error check() const {
        argument_error error = dimensions().check();
        if (!error)
            dimensions().visit([&](const dimension& d) { error = error ? error : collsched::check(on_line(d)); });
        return error;
    }
    constexpr step_t steps() const {
        step_t sum = ranks == 1 ? 1 : 0;
        dimensions().visit([&](const dimension& d) { sum += on_line(d).steps(); });
        return sum;
    }
    constexpr bytes_t scratch(rank_t r) const {
        bytes_t most = 0;
        dimensions().visit([&](const dimension& d) {
            const bytes_t needed = on_line(d).scratch(d.place(r));
            most = most < needed ? needed : most;
        });
        return most;
    }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        in_dimension(k, [&](const dimension& d, step_t step) {
            on_line(d).targets(d.place(r), step, [&](rank_t target) { f(d.at(r, target)); });
        });
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        in_dimension(k, [&](const dimension& d, step_t step) {
            on_line(d).sources(d.place(r), step, [&](rank_t source) { f(d.at(r, source)); });
        });
    }
    constexpr void transfers(rank_t src, rank_t dst, step_t k, auto f) const {
        in_dimension(k, [&](const dimension& d, step_t step) {
            on_line(d).transfers(d.place(src), d.place(dst), step, [&](edge e) {
                if (step < k) e.from = e.from == buffer::input ? buffer::output : e.from;
                f(static_cast<const edge&>(e));
            });
        });
    }
    constexpr void local(rank_t r, step_t k, auto f) const {
        if (ranks == 1) return f(edge{.size = bytes});
        in_dimension(k, [&](const dimension& d, step_t step) {
            on_line(d).local(d.place(r), step, [&](const edge& e) {
                if (step == k || e.from != buffer::input) f(e);
            });
        });
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("group", self.group);
        f("radix", self.radix);
    }
    bool operator==(const over_dimensions&) const = default;

  private:
    using dimension = collsched::detail::grid::dimension;

    constexpr collsched::detail::grid dimensions() const { return {ranks, group, radix}; }
    constexpr A on_line(const dimension& d) const { return {.ranks = d.size, .bytes = bytes, .element = element}; }
    /// Calls f(dimension, step of A) for step k. In the first dimension the two numbers are equal.
    constexpr void in_dimension(step_t k, auto f) const {
        dimensions().visit([&](const dimension& d) {
            const step_t all = on_line(d).steps();
            if (0 <= k && k < all) f(d, k);
            k -= all;
        });
    }
};

namespace detail {

struct trivance_by_dimension_label {
    static constexpr const char* rounds = "twice the sum of ceil(log3 n) over the dimensions";
};
struct trivance_latency_by_dimension_label {
    static constexpr const char* name = "trivance-latency-by-dimension";
    static constexpr const char* rounds = allgather::detail::trivance_by_dimension_label::rounds;
    static constexpr const char* source = trivance_latency::info.source;
};

}  // namespace detail

/// reduce_scatter::trivance_by_dimension, then allgather::trivance_by_dimension: Trivance for long messages on tori.
///
/// Rounds: twice the sum of ceil(log3 n) over the dimensions, with n ranks in each and at most two messages per rank in a
/// round. Every rank sends and receives 2 m (p-1)/p bytes, up to one element per part. No scratch. Commutative operations
/// only.
/// Source: that of allgather::trivance_by_dimension.
using trivance_by_dimension = by_reversal<allgather::trivance_by_dimension, detail::trivance_by_dimension_label>;

/// trivance_latency on the rows of a torus or mesh, then on the lines of each further dimension: Trivance for short
/// messages on tori. The sizes of the dimensions are factors of p.
///
/// Rounds: the sum of ceil(log3 n) over the dimensions, with n ranks in each. A rank receives at most two messages of m
/// bytes per round. All ranks and all elements have the same bits. 2 m bytes of scratch. Commutative operations only.
/// Source: that of trivance_latency, whose abstract names tori; the sequence of dimensions is ours.
using trivance_latency_by_dimension = over_dimensions<trivance_latency, detail::trivance_latency_by_dimension_label>;

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
