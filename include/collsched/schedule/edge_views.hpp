#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "collsched/core/detail/sort.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Selection and order of the edges of a view.
enum class walk : std::uint8_t {
    by_sender,  ///< every edge once: by source, step, target, offset
    one_step,   ///< every edge of a step: by source, target, offset
    one_rank,   ///< every edge from or to one rank: by step, source, target, offset
};

/// Makes a schedule that can be copied but not assigned (it contains a capturing lambda) assignable.
template <class S>
struct assignable : std::optional<S> {
    using std::optional<S>::optional;
    assignable(const assignable&) = default;
    assignable(assignable&&) = default;
    ~assignable() = default;
    constexpr assignable& operator=(const assignable& other) {
        if (this == &other) return *this;
        this->reset();
        if (other) this->emplace(*other);
        return *this;
    }
    constexpr assignable& operator=(assignable&& other) noexcept {
        if (this == &other) return *this;
        this->reset();
        if (other) this->emplace(std::move(*other));
        return *this;
    }
};

/// Input range of edges that stores the edges of one rank and step at a time. Models std::ranges::view. It refers to a
/// schedule passed as an lvalue and owns any other.
template <schedule S, walk Walk, bool Owns>
class edge_view {
  public:
    using held_type = std::conditional_t<Owns, assignable<S>, const S*>;

    struct sentinel {};

    /// Single-pass iterator; equal to the sentinel behind the last edge.
    struct iterator {
        using value_type = edge;
        using difference_type = std::ptrdiff_t;
        using pointer = const edge*;
        using reference = const edge&;
        using iterator_concept = std::input_iterator_tag;
        using iterator_category = std::input_iterator_tag;

        constexpr const edge& operator*() const { return view->cell_[view->at_]; }
        constexpr iterator& operator++() {
            view->advance();
            return *this;
        }
        constexpr void operator++(int) { view->advance(); }
        constexpr bool operator==(sentinel) const { return view->done_; }

        edge_view* view = nullptr;
    };

    constexpr edge_view() = default;
    /// `fixed` is the rank of one_rank or the step of one_step.
    constexpr edge_view(held_type held, std::int64_t fixed) : held_(std::move(held)), fixed_(fixed) {}

    /// Restarts the view and returns an iterator to its first edge. With wrong arguments it throws bad_argument;
    /// without exceptions the view is empty.
    constexpr iterator begin() {
        const S& s = *held_;
        rank_ = Walk == walk::one_rank ? fixed_ : 0;
        step_ = Walk == walk::one_step ? fixed_ : 0;
        done_ = static_cast<bool>(refuse_if(check_walk()));
        if (!done_) {
            if (Walk != walk::one_step) step_ = s.next(rank_, 0);
            fill();
        }
        return iterator{this};
    }
    static constexpr sentinel end() { return {}; }

    /// Returns the first error in the schedule or in the rank or step, or no error.
    constexpr argument_error check_walk() const {
        const S& s = *held_;
        if (argument_error error = s.check()) return error;
        if (Walk == walk::one_rank && (fixed_ < 0 || fixed_ >= s.ranks)) return {"rank", fixed_, "0 to ranks-1"};
        if (Walk == walk::one_step && (fixed_ < 0 || fixed_ >= s.steps())) return {"step", fixed_, "0 to steps-1"};
        return {};
    }

  private:
    constexpr void advance() {
        if (++at_ < cell_.size()) return;
        next_cell();
        fill();
    }

    constexpr void next_cell() {
        const S& s = *held_;
        if constexpr (Walk == walk::one_step) {
            ++rank_;
        } else {
            if (step_ < s.steps()) step_ = s.next(rank_, step_ + 1);
            if (Walk == walk::by_sender && step_ >= s.steps() && ++rank_ < s.ranks) step_ = s.next(rank_, 0);
        }
    }

    constexpr void fill() {
        const S& s = *held_;
        cell_.clear();
        at_ = 0;
        const auto keep = [this](const edge& e) { cell_.push_back(e); };
        for (;; next_cell()) {
            done_ = rank_ >= s.ranks || (Walk != walk::by_sender && step_ >= s.steps());
            if (done_) return;
            if (step_ >= s.steps()) continue;
            s.sends(rank_, step_, keep);
            if (Walk == walk::one_rank) s.receives(rank_, step_, keep);
            if (!cell_.empty()) break;
        }
        sort(cell_.data(), static_cast<std::int64_t>(cell_.size()), precedes);
    }

    held_type held_{};
    std::int64_t fixed_ = 0;
    rank_t rank_ = 0;
    step_t step_ = 0;
    bool done_ = true;
    std::size_t at_ = 0;
    std::vector<edge> cell_;
};

template <walk Walk, class X>
constexpr auto view_of(X&& x, std::int64_t fixed) {
    using schedule_type = detail::schedule_of<std::remove_cvref_t<X>>;
    if constexpr (!std::is_same_v<std::remove_cvref_t<X>, schedule_type>)
        return edge_view<schedule_type, Walk, true>(lower(x), fixed);
    else if constexpr (std::is_lvalue_reference_v<X>) return edge_view<schedule_type, Walk, false>(&x, fixed);
    else return edge_view<schedule_type, Walk, true>(std::forward<X>(x), fixed);
}

}  // namespace detail

/// Returns a view of every edge of x, rank by rank in step order. O(edges) time for the whole view, memory of one rank
/// and step.
///
/// The view refers to x if x is an lvalue and a schedule, which must then outlive it.
/// @param x  schedule or algorithm
template <class X>
    requires schedulable<std::remove_cvref_t<X>>
constexpr auto edges(X&& x) {
    return detail::view_of<detail::walk::by_sender>(std::forward<X>(x), 0);
}

/// Returns a view of every edge of one step in canonical order. O(ranks).
/// @param x     schedule or algorithm; outlives the view if it is an lvalue and a schedule
/// @param step  0 .. steps()-1
template <class X>
    requires schedulable<std::remove_cvref_t<X>>
constexpr auto edges_at(X&& x, step_t step) {
    return detail::view_of<detail::walk::one_step>(std::forward<X>(x), step);
}

/// Returns a view of the program of one rank: every edge from, to or within it in canonical order. O(edges of the rank
/// + its steps).
/// @param x     schedule or algorithm; outlives the view if it is an lvalue and a schedule
/// @param rank  0 .. p-1
template <class X>
    requires schedulable<std::remove_cvref_t<X>>
constexpr auto program(X&& x, rank_t rank) {
    return detail::view_of<detail::walk::one_rank>(std::forward<X>(x), rank);
}

}}  // namespace collsched::COLLSCHED_ABI

template <collsched::schedule S, collsched::detail::walk Walk, bool Owns>
inline constexpr bool std::ranges::enable_view<collsched::detail::edge_view<S, Walk, Owns>> = true;
