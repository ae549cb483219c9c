#pragma once

#include "collsched/schedule/block_store.hpp"
#include "collsched/schedule/concepts.hpp"
#include "collsched/schedule/fingerprint.hpp"

namespace collsched {

namespace detail {

template <collective What>
struct default_store;
template <>
struct default_store<collective::allgather> {
    using type = output_store;
};

template <class A>
struct store_of : default_store<A::info.what> {};
template <class A>
    requires requires { typename A::store; }
struct store_of<A> {
    using type = typename A::store;
};

}  // namespace detail

/// The schedule of a block algorithm: peers and blocks become edges between buffers, for the layout at hand, with the
/// first use from `input`, wrap-around, gaps and zero counts, and the local copies. Refers to the algorithm.
template <block_algorithm A>
class lowered {
  public:
    rank_t ranks;

    constexpr explicit lowered(const A& algorithm)
        : ranks(algorithm.ranks), algorithm_(&algorithm), store_{algorithm.block, algorithm.ranks} {}

    constexpr step_t steps() const { return store_.steps(algorithm_->steps()); }

    constexpr step_t next(rank_t r, step_t k) const {
        const step_t last = algorithm_->steps();
        const step_t copies = store_.next_copies(r, k, last);
        step_t messages = k < last ? k : steps();
        if constexpr (requires { algorithm_->next(r, k); })
            if (k < last) messages = algorithm_->next(r, k);
        if (messages >= last) messages = steps();
        const step_t first = copies >= k && copies < messages ? copies : messages;
        return first < steps() ? first : steps();
    }

    template <class F>
    constexpr void sends(rank_t r, step_t k, F f) const {
        const step_t last = algorithm_->steps();
        store_.copies(r, k, last, [&](run_cursor from, run_cursor into) { join_runs(frame(k, r, r), from, into, f); });
        if (k < last) algorithm_->targets(r, k, [&](rank_t dst) { transfers(r, dst, k, f); });
    }

    template <class F>
    constexpr void receives(rank_t r, step_t k, F f) const {
        if (k < algorithm_->steps()) algorithm_->sources(r, k, [&](rank_t src) { transfers(src, r, k, f); });
    }

    constexpr bytes_t scratch(rank_t r) const { return store_.scratch(r); }
    constexpr bytes_t staging(rank_t) const { return 0; }
    constexpr collsched::pacing pacing() const { return {}; }
    constexpr collsched::contract contract() const {
        return {.what = A::info.what, .ranks = ranks, .blocks = algorithm_->block};
    }

    constexpr error check() const {
        if (ranks < 1) return {"ranks", ranks, "1 or more"};
        if (error wrong = algorithm_->block.check(ranks)) return wrong;
        if constexpr (requires { algorithm_->check(); }) return algorithm_->check();
        else return {};
    }

    constexpr std::uint64_t fingerprint() const { return describe(*algorithm_); }

  private:
    static constexpr edge frame(step_t k, rank_t src, rank_t dst) { return {.step = k, .src = src, .dst = dst}; }

    template <class F>
    constexpr void transfers(rank_t src, rank_t dst, step_t k, F& f) const {
        algorithm_->message(src, dst, k, [&](block_interval blocks) {
            join_runs(frame(k, src, dst), store_.read(src, k, blocks), store_.write(dst, blocks), f);
        });
    }

    const A* algorithm_;
    typename detail::store_of<A>::type store_;
};

/// The schedule of anything schedulable; a schedule is its own.
template <schedulable X>
constexpr decltype(auto) lower(const X& x) {
    if constexpr (schedule<X>) return (x);
    else return lowered<X>(x);
}

/// The first thing wrong with the parameters of x, or none.
template <schedulable X>
constexpr error check(const X& x) {
    return lower(x).check();
}

}  // namespace collsched
