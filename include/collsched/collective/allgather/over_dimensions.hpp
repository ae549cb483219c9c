#pragma once

#include "collsched/collective/allgather/trivance.hpp"
#include "collsched/collective/detail/grid.hpp"
#include "collsched/schedule/lowering.hpp"
#include "collsched/schedule/parameters.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allgather {

/// The allgather A along each dimension of a torus or mesh in turn: first on the rows, each of `group` consecutive ranks,
/// with a block per rank; then on the lines of the next dimension, with the blocks of a row per rank, and so on. The
/// dimensions are those of by_dimension: after the first one, `radix` rows or planes each, and the rest in the last one.
///
/// Rounds: the sum of those of A over the sizes of the dimensions. If every rank sends n-1 blocks in A on n ranks, it sends
/// p-1 blocks here. No scratch. The sizes of the dimensions are factors of p. A has default parameters, and stores blocks
/// at their displacements in `output`. Label defines the name.
/// Source: folklore.
template <block_algorithm A, class Label = void>
    requires(!requires(const A& a) { a.store(); })
struct over_dimensions {
    rank_t ranks = 1;
    block_layout block = 0;
    rank_t group = 8;        ///< ranks per row, 1 or more; a number above p counts as p
    std::int64_t radix = 8;  ///< rows per plane, 2 or more

    static constexpr algorithm_info info = [] {
        algorithm_info result{.collective = collective::allgather,
                              .name = "over-dimensions",
                              .ranks = "a full grid",
                              .rounds = "sum of those on n ranks over the dimensions",
                              .source = "folklore"};
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
        step_t sum = 0;
        dimensions().visit([&](const dimension& d) { sum += on_line(d).steps(); });
        return sum;
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
    constexpr void message(rank_t src, rank_t dst, step_t k, auto f) const {
        in_dimension(k, [&](const dimension& d, step_t step) {
            const auto blocks = [&](rank_t first, rank_t count) {
                if (count > 0) f(block_interval{d.first(src) + first * d.stride, count * d.stride});
            };
            on_line(d).message(d.place(src), d.place(dst), step, [&](const block_interval& held) {
                const rank_t up_to_end = d.size - held.first;  // the interval is cyclic on its line
                blocks(held.first, held.count < up_to_end ? held.count : up_to_end);
                blocks(0, held.count - up_to_end);
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
    static constexpr A on_line(const dimension& d) { return {.ranks = d.size, .block = 1}; }
    /// Calls f(dimension, step of A) for step k.
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
    static constexpr const char* name = "trivance-by-dimension";
    static constexpr const char* rounds = "sum of ceil(log3 n) over the dimensions";
    static constexpr const char* source = trivance::info.source;
};

}  // namespace detail

/// allgather::trivance on the rows of a torus or mesh, then on the lines of each further dimension, whose sizes are factors
/// of p.
///
/// Rounds: the sum of ceil(log3 n) over the dimensions, with n ranks in each. Every rank sends and receives p-1 blocks, in
/// at most two messages per round. No scratch.
/// Source: that of trivance, whose abstract names tori; the sequence of dimensions is ours.
using trivance_by_dimension = over_dimensions<trivance, detail::trivance_by_dimension_label>;

}}}  // namespace collsched::COLLSCHED_ABI::allgather
