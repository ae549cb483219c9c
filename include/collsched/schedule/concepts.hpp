#pragma once

#include <concepts>

#include "collsched/core/edge.hpp"
#include "collsched/core/argument_error.hpp"
#include "collsched/schedule/contract.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// How far a rank may run ahead: window 0 follows data and signals alone; window w starts the edges of step k when all
/// its own edges of steps <= k-w are complete.
struct pacing {
    step_t window = 0;
    bool operator==(const pacing&) const = default;
};

/// What an algorithm says of itself, for lists and documentation.
struct algorithm_info {
    collsched::collective collective = collsched::collective::barrier;
    const char* name = "";      ///< "neighbor-exchange"
    const char* ranks = "any";  ///< "any", "even", "power_of_two" or a text
    const char* rounds = "";    ///< a formula in p
    const char* source = "";    ///< paper or book
    bool commutative = false;   ///< reorders the operands of a reduction
    step_t window = 0;          ///< pacing
    std::int64_t variant = 0;   ///< tells algorithms of one name apart
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
concept has_contract = requires(const S& s) {
    { s.contract() } -> std::same_as<contract>;
};
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

/// A schedule answers what rank r does in step k by calling a sink. All of it is pure: equal values, equal edges, on
/// every rank and compiler.
///
///   ranks              p
///   steps()            steps are numbered 0 .. steps()-1
///   next(r, k)         the first step >= k in which rank r may have something to do, or steps()
///   sends(r, k, f)     f(edge) for every edge that leaves r in step k, local ones included
///   receives(r, k, f)  f(edge) for every edge that enters r in step k from another rank
///   scratch(r)         bytes of scratch that rank r needs
///   staging(r)         the most bytes of incoming combines that rank r has in one step
///   pacing()           how far a rank may run ahead
///   contract()         what the whole promises; sizes of input and output follow from it
///   check()            the first thing wrong with the parameters; while it reports an error, only check() may be called
///   fingerprint()      64-bit hash of the canonical description
///   busy(r)            optional: step_ranges that hold all that r does, for those who look from the end
///   scratchless        optional, static: no rank needs scratch, so that not all need be asked
template <class S>
concept schedule =
    detail::has_ranks<S> && detail::has_steps<S> && detail::has_next<S> && detail::has_sends<S> &&
    detail::has_receives<S> && detail::has_scratch<S> && detail::has_staging<S> && detail::has_pacing<S> &&
    detail::has_contract<S> && detail::has_check<S> && detail::has_fingerprint<S>;

/// What says of itself what it is, down to every parameter. Compositions and lists ask no more of their parts, so that to name
/// one instantiates none of them.
template <class A>
concept described = detail::has_info<A> && detail::has_parameters<A>;

/// A block algorithm names peers and blocks, once for both ends of a message. lower() makes a schedule of it.
///
///   info                      its algorithm_info; info.collective fixes the contract
///   ranks                     p
///   steps()                   message steps; the lowering adds steps of local copies where it must
///   targets(r, k, f)          f(rank) for every rank that r sends to in step k
///   sources(r, k, f)          f(rank) for every rank that r hears from in step k
///   message(src, dst, k, f)   f(block_interval) for every interval of blocks in that message
///   parameters(self, f)       f(name, member) for every parameter that tells two values apart
///   next(r, k), check()       optional
///   active(r)                 optional: a step_range that holds all messages of r; without next(), that follows from it
///   window                    optional: how many steps may be in flight, in place of info.window
///   store()                   optional: where a rank keeps the blocks it holds (detail/block_store.hpp)
template <class A>
concept block_algorithm = described<A> && detail::has_ranks<A> && detail::has_steps<A> && detail::has_targets<A> &&
                          detail::has_sources<A> && detail::has_message<A>;

/// An edge algorithm names peers and bytes, once for both ends of a message: for what does not bring blocks to where
/// they belong, but combines on the way, or signals. lower() makes a schedule of it.
///
///   info                       its algorithm_info; info.collective and the parameters fix the contract
///   ranks                      p
///   steps()                    all steps, those of local edges alone included
///   targets(r, k, f)           f(rank), once, for every other rank that r sends to in step k
///   sources(r, k, f)           f(rank), once, for every other rank that r hears from in step k
///   transfers(src, dst, k, f)  f(edge) for every edge from src to dst, without step and ranks
///   parameters(self, f)        f(name, member) for every parameter that tells two values apart
///   local(r, k, f)             optional: f(edge) for every local copy and combine, without step and ranks
///   scratch(r)                 optional: bytes of scratch that rank r needs, if any
///   next(r, k), check()        optional
///   active(r)                  optional: a step_range, or step_ranges, that hold all edges of r; without next(), that follows
///                              from it
///   window                     optional: how many steps may be in flight, in place of info.window
template <class A>
concept edge_algorithm = described<A> && detail::has_ranks<A> && detail::has_steps<A> && detail::has_targets<A> &&
                         detail::has_sources<A> && detail::has_transfers<A>;

/// An algorithm made from others: reversed, composed. view() is its schedule. view() may be called with wrong parameters and
/// then returns any schedule; lower() checks the parameters first.
///
///   parts(self, f)  optional: f(part) for every algorithm in it that neither info nor parameters tell apart from others; not
///                  given, it is that of the member `of`, if there is one
template <class D>
concept derived_algorithm = described<D> && requires(const D& d) {
    { d.view() } -> schedule;
};

/// An algorithm of any of the three kinds.
template <class A>
concept algorithm = block_algorithm<A> || edge_algorithm<A> || derived_algorithm<A>;

namespace detail {

/// False, and a compile error per member that X lacks or has with another type. X is this function's template argument.
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

/// Not satisfied. For a type that was meant as an algorithm or a schedule, a compile error names what it lacks.
template <class X>
concept explained =
    (meant_as_algorithm<X> && explain_algorithm<X>()) || (meant_as_schedule<X> && explain_schedule<X>());

}  // namespace detail

/// Parameter of every function that takes a schedule: a schedule, or an algorithm that lower() makes one of.
///
/// A type that has some members of either and not all is a compile error that names the missing ones.
template <class X>
concept schedulable = schedule<X> || algorithm<X> || detail::explained<X>;

}}  // namespace collsched::COLLSCHED_ABI
