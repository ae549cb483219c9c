#pragma once

#include <cstdint>

#include "collsched/core/checked.hpp"
#include "collsched/core/argument_error.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/cost/picoseconds.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Hockney's model: a message of m bytes takes alpha + m beta and occupies its sender for that time. Receiving, copies
/// and combinations are free. Source: Hockney 1994.
struct hockney_model {
    picoseconds alpha_ps = 0;  ///< duration of a message without bytes
    std::int64_t beta_fs = 0;  ///< femtoseconds per byte

    /// Returns alpha + m beta.
    /// @param m  bytes, 0 or more
    constexpr checked message(bytes_t m) const { return checked(alpha_ps) + time_at(m, beta_fs); }

    constexpr checked sending(rank_t, rank_t, bytes_t m, bool) const { return message(m); }
    constexpr checked connection(bool) const { return 0; }
    constexpr checked stream(bytes_t) const { return 0; }
    constexpr checked gap() const { return 0; }
    constexpr checked flight(rank_t, rank_t) const { return 0; }
    constexpr checked receiving(rank_t, rank_t, bool) const { return 0; }
    constexpr checked copy(bytes_t) const { return 0; }
    constexpr checked combine(bytes_t) const { return 0; }

    /// Returns the first negative parameter as an error, or no error.
    constexpr argument_error check() const {
        if (alpha_ps < 0) return {"alpha", alpha_ps, "0 ps or more"};
        if (beta_fs < 0) return {"beta", beta_fs, "0 fs per byte or more"};
        return {};
    }
    bool operator==(const hockney_model&) const = default;
};

}}  // namespace collsched::COLLSCHED_ABI
