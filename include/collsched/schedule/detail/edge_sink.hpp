#pragma once

#include <type_traits>

#include "collsched/core/edge.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Reference to a callable that takes an edge, of one type for all callables: a template that receives it is
/// instantiated once. Copyable; the callable must outlive it. A call costs one virtual call.
class edge_sink {
  public:
    constexpr void operator()(const edge& e) const { target_->take(e); }

    /// Calls generate(sink) with a sink that refers to f, or with f if f is an edge_sink.
    template <class F, class Generate>
    static constexpr void pass(F& f, const Generate& generate) {
        if constexpr (std::is_same_v<std::remove_const_t<F>, edge_sink>) {
            generate(f);
        } else {
            const reference<F> target(f);
            generate(edge_sink(target));
        }
    }

  private:
    struct receiver {
        constexpr virtual void take(const edge&) const = 0;

      protected:
        constexpr ~receiver() = default;
    };
    template <class F>
    struct reference final : receiver {
        constexpr explicit reference(F& f) : callable(f) {}
        constexpr void take(const edge& e) const override { callable(e); }
        F& callable;
    };

    constexpr explicit edge_sink(const receiver& target) : target_(&target) {}
    const receiver* target_;
};

/// Calls s.sends(r, k, f) through an edge_sink: one instantiation per schedule.
template <class S, class F>
constexpr void sends_of(const S& s, rank_t r, step_t k, F f) {
    edge_sink::pass(f, [&](const edge_sink& sink) { s.sends(r, k, sink); });
}

/// Calls s.receives(r, k, f) through an edge_sink: one instantiation per schedule.
template <class S, class F>
constexpr void receives_of(const S& s, rank_t r, step_t k, F f) {
    edge_sink::pass(f, [&](const edge_sink& sink) { s.receives(r, k, sink); });
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
