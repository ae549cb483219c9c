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
concept schedule = requires(const S& s, rank_t r, step_t k, detail::any_call f) {
    { s.ranks } -> std::same_as<const rank_t&>;
    { s.steps() } -> std::same_as<step_t>;
    { s.next(r, k) } -> std::same_as<step_t>;
    s.sends(r, k, f);
    s.receives(r, k, f);
    { s.scratch(r) } -> std::same_as<bytes_t>;
    { s.staging(r) } -> std::same_as<bytes_t>;
    { s.pacing() } -> std::same_as<pacing>;
    { s.contract() } -> std::same_as<contract>;
    { s.check() } -> std::same_as<argument_error>;
    { s.fingerprint() } -> std::same_as<std::uint64_t>;
};

/// What says of itself what it is, down to every parameter. Compositions and lists ask no more of their parts, so that to name
/// one instantiates none of them.
template <class A>
concept described = requires(const A& a, detail::any_call f) {
    { A::info } -> std::convertible_to<algorithm_info>;
    A::parameters(a, f);
};

/// A block algorithm names peers and blocks, once for both ends of a message. lower() makes a schedule of it.
///
///   info                      what it says of itself; info.collective fixes the contract
///   ranks                     p
///   steps()                   message steps; the lowering adds steps of local copies where it must
///   targets(r, k, f)          f(rank) for every rank that r sends to in step k
///   sources(r, k, f)          f(rank) for every rank that r hears from in step k
///   message(src, dst, k, f)   f(block_interval) for every interval of blocks in that message
///   parameters(self, f)       f(name, member) for every parameter that tells two values apart
///   next(r, k), check()       optional
///   active(r)                 optional: a step_range that holds all messages of r; without next(), that follows from it
///   window                    optional: how many steps may be in flight, in place of info.window
///   store()                   optional: where a rank keeps the blocks it holds (block_store.hpp)
template <class A>
concept block_algorithm = described<A> && requires(const A& a, rank_t r, step_t k, detail::any_call f) {
    { a.ranks } -> std::same_as<const rank_t&>;
    { a.steps() } -> std::same_as<step_t>;
    a.targets(r, k, f);
    a.sources(r, k, f);
    a.message(r, r, k, f);
};

/// An edge algorithm names peers and bytes, once for both ends of a message: for what does not bring blocks to where
/// they belong, but combines on the way, or signals. lower() makes a schedule of it.
///
///   info                       what it says of itself; info.collective, and the parameters that it has, fix the contract
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
concept edge_algorithm = described<A> && requires(const A& a, rank_t r, step_t k, detail::any_call f) {
    { a.ranks } -> std::same_as<const rank_t&>;
    { a.steps() } -> std::same_as<step_t>;
    a.targets(r, k, f);
    a.sources(r, k, f);
    a.transfers(r, r, k, f);
};

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

template <class X>
concept has_some_algorithm_member = requires(const X& x, rank_t r, step_t k, any_call f) { x.targets(r, k, f); } ||
                                    requires(const X& x, rank_t r, step_t k, any_call f) { x.sources(r, k, f); } ||
                                    requires(const X& x, rank_t r, step_t k, any_call f) { x.message(r, r, k, f); } ||
                                    requires(const X& x, rank_t r, step_t k, any_call f) { x.transfers(r, r, k, f); };
template <class X>
concept has_some_schedule_member = requires(const X& x, rank_t r, step_t k, any_call f) { x.sends(r, k, f); } ||
                                   requires(const X& x, rank_t r, step_t k, any_call f) { x.receives(r, k, f); };

/// False, and a compile error per member that X lacks or has with another type. X is this function's template argument.
template <class X>
constexpr bool explain_algorithm() {
    static_assert(
        requires {
            { X::info } -> std::convertible_to<algorithm_info>;
        }, "an algorithm needs `static constexpr collsched::algorithm_info info`, public");
    static_assert(
        requires(const X& x) {
            { x.ranks } -> std::same_as<const rank_t&>;
        }, "an algorithm needs a data member `collsched::rank_t ranks`, public and of exactly this type");
    static_assert(
        requires(const X& x) {
            { x.steps() } -> std::same_as<step_t>;
        }, "an algorithm needs `collsched::step_t steps() const`, with exactly this return type");
    static_assert(
        requires(const X& x, rank_t r, step_t k, any_call f) { x.targets(r, k, f); },
        "an algorithm needs `targets(rank, step, f) const`, which calls f(rank) for every rank that it sends to");
    static_assert(
        requires(const X& x, rank_t r, step_t k, any_call f) { x.sources(r, k, f); },
        "an algorithm needs `sources(rank, step, f) const`, which calls f(rank) for every rank that it receives from");
    static_assert(
        requires(const X& x, rank_t r, step_t k, any_call f) { x.message(r, r, k, f); } ||
            requires(const X& x, rank_t r, step_t k, any_call f) { x.transfers(r, r, k, f); },
        "an algorithm needs `message(src, dst, step, f) const`, which calls f(block_interval), or "
        "`transfers(src, dst, step, f) const`, which calls f(edge)");
    static_assert(
        requires(const X& x, any_call f) { X::parameters(x, f); },
        "an algorithm needs `static void parameters(auto& self, auto f)`, which calls f(name, self.member) for "
        "every data member");
    return false;
}
template <class X>
constexpr bool explain_schedule() {
    static_assert(
        requires(const X& x) {
            { x.ranks } -> std::same_as<const rank_t&>;
        }, "a schedule needs a data member `collsched::rank_t ranks`, public and of exactly this type");
    static_assert(
        requires(const X& x) {
            { x.steps() } -> std::same_as<step_t>;
        }, "a schedule needs `collsched::step_t steps() const`");
    static_assert(
        requires(const X& x, rank_t r, step_t k) {
            { x.next(r, k) } -> std::same_as<step_t>;
        }, "a schedule needs `collsched::step_t next(rank, step) const`");
    static_assert(
        requires(const X& x, rank_t r, step_t k, any_call f) { x.sends(r, k, f); },
        "a schedule needs `sends(rank, step, f) const`, which calls f(edge)");
    static_assert(
        requires(const X& x, rank_t r, step_t k, any_call f) { x.receives(r, k, f); },
        "a schedule needs `receives(rank, step, f) const`, which calls f(edge)");
    static_assert(
        requires(const X& x, rank_t r) {
            { x.scratch(r) } -> std::same_as<bytes_t>;
        }, "a schedule needs `collsched::bytes_t scratch(rank) const`");
    static_assert(
        requires(const X& x, rank_t r) {
            { x.staging(r) } -> std::same_as<bytes_t>;
        }, "a schedule needs `collsched::bytes_t staging(rank) const`");
    static_assert(
        requires(const X& x) {
            { x.pacing() } -> std::same_as<pacing>;
        }, "a schedule needs `collsched::pacing pacing() const`");
    static_assert(
        requires(const X& x) {
            { x.contract() } -> std::same_as<contract>;
        }, "a schedule needs `collsched::contract contract() const`");
    static_assert(
        requires(const X& x) {
            { x.check() } -> std::same_as<argument_error>;
        }, "a schedule needs `collsched::argument_error check() const`");
    static_assert(
        requires(const X& x) {
            { x.fingerprint() } -> std::same_as<std::uint64_t>;
        }, "a schedule needs `std::uint64_t fingerprint() const`");
    return false;
}

/// Not satisfied. For a type that was meant as an algorithm or a schedule, a compile error names what it lacks.
template <class X>
concept explained = (has_some_algorithm_member<X> && explain_algorithm<X>()) ||
                    (!has_some_algorithm_member<X> && has_some_schedule_member<X> && explain_schedule<X>());

}  // namespace detail

/// Parameter of every function that takes a schedule: a schedule, or an algorithm that lower() makes one of.
///
/// A type that has some members of either and not all is a compile error that names the missing ones.
template <class X>
concept schedulable = schedule<X> || algorithm<X> || detail::explained<X>;

}}  // namespace collsched::COLLSCHED_ABI
