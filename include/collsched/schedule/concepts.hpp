#pragma once

#include <concepts>
#include <type_traits>

#include "collsched/core/edge.hpp"
#include "collsched/core/argument_error.hpp"
#include "collsched/schedule/contract.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Limit on the number of overlapping steps of a rank. Window 0: only data and signals order edges. Window w: the edges
/// of step k start after all edges of the same rank in steps <= k-w are complete.
struct pacing {
    step_t window = 0;  ///< largest number of overlapping steps, 0 or more; 0: no limit
    bool operator==(const pacing&) const = default;
};

/// Static description of an algorithm, for lists and for its contract.
struct algorithm_info {
    collsched::collective collective = collsched::collective::barrier;  ///< determines the contract
    const char* name = "";                                              ///< "neighbor-exchange"
    const char* ranks = "any";                                          ///< "any", "even", "power_of_two" or a text
    const char* rounds = "";                                            ///< a formula in p
    const char* source = "";                                            ///< paper or book
    bool commutative = false;                                           ///< the algorithm reorders operands
    step_t window = 0;                                                  ///< pacing
    std::int64_t variant = 0;                                           ///< distinguishes algorithms of one name
};

namespace detail {

struct any_call {
    constexpr void operator()(auto&&...) const {}
};

// One concept per member, so that the compiler can name the one that a type lacks.
template <class X>
concept has_ranks = requires(const X& x) {
    { x.ranks } -> std::same_as<const rank_t&>;
};
template <class X>
concept has_steps = requires(const X& x) {
    { x.steps() } -> std::same_as<step_t>;
};
template <class S>
concept has_next = requires(const S& s, rank_t r, step_t k) {
    { s.next(r, k) } -> std::same_as<step_t>;
};
template <class S>
concept has_sends = requires(const S& s, rank_t r, step_t k, any_call f) { s.sends(r, k, f); };
template <class S>
concept has_receives = requires(const S& s, rank_t r, step_t k, any_call f) { s.receives(r, k, f); };
template <class S>
concept has_scratch = requires(const S& s, rank_t r) {
    { s.scratch(r) } -> std::same_as<bytes_t>;
};
template <class S>
concept has_staging = requires(const S& s, rank_t r) {
    { s.staging(r) } -> std::same_as<bytes_t>;
};
template <class S>
concept has_pacing = requires(const S& s) {
    { s.pacing() } -> std::same_as<pacing>;
};
template <class S>
concept has_contract =
    requires(const S& s) { requires std::same_as<std::remove_cvref_t<decltype(s.contract())>, contract>; };
template <class S>
concept has_check = requires(const S& s) {
    { s.check() } -> std::same_as<argument_error>;
};
template <class S>
concept has_fingerprint = requires(const S& s) {
    { s.fingerprint() } -> std::same_as<std::uint64_t>;
};
template <class A>
concept has_info = requires {
    { A::info } -> std::convertible_to<algorithm_info>;
};
template <class A>
concept has_parameters = requires(const A& a, any_call f) { A::parameters(a, f); };
template <class A>
concept has_targets = requires(const A& a, rank_t r, step_t k, any_call f) { a.targets(r, k, f); };
template <class A>
concept has_sources = requires(const A& a, rank_t r, step_t k, any_call f) { a.sources(r, k, f); };
template <class A>
concept has_message = requires(const A& a, rank_t r, step_t k, any_call f) { a.message(r, r, k, f); };
template <class A>
concept has_transfers = requires(const A& a, rank_t r, step_t k, any_call f) { a.transfers(r, r, k, f); };

}  // namespace detail

/// A schedule passes the edges of rank r in step k to a callable. Methods are pure: equal values produce equal edges on
/// every rank and compiler.
///
///   ranks              p
///   steps()            number of steps; they are numbered 0 .. steps()-1
///   next(r, k)         a lower bound, >= k, of the next step in which rank r has edges, or steps()
///   sends(r, k, f)     calls f(edge) for every edge from rank r in step k, local ones included
///   receives(r, k, f)  calls f(edge) for every edge to rank r in step k from another rank
///   scratch(r)         bytes of scratch of rank r
///   staging(r)         the largest sum of bytes of incoming combines of rank r in one step
///   pacing()           limit on overlapping steps
///   contract()         the contract, or a constant reference to it; sizes of input and output follow from it
///   check()            the first error in the parameters; with an error, no other method may be called
///   fingerprint()      64-bit hash of the canonical description
///   busy(r)            optional: steps that contain all edges of rank r
///   scratchless        optional, static: no rank needs scratch
template <class S>
concept schedule =
    detail::has_ranks<S> && detail::has_steps<S> && detail::has_next<S> && detail::has_sends<S> &&
    detail::has_receives<S> && detail::has_scratch<S> && detail::has_staging<S> && detail::has_pacing<S> &&
    detail::has_contract<S> && detail::has_check<S> && detail::has_fingerprint<S>;

/// A type with a static `info` and `parameters(self, f)`. Compositions and lists require no more of their parts, so
/// that naming a composition instantiates none of them.
template <class A>
concept described = detail::has_info<A> && detail::has_parameters<A>;

/// A block algorithm defines messages by peers and blocks, once for both ends. lower() returns its schedule.
///
///   info                      algorithm_info; info.collective determines the contract
///   ranks                     p
///   steps()                   number of message steps; lower() adds steps of local copies where needed
///   targets(r, k, f)          calls f(rank) for every rank that r sends to in step k
///   sources(r, k, f)          calls f(rank) for every rank that r receives from in step k
///   message(src, dst, k, f)   calls f(block_interval) for every interval of blocks in that message
///   parameters(self, f)       calls f(name, self.member) for every data member
///   next(r, k), check()       optional, as in a schedule
///   active(r)                 optional: a step_range that contains all messages of r; next() defaults to it
///   window                    optional: replaces info.window
///   store()                   optional: placement of the blocks of a rank (detail/block_store.hpp)
template <class A>
concept block_algorithm = described<A> && detail::has_ranks<A> && detail::has_steps<A> && detail::has_targets<A> &&
                          detail::has_sources<A> && detail::has_message<A>;

/// An edge algorithm defines messages by peers and bytes, once for both ends. It suits collectives that combine or
/// signal. lower() returns its schedule.
///
///   info                       algorithm_info; info.collective and the parameters determine the contract
///   ranks                      p
///   steps()                    number of steps, those of local edges included
///   targets(r, k, f)           calls f(rank) once for every other rank that r sends to in step k
///   sources(r, k, f)           calls f(rank) once for every other rank that r receives from in step k
///   transfers(src, dst, k, f)  calls f(edge) for every edge from src to dst, without step and ranks
///   parameters(self, f)        calls f(name, self.member) for every data member
///   local(r, k, f)             optional: calls f(edge) for every local edge, without step and ranks
///   scratch(r)                 optional: bytes of scratch of rank r (default 0)
///   next(r, k), check()        optional, as in a schedule
///   active(r)                  optional: a step_range that contains all edges of r; next() defaults to it
///   window                     optional: replaces info.window
template <class A>
concept edge_algorithm = described<A> && detail::has_ranks<A> && detail::has_steps<A> && detail::has_targets<A> &&
                         detail::has_sources<A> && detail::has_transfers<A>;

/// A derived algorithm is composed of others; view() returns its schedule. view() may be called with wrong parameters
/// and then returns any schedule: lower() checks the parameters first.
///
///   parts(self, f)  optional: calls f(part) for every algorithm in it that info and parameters do not determine
///                   (default: the parts of the member `of`, if there is one)
template <class D>
concept derived_algorithm = described<D> && requires(const D& d) {
    { d.view() } -> schedule;
};

/// An algorithm of any of the three kinds.
template <class A>
concept algorithm = block_algorithm<A> || edge_algorithm<A> || derived_algorithm<A>;

namespace detail {

/// Returns false after a compile error for each member that X lacks or has with another type. The diagnostic names X.
template <class X>
constexpr bool explain_algorithm() {
    static_assert(has_info<X>, "an algorithm needs `static constexpr collsched::algorithm_info info`, public");
    static_assert(has_ranks<X>,
                  "an algorithm needs a data member `collsched::rank_t ranks`, public and of exactly this type");
    static_assert(has_steps<X>, "an algorithm needs `collsched::step_t steps() const`, with exactly this return type");
    static_assert(
        has_targets<X>,
        "an algorithm needs `targets(rank, step, f) const`, which calls f(rank) for every rank that it sends to");
    static_assert(has_sources<X>,
                  "an algorithm needs `sources(rank, step, f) const`, which calls f(rank) for every rank that it "
                  "receives from");
    static_assert(has_message<X> || has_transfers<X>,
                  "an algorithm needs `message(src, dst, step, f) const`, which calls f(block_interval), or "
                  "`transfers(src, dst, step, f) const`, which calls f(edge)");
    static_assert(
        has_parameters<X>,
        "an algorithm needs `static void parameters(auto& self, auto f)`, which calls f(name, self.member) for "
        "every data member");
    return false;
}
template <class X>
constexpr bool explain_schedule() {
    static_assert(has_ranks<X>,
                  "a schedule needs a data member `collsched::rank_t ranks`, public and of exactly this type");
    static_assert(has_steps<X>, "a schedule needs `collsched::step_t steps() const`");
    static_assert(has_next<X>, "a schedule needs `collsched::step_t next(rank, step) const`");
    static_assert(has_sends<X>, "a schedule needs `sends(rank, step, f) const`, which calls f(edge)");
    static_assert(has_receives<X>, "a schedule needs `receives(rank, step, f) const`, which calls f(edge)");
    static_assert(has_scratch<X>, "a schedule needs `collsched::bytes_t scratch(rank) const`");
    static_assert(has_staging<X>, "a schedule needs `collsched::bytes_t staging(rank) const`");
    static_assert(has_pacing<X>, "a schedule needs `collsched::pacing pacing() const`");
    static_assert(has_contract<X>, "a schedule needs `collsched::contract contract() const`");
    static_assert(has_check<X>, "a schedule needs `collsched::argument_error check() const`");
    static_assert(has_fingerprint<X>, "a schedule needs `std::uint64_t fingerprint() const`");
    return false;
}

template <class X>
concept meant_as_algorithm = has_targets<X> || has_sources<X> || has_message<X> || has_transfers<X>;
template <class X>
concept meant_as_schedule = !meant_as_algorithm<X> && (has_sends<X> || has_receives<X>);

/// Never satisfied. For a type with some members of an algorithm or schedule, a compile error names those that it
/// lacks.
template <class X>
concept explained =
    (meant_as_algorithm<X> && explain_algorithm<X>()) || (meant_as_schedule<X> && explain_schedule<X>());

}  // namespace detail

/// Parameter of every function that takes a schedule: a schedule, or an algorithm, which lower() makes a schedule of. A
/// type with only some members of either is a compile error that names the missing ones.
template <class X>
concept schedulable = schedule<X> || algorithm<X> || detail::explained<X>;

}}  // namespace collsched::COLLSCHED_ABI
