#pragma once

#include <cstdint>
#include <type_traits>

#include "collsched/combine/rename_buffers.hpp"
#include "collsched/core/checked.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

template <schedule S>
class reversed_schedule : public schedule_adaptor<reversed_schedule<S>, S> {
    using adaptor = schedule_adaptor<reversed_schedule, S>;
    using adaptor::base;

  public:
    constexpr explicit reversed_schedule(const S& s)
        : adaptor(s), error_(check_forward()), steps_(error_ ? 0 : s.steps()) {}

    constexpr step_t steps() const { return steps_; }
    constexpr step_t next(rank_t r, step_t k) const { return busy(r).from(k, steps_); }
    constexpr step_ranges busy(rank_t r) const { return busy_steps(base(), r).mirrored(steps_ - 1); }

    constexpr void sends(rank_t r, step_t k, auto f) const {
        receives_of(base(), r, steps_ - 1 - k, [&](const edge& e) { f(flipped(e)); });
        sends_of(base(), r, steps_ - 1 - k, [&](const edge& e) {
            if (e.is_local()) f(flipped(e));
        });
    }
    constexpr void receives(rank_t r, step_t k, auto f) const {
        sends_of(base(), r, steps_ - 1 - k, [&](const edge& e) {
            if (!e.is_local()) f(flipped(e));
        });
    }

    constexpr bytes_t staging(rank_t) const { return 0; }
    constexpr collsched::contract contract() const {
        collsched::contract contract = base().contract();
        contract.collective = reverse_of(contract.collective);
        return contract;
    }
    constexpr argument_error check() const { return error_; }
    constexpr std::uint64_t fingerprint() const { return fingerprint_of("reversed", base().fingerprint()); }

  private:
    constexpr argument_error check_forward() const {
        const collective forward = base().contract().collective;
        if (forward != collective::scatter && forward != collective::gather && forward != collective::barrier)
            return {"collective", static_cast<std::int64_t>(forward),
                    "scatter, gather or barrier: what writes no byte twice"};
        return base().check();
    }
    static constexpr buffer renamed(buffer b) {
        return b == buffer::input ? buffer::output : b == buffer::output ? buffer::input : b;
    }
    constexpr edge flipped(const edge& e) const {
        return {.step = steps_ - 1 - e.step,
                .src = e.dst,
                .dst = e.src,
                .from_offset = e.into_offset,
                .into_offset = e.from_offset,
                .size = e.size,
                .from = renamed(e.into),
                .into = renamed(e.from)};
    }

    argument_error error_;
    step_t steps_;
};

/// Every rank has an accumulator: output if the result fills it, else scratch. A first step copies input there. Then
/// every edge runs in reverse and combines; an operand from a higher rank is combined after. A last step copies the
/// result to output, unless the accumulator is output or `in_accumulator` leaves the result there. The base is bound in
/// place, so that its edges name only bytes of output.
template <schedule S>
class combining_schedule : public schedule_adaptor<combining_schedule<S>, S> {
    using adaptor = schedule_adaptor<combining_schedule, S>;
    using adaptor::base;

  public:
    using adaptor::ranks;

    constexpr combining_schedule(const S& s, bool commutative, bytes_t element, bool in_accumulator)
        : adaptor(s), contract_(s.contract()), error_(s.check()), message_steps_(error_ ? 0 : s.steps()) {
        contract_.collective = reverse_of(contract_.collective), contract_.commutative = commutative;
        copies_result_ = contract_.collective == collective::reduce_scatter && !in_accumulator;
        if (element > 0) contract_.element = element;
    }

    constexpr step_t steps() const { return ranks == 1 ? 1 : message_steps_ + (copies_result_ ? 2 : 1); }
    constexpr step_ranges busy(rank_t r) const {
        if (ranks == 1) return {{0, 0}};
        const step_range messages = busy_steps(base(), r).mirrored(message_steps_).hull();
        if (!copies_result_) return {{0, 0}, messages};
        return {{0, 0}, {messages.empty() ? steps() - 1 : messages.first, steps() - 1}};
    }
    constexpr step_t next(rank_t r, step_t k) const {
        if (k == 0) return 0;
        const step_t end = steps();
        const step_t first = busy_steps(base(), r).mirrored(message_steps_).from(k, end);
        if (first <= message_steps_) return first;
        return copies_result_ && k < end ? end - 1 : end;
    }

    constexpr void sends(rank_t r, step_t k, auto f) const {
        if (k == 0) collect_operands(r, f);
        if (is_message(k)) receives_of(base(), r, message_steps_ - k, [&](const edge& e) { combine(e, k, f); });
        if (k > message_steps_ && ranks > 1) copy_result(r, k, f);
    }
    constexpr void receives(rank_t r, step_t k, auto f) const {
        if (!is_message(k)) return;
        sends_of(base(), r, message_steps_ - k, [&](const edge& e) {
            if (!e.is_local()) combine(e, k, f);
        });
    }

    constexpr bytes_t scratch(rank_t r) const {
        return accumulator(r) == buffer::scratch ? base().contract().output_bytes(r) : 0;
    }
    /// O(own edges).
    constexpr bytes_t staging(rank_t r) const {
        bytes_t largest = 0;
        for (step_t k = base().next(r, 0); k < message_steps_; k = base().next(r, k + 1)) {
            checked bytes = 0;
            sends_of(base(), r, k, [&](const edge& e) { bytes = bytes + (e.is_local() ? 0 : e.size); });
            const bytes_t step_bytes = saturated(bytes);
            largest = step_bytes > largest ? step_bytes : largest;
        }
        return largest;
    }
    constexpr collsched::contract contract() const { return contract_; }
    constexpr argument_error check() const {
        if (error_) return error_;
        if (contract_.collective != collective::reduce && contract_.collective != collective::reduce_scatter)
            return {"collective", static_cast<std::int64_t>(reverse_of(contract_.collective)),
                    "broadcast or allgather, to combine backwards"};
        if (contract_.collective == collective::reduce_scatter)
            if (argument_error error = check_elements(contract_.layout(), ranks, contract_.element)) return error;
        if constexpr (!requires { requires S::scratchless; })
            for (rank_t r = 0; r < ranks; ++r)
                if (base().scratch(r) > 0)
                    return {"scratch", base().scratch(r), "a schedule without scratch, to be reversed", r};
        return {};
    }
    constexpr std::uint64_t fingerprint() const {
        return fingerprint_of("combining", base().fingerprint(), contract_.commutative, contract_.element);
    }

  private:
    constexpr bool is_message(step_t k) const { return k >= 1 && k <= message_steps_; }

    /// A single rank has its result without an accumulator.
    constexpr buffer accumulator(rank_t r) const {
        const bool filled = contract_.collective == collective::reduce && r == contract_.root;
        return filled || ranks == 1 ? buffer::output : buffer::scratch;
    }
    constexpr void collect_operands(rank_t r, auto& f) const {
        const edge frame{.src = r, .dst = r};
        if (contract_.collective == collective::reduce) {
            const byte_range all{0, contract_.bytes};
            join_runs(frame, run_cursor(buffer::input, all), run_cursor(accumulator(r), all), f);
        } else {
            const block_interval blocks = ranks == 1 ? block_interval{r, 1} : block_interval{0, ranks};
            const run_cursor from(buffer::input, contract_.layout(), ranks, blocks);
            if (ranks == 1) join_runs(frame, from, run_cursor(buffer::output, {0, contract_.layout().count(r)}), f);
            else join_runs(frame, from, run_cursor(buffer::scratch, contract_.layout(), ranks, blocks), f);
        }
    }

    constexpr void combine(const edge& e, step_t k, auto& f) const {
        f(edge{.step = k,
               .src = e.dst,
               .dst = e.src,
               .from_offset = e.into_offset,
               .into_offset = e.from_offset,
               .size = e.size,
               .from = accumulator(e.dst),
               .into = accumulator(e.src),
               .action = e.dst > e.src ? action::combine_after : action::combine_before});
    }

    constexpr void copy_result(rank_t r, step_t k, auto& f) const {
        join_runs({.step = k, .src = r, .dst = r}, run_cursor(buffer::scratch, contract_.layout(), ranks, {r, 1}),
                  run_cursor(buffer::output, {0, contract_.layout().count(r)}), f);
    }

    collsched::contract contract_;
    argument_error error_;  // of the base
    step_t message_steps_;
    bool copies_result_ = false;
};

}  // namespace detail

/// Returns the reverse of x, with copies: a gather becomes a scatter and vice versa. Edge (k, i -> j, from, into) of K
/// steps becomes (K-1-k, j -> i, into, from), and input and output are exchanged.
/// Steps, rounds, messages, bytes and scratch are those of x.
/// @pre x writes no byte twice and moves no byte between blocks (`copy_input_first` of a scatter with gaps does)
/// @param x  schedule or algorithm
/// @return a schedule. check() fails for collectives other than scatter, gather and barrier.
template <schedulable X>
constexpr auto reverse(const X& x) {
    return detail::reversed_schedule<detail::schedule_of<X>>(lower(x));
}

/// x backwards, combining: a broadcast becomes a reduce, an allgather a reduce_scatter.
/// Steps: one more than x (reduce) or two more (reduce_scatter), for local copies. Rounds and bytes sent are those of
/// x. Scratch: the bytes of the output of x, except where the result fills output.
/// @param x            schedule or algorithm
/// @param commutative  the operation may reorder operands
/// @param element      bytes of an operand of the operation; 0: as in the contract of x
/// @param in_accumulator  leave the blocks of a reduce_scatter where they are in scratch, without the last step; for a
///                     larger schedule that places `output` there
/// @pre no rank of x receives a byte that it has: backwards its operand would be combined twice, which verify reports
/// @return a schedule. check() fails for other collectives, and where x needs scratch.
template <schedulable X>
constexpr auto reverse_combining(const X& x, bool commutative, bytes_t element = 0, bool in_accumulator = false) {
    const auto in_place = bind_in_place(x);
    return detail::combining_schedule<detail::schedule_of<decltype(in_place)>>(in_place, commutative, element,
                                                                               in_accumulator);
}

namespace detail {

/// Returns the description of the reverse of A. Label defines name and source, if they are others. The reverse of A never
/// reorders operands if A::reverse_keeps_order() is static, and true.
template <described A, class Label = void>
inline constexpr algorithm_info reversed_info = [] {
    algorithm_info info = A::info;
    info.collective = reverse_of(info.collective);
    info.commutative = A::info.collective == collective::broadcast || A::info.collective == collective::allgather;
    if constexpr (requires { A::reverse_keeps_order(); }) info.commutative = !A::reverse_keeps_order();
    if constexpr (requires { Label::name; }) info.name = Label::name;
    if constexpr (requires { Label::source; }) info.source = Label::source;
    return info;
}();

/// Returns the reversed schedule of A. `element` is that of a reduction whose forward algorithm has none.
template <described A>
constexpr auto reversed_view(const A& forward, bytes_t element = 1, bool in_accumulator = false) {
    bool keeps_order = false;
    if constexpr (requires { forward.reverse_keeps_order(); }) keeps_order = forward.reverse_keeps_order();
    if constexpr (requires { forward.element; }) element = 0;
    if constexpr (A::info.collective == collective::allgather || A::info.collective == collective::broadcast)
        return reverse_combining(forward, !keeps_order, element, in_accumulator);
    else return reverse(forward);
}

/// Sets the members of an algorithm that determine its contract to those of another one, as far as both have them.
constexpr void copy_contract(auto& into, const auto& from) {
    into.ranks = from.ranks;
    if constexpr (requires { into.root = from.root; }) into.root = from.root;
    if constexpr (requires { into.block = from.block; }) into.block = from.block;
    if constexpr (requires { into.bytes = from.bytes; }) into.bytes = from.bytes;
    if constexpr (requires { into.element = from.element; }) into.element = from.element;
}
/// Returns the algorithm that `backward` reverses, with the parameters of its contract.
template <class Reverse>
constexpr auto forward_of(const Reverse& backward) {
    auto forward = backward.of;
    copy_contract(forward, backward);
    return forward;
}

/// Calls f(name, member) for the parameters of a reverse: those of its algorithm `of`, where its own members replace those
/// of the same name, and `root` and `element` if `of` has none.
template <class A>
constexpr void reversed_parameters(auto& self, auto f) {
    A::parameters(self.of, [&]<class Parameter>(const char* name, Parameter& parameter) {
        if constexpr (std::is_same_v<const Parameter, const std::int64_t>) {
            if (same_text(name, "ranks")) return f(name, self.ranks);
            if constexpr (requires { self.root; })
                if (same_text(name, "root")) return f(name, self.root);
            if constexpr (requires { self.bytes; })
                if (same_text(name, "bytes")) return f(name, self.bytes);
            if constexpr (requires { self.element; })
                if (same_text(name, "element")) return f(name, self.element);
        }
        if constexpr (requires { self.block; })
            if constexpr (std::is_same_v<const Parameter, const block_layout>)
                if (same_text(name, "block")) return f(name, self.block);
        f(name, parameter);
    });
    if constexpr (requires { self.root; } && !requires { self.of.root; }) f("root", self.root);
    if constexpr (requires { self.element; } && !requires { self.of.element; }) f("element", self.element);
}

/// Returns an error if a reverse has another root than its algorithm, which has rank 0.
constexpr argument_error check_root(const auto& backward) {
    if (backward.root == 0 || requires { backward.of.root; }) return {};
    return {"root", backward.root, "0, as the algorithm that is reversed has no other root"};
}

/// The members that a reverse of A has of its own.
enum class reversed_members : std::uint8_t { blocks, rooted_blocks, rooted_bytes, none };
template <described A>
inline constexpr reversed_members members_of_reverse = [] {
    switch (A::info.collective) {
        case collective::allgather:
        case collective::reduce_scatter: return reversed_members::blocks;
        case collective::gather:
        case collective::scatter: return reversed_members::rooted_blocks;
        case collective::broadcast:
        case collective::reduce: return reversed_members::rooted_bytes;
        default: return reversed_members::none;
    }
}();

}  // namespace detail

/// The reverse of an algorithm: `reverse` of a gather or scatter, `reverse_combining` of a broadcast or allgather. It has
/// the members that determine its contract: ranks and, by collective, root, block, bytes and element. Other parameters are
/// those of `of`. Label defines name and source, if they are not those of A.
template <described A, class Label = void, auto = detail::members_of_reverse<A>>
struct reversed {
    rank_t ranks = 1;
    A of{};  ///< the algorithm that is reversed

    static constexpr algorithm_info info = detail::reversed_info<A, Label>;
    constexpr auto view() const { return detail::reversed_view(detail::forward_of(*this)); }
    static constexpr void parameters(auto& self, auto f) { detail::reversed_parameters<A>(self, f); }
    bool operator==(const reversed&) const = default;
};

/// A reduce_scatter, the reverse of an allgather.
template <described A, class Label>
struct reversed<A, Label, detail::reversed_members::blocks> {
    rank_t ranks = 1;
    block_layout block = 0;
    bytes_t element = 1;
    A of{};

    static constexpr algorithm_info info = detail::reversed_info<A, Label>;
    constexpr auto view() const { return detail::reversed_view(detail::forward_of(*this), element); }
    static constexpr void parameters(auto& self, auto f) { detail::reversed_parameters<A>(self, f); }
    bool operator==(const reversed&) const = default;
};

/// A scatter or gather, the reverse of the other.
template <described A, class Label>
struct reversed<A, Label, detail::reversed_members::rooted_blocks> {
    rank_t ranks = 1;
    rank_t root = 0;
    block_layout block = 0;
    A of{};

    static constexpr algorithm_info info = detail::reversed_info<A, Label>;
    constexpr auto view() const { return detail::reversed_view(detail::forward_of(*this)); }
    constexpr argument_error check() const { return detail::check_root(*this); }
    static constexpr void parameters(auto& self, auto f) { detail::reversed_parameters<A>(self, f); }
    bool operator==(const reversed&) const = default;
};

/// A reduce, the reverse of a broadcast.
template <described A, class Label>
struct reversed<A, Label, detail::reversed_members::rooted_bytes> {
    rank_t ranks = 1;
    rank_t root = 0;
    bytes_t bytes = 0;
    bytes_t element = 1;
    A of{};

    static constexpr algorithm_info info = detail::reversed_info<A, Label>;
    constexpr auto view() const { return detail::reversed_view(detail::forward_of(*this), element); }
    constexpr argument_error check() const { return detail::check_root(*this); }
    static constexpr void parameters(auto& self, auto f) { detail::reversed_parameters<A>(self, f); }
    bool operator==(const reversed&) const = default;
};

/// Returns the reverse of an algorithm, with the parameters of the algorithm.
/// @param forward  an algorithm
template <described A>
constexpr reversed<A> reverse_of(const A& forward) {
    reversed<A> backward{};
    backward.of = forward;
    detail::copy_contract(backward, forward);
    return backward;
}

}}  // namespace collsched::COLLSCHED_ABI
