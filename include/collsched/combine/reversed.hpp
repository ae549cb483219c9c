#pragma once

#include <type_traits>
#include <utility>

#include "collsched/combine/guarded.hpp"
#include "collsched/combine/placed.hpp"
#include "collsched/core/checked.hpp"

namespace collsched::inline v0_1 {

/// What an algorithm delivers when all its edges run backwards.
constexpr collective reverse_of(collective what) {
    switch (what) {
        case collective::scatter: return collective::gather;
        case collective::gather: return collective::scatter;
        case collective::broadcast: return collective::reduce;
        case collective::reduce: return collective::broadcast;
        case collective::allgather: return collective::reduce_scatter;
        case collective::reduce_scatter: return collective::allgather;
        default: return what;
    }
}

/// A schedule run backwards: edge (k, i -> j, from, into) becomes (K-1-k, j -> i, into, from), and input and output change
/// names. The schedule copies, writes no byte twice, and moves no byte that lies between blocks (aside() of a scatter with
/// gaps does move some).
template <schedule S>
class reversed_schedule {
  public:
    rank_t ranks;

    constexpr explicit reversed_schedule(const S& s) : ranks(s.ranks), s_(s), steps_(s.check() ? 0 : s.steps()) {}

    constexpr step_t steps() const { return steps_; }
    constexpr step_t next(rank_t r, step_t k) const { return busy(r).from(k, steps_); }
    constexpr step_ranges busy(rank_t r) const { return detail::busy_steps(s_, r).mirrored(steps_ - 1); }

    template <class F>
    constexpr void sends(rank_t r, step_t k, F f) const {
        detail::receives_of(s_, r, steps_ - 1 - k, [&](const edge& e) { f(flipped(e)); });
        detail::sends_of(s_, r, steps_ - 1 - k, [&](const edge& e) {
            if (e.is_local()) f(flipped(e));
        });
    }
    template <class F>
    constexpr void receives(rank_t r, step_t k, F f) const {
        detail::sends_of(s_, r, steps_ - 1 - k, [&](const edge& e) {
            if (!e.is_local()) f(flipped(e));
        });
    }

    constexpr bytes_t scratch(rank_t r) const { return s_.scratch(r); }
    constexpr bytes_t staging(rank_t) const { return 0; }
    constexpr collsched::pacing pacing() const { return s_.pacing(); }
    constexpr collsched::contract contract() const {
        collsched::contract promise = s_.contract();
        promise.what = reverse_of(promise.what);
        return promise;
    }
    constexpr error check() const {
        const collective what = s_.contract().what;
        if (what != collective::scatter && what != collective::gather && what != collective::barrier)
            return {"collective", static_cast<std::int64_t>(what),
                    "scatter, gather or barrier: what writes no byte twice"};
        return s_.check();
    }
    constexpr std::uint64_t fingerprint() const { return fingerprint_of("reversed", s_.fingerprint()); }

  private:
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

    S s_;
    step_t steps_;
};

/// A schedule run backwards whose edges combine: broadcast becomes reduce, allgather reduce_scatter.
///
/// The schedule was placed in place, so that all its edges speak of bytes of its output; those are an accumulator on every
/// rank: `output` where the result fills it, else scratch. A first step copies `input` there; then every edge runs
/// backwards and combines, combine_after where it comes from a higher rank; the result is the accumulator's own part, copied
/// to `output` in a last step unless it lies there. Rounds and bytes are those of the schedule. In it no rank receives a byte
/// that it has: backwards it would combine that operand twice, as verify tells.
template <schedule S>
class combining_schedule {
  public:
    rank_t ranks;

    /// `element`: bytes of what the operation combines, 0: the schedule's own.
    constexpr combining_schedule(const S& s, bool commutative, bytes_t element = 0)
        : ranks(s.ranks), s_(s), forward_(s.contract()), promise_(forward_), message_steps_(s.check() ? 0 : s.steps()) {
        promise_.what = reverse_of(promise_.what);
        promise_.commutative = commutative;
        if (element > 0) promise_.element = element;
    }

    constexpr step_t steps() const {
        return ranks == 1 ? 1 : message_steps_ + (promise_.what == collective::reduce_scatter ? 2 : 1);
    }
    constexpr step_ranges busy(rank_t r) const {
        const step_range messages = detail::busy_steps(s_, r).mirrored(message_steps_).hull();
        if (promise_.what != collective::reduce_scatter) return {{0, 0}, messages};
        return {{0, 0}, {messages.empty() ? steps() - 1 : messages.first, steps() - 1}};
    }
    constexpr step_t next(rank_t r, step_t k) const {
        if (k == 0) return 0;
        const step_t end = steps();
        const step_t first = detail::busy_steps(s_, r).mirrored(message_steps_).from(k, end);
        if (first <= message_steps_) return first;
        return promise_.what == collective::reduce_scatter && k < end ? end - 1 : end;
    }

    template <class F>
    constexpr void sends(rank_t r, step_t k, F f) const {
        if (k == 0) gather_operands(r, f);
        if (is_message(k)) detail::receives_of(s_, r, message_steps_ - k, [&](const edge& e) { combine(e, k, f); });
        if (k > message_steps_ && ranks > 1) hand_out(r, k, f);
    }
    template <class F>
    constexpr void receives(rank_t r, step_t k, F f) const {
        if (!is_message(k)) return;
        detail::sends_of(s_, r, message_steps_ - k, [&](const edge& e) {
            if (!e.is_local()) combine(e, k, f);
        });
    }

    constexpr bytes_t scratch(rank_t r) const {
        return accumulator(r) == buffer::scratch ? forward_.output_bytes(r) : 0;
    }
    /// O(own edges).
    constexpr bytes_t staging(rank_t r) const {
        bytes_t most = 0;
        for (step_t k = s_.next(r, 0); k < message_steps_; k = s_.next(r, k + 1)) {
            checked here = 0;
            detail::sends_of(s_, r, k, [&](const edge& e) { here = here + (e.is_local() ? 0 : e.size); });
            const bytes_t sum = saturated(here);
            most = sum > most ? sum : most;
        }
        return most;
    }
    constexpr collsched::pacing pacing() const { return s_.pacing(); }
    constexpr collsched::contract contract() const { return promise_; }
    constexpr error check() const {
        if (error wrong = s_.check()) return wrong;
        if (forward_.what != collective::broadcast && forward_.what != collective::allgather)
            return {"collective", static_cast<std::int64_t>(forward_.what),
                    "broadcast or allgather, to combine backwards"};
        if (promise_.what == collective::reduce_scatter)
            if (error wrong = check_elements(promise_.blocks, ranks, promise_.element)) return wrong;
        if constexpr (!requires { requires S::scratchless; })
            for (rank_t r = 0; r < ranks; ++r)
                if (s_.scratch(r) > 0)
                    return {"scratch", s_.scratch(r), "a schedule without scratch, to be reversed", r};
        return {};
    }
    constexpr std::uint64_t fingerprint() const {
        return fingerprint_of("combining", s_.fingerprint(), std::int64_t{promise_.commutative}, promise_.element);
    }

  private:
    constexpr bool is_message(step_t k) const { return k >= 1 && k <= message_steps_; }

    /// Alone, a rank has its result without an accumulator.
    constexpr buffer accumulator(rank_t r) const {
        const bool filled = promise_.what == collective::reduce && r == promise_.root;
        return filled || ranks == 1 ? buffer::output : buffer::scratch;
    }
    template <class F>
    constexpr void gather_operands(rank_t r, F& f) const {
        const edge frame{.src = r, .dst = r};
        if (promise_.what == collective::reduce) {
            const byte_range all{0, promise_.bytes};
            join_runs(frame, run_cursor(buffer::input, all), run_cursor(accumulator(r), all), f);
        } else {
            const block_interval blocks = ranks == 1 ? block_interval{r, 1} : block_interval{0, ranks};
            const run_cursor from(buffer::input, promise_.blocks, ranks, blocks);
            if (ranks == 1) join_runs(frame, from, run_cursor(buffer::output, {0, promise_.blocks.count(r)}), f);
            else join_runs(frame, from, run_cursor(buffer::scratch, promise_.blocks, ranks, blocks), f);
        }
    }

    template <class F>
    constexpr void combine(const edge& e, step_t k, F& f) const {
        f(edge{.step = k,
               .src = e.dst,
               .dst = e.src,
               .from_offset = e.into_offset,
               .into_offset = e.from_offset,
               .size = e.size,
               .from = accumulator(e.dst),
               .into = accumulator(e.src),
               .what = e.dst > e.src ? action::combine_after : action::combine_before});
    }

    template <class F>
    constexpr void hand_out(rank_t r, step_t k, F& f) const {
        join_runs({.step = k, .src = r, .dst = r}, run_cursor(buffer::scratch, promise_.blocks, ranks, {r, 1}),
                  run_cursor(buffer::output, {0, promise_.blocks.count(r)}), f);
    }

    S s_;
    collsched::contract forward_, promise_;
    step_t message_steps_;
};

/// The copying reverse: scatter of gather and the other way round.
template <schedulable X>
constexpr auto reverse(const X& x) {
    return reversed_schedule<schedule_of<X>>(lower(x));
}

/// The combining reverse: reduce of broadcast, reduce_scatter of allgather. `commutative`: it may reorder operands.
/// `element`: bytes of what the operation combines, 0: those that the contract of x says.
template <schedulable X>
constexpr auto reverse_combining(const X& x, bool commutative, bytes_t element = 0) {
    const auto placed = placed_in_place(x);
    return combining_schedule<schedule_of<decltype(placed)>>(placed, commutative, element);
}

/// An algorithm run backwards. A copying result (scatter of gather and the other way round) is made of the same edges; where
/// the result combines (reduce of broadcast, reduce_scatter of allgather) see combining_schedule. Where the field calls A
/// backwards otherwise, or has it from another source, Label::name and Label::source say so. A reduce_scatter has an
/// `element` of its own where the allgather has none.
template <described A, class Label = void>
struct reversed {
    struct no_element {
        bool operator==(const no_element&) const = default;
    };
    static constexpr bool adds_element = A::info.what == collective::allgather && !requires(const A& a) { a.element; };

    A of{};
    [[no_unique_address]] std::conditional_t<adds_element, bytes_t, no_element> element = [] {
        if constexpr (adds_element) return bytes_t{1};
        else return no_element{};
    }();

    static constexpr bool combines = A::info.what == collective::broadcast || A::info.what == collective::allgather;
    static constexpr algorithm_info info = [] {
        algorithm_info made = A::info;
        made.what = reverse_of(made.what);
        made.commutative = combines;
        if constexpr (requires { Label::name; }) made.name = Label::name;
        if constexpr (requires { Label::source; }) made.source = Label::source;
        return made;
    }();

    constexpr auto view() const {
        if constexpr (adds_element)
            return guarded(element < 1 ? error{"element", element, "1 byte or more"} : error{},
                           reverse_combining(of, !keeps_order(), element));
        else if constexpr (combines) return reverse_combining(of, !keeps_order());
        else return reverse(of);
    }

    template <class Self, class F>
    static constexpr void parameters(Self& self, F f) {
        A::parameters(self.of, f);
        if constexpr (adds_element) f("element", self.element);
    }
    bool operator==(const reversed&) const = default;

  private:
    constexpr bool keeps_order() const {
        if constexpr (requires { of.reverse_keeps_order(); }) return of.reverse_keeps_order();
        else return false;
    }
};

}  // namespace collsched::inline v0_1
