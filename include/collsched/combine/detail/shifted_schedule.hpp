#pragma once

#include "collsched/schedule/detail/schedule_adaptor.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// A schedule whose reads and writes are shifted by `offset` bytes, in scratch by `scratch_offset`. It refers to the
/// base, which must outlive it: a loop over equal segments copies nothing.
template <schedule S>
class shifted_schedule : public schedule_adaptor<shifted_schedule<S>, const S&> {
    using adaptor = schedule_adaptor<shifted_schedule, const S&>;
    using adaptor::base;

  public:
    constexpr shifted_schedule(const S& s, bytes_t offset) : shifted_schedule(s, offset, offset) {}
    constexpr shifted_schedule(const S& s, bytes_t offset, bytes_t scratch_offset)
        : adaptor(s), offset_(offset), scratch_offset_(scratch_offset) {}

    constexpr step_ranges busy(rank_t r) const { return busy_steps(base(), r); }
    constexpr void sends(rank_t r, step_t k, auto f) const {
        base().sends(r, k, [&](const edge& e) { adapt(e, f); });
    }
    constexpr void receives(rank_t r, step_t k, auto f) const {
        base().receives(r, k, [&](const edge& e) { adapt(e, f); });
    }
    constexpr void adapt(edge e, auto& f) const {
        e.from_offset += shift(e.from);
        e.into_offset += shift(e.into);
        f(static_cast<const edge&>(e));
    }
    constexpr bytes_t scratch(rank_t r) const {
        return base().scratch(r) > 0 ? base().scratch(r) + scratch_offset_ : 0;
    }
    constexpr argument_error check() const {
        for (const bytes_t shift : {offset_, scratch_offset_})
            if (shift < 0) return {"shift", shift, "0 bytes or more"};
        return base().check();
    }
    constexpr std::uint64_t fingerprint() const {
        return fingerprint_of("shifted", base().fingerprint(), offset_, scratch_offset_);
    }

  private:
    constexpr bytes_t shift(buffer b) const { return b == buffer::scratch ? scratch_offset_ : offset_; }

    bytes_t offset_, scratch_offset_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
