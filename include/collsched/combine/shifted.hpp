#pragma once

#include "collsched/schedule/lowering.hpp"

namespace collsched::inline v0_1 {

/// A schedule with all that it reads and writes so many bytes further on. It refers to that schedule, which must live
/// as long: what makes the same piece again and again copies nothing.
template <schedule S>
class shifted_schedule {
  public:
    rank_t ranks;

    constexpr shifted_schedule(const S& s, bytes_t by) : ranks(s.ranks), s_(&s), by_(by) {}

    constexpr step_t steps() const { return s_->steps(); }
    constexpr step_t next(rank_t r, step_t k) const { return s_->next(r, k); }
    constexpr step_ranges busy(rank_t r) const { return detail::busy_steps(*s_, r); }
    template <class F>
    constexpr void sends(rank_t r, step_t k, F f) const {
        s_->sends(r, k, [&](const edge& e) { tell(e, f); });
    }
    template <class F>
    constexpr void receives(rank_t r, step_t k, F f) const {
        s_->receives(r, k, [&](const edge& e) { tell(e, f); });
    }
    constexpr bytes_t scratch(rank_t r) const { return s_->scratch(r) > 0 ? s_->scratch(r) + by_ : 0; }
    constexpr bytes_t staging(rank_t r) const { return s_->staging(r); }
    constexpr collsched::pacing pacing() const { return s_->pacing(); }
    constexpr collsched::contract contract() const { return s_->contract(); }
    constexpr error check() const { return by_ < 0 ? error{"shift", by_, "0 bytes or more"} : s_->check(); }
    constexpr std::uint64_t fingerprint() const { return fingerprint_of("shifted", s_->fingerprint(), by_); }

  private:
    template <class F>
    constexpr void tell(edge e, F& f) const {
        e.from_offset += by_;
        e.into_offset += by_;
        f(static_cast<const edge&>(e));
    }

    const S* s_;
    bytes_t by_;
};

}  // namespace collsched::inline v0_1
