#pragma once

#include <concepts>
#include <cstdint>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/byte_range.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Time or duration in picoseconds (10^-12 s).
using picoseconds = std::int64_t;

/// Returns floor(bytes * rate / 1000) picoseconds; not ok() only if the result exceeds 64 bits.
///
/// @param bytes  0 or more
/// @param rate   femtoseconds per byte, 0 or more
constexpr checked time_at(bytes_t bytes, std::int64_t rate) {
    const bytes_t remainder = bytes % 1000;
    return checked(bytes / 1000) * rate + checked(remainder) * (rate / 1000) +
           checked(remainder * (rate % 1000) / 1000);
}

namespace detail {

/// Returns the time from the first to the last byte of a message: time_at(bytes - 1, rate), 0 for a signal.
///
/// @param bytes  0 or more
/// @param rate   femtoseconds per byte, 0 or more
constexpr checked stream_at(bytes_t bytes, std::int64_t rate) { return time_at(bytes - (bytes > 0 ? 1 : 0), rate); }

}  // namespace detail

/// Returns the rate round(10^9 / b) in femtoseconds per byte of bandwidth b.
/// @param megabytes_per_second  b in 10^6 bytes per second, above 0, at most 2 * 10^9
constexpr std::int64_t byte_fs_of(double megabytes_per_second) {
    return static_cast<std::int64_t>(1e9 / megabytes_per_second + 0.5);
}
/// Returns microseconds in picoseconds, rounded to nearest.
/// @param us  0 up to about 9 * 10^12
constexpr picoseconds ps_of_us(double us) { return static_cast<picoseconds>(us * 1e6 + 0.5); }

/// Cost model of messages and local work, in picoseconds with overflow detection. A single message of m bytes takes
/// sending + stream + flight + receiving.
///
///   sending(src, dst, m, opens)  time that the message occupies the sender's processor; `opens`: first message of the pair
///   connection(opens)            initial part of that time
///   stream(m)                    time from first to last byte at each of the two network interfaces
///   gap()                        idle time of an interface after a message
///   flight(src, dst)             time from departure to arrival of a byte
///   receiving(src, dst, opens)   time that the message occupies the receiver's processor after arrival
///   copy(m), combine(m)          processor time of a local copy or combination
///   check()                      the first error in the model
///   ranks()                      optional: the number of ranks of the model
template <class M>
concept message_cost = requires(const M& m, rank_t r, bytes_t bytes, bool opens) {
    { m.sending(r, r, bytes, opens) } -> std::same_as<checked>;
    { m.connection(opens) } -> std::same_as<checked>;
    { m.stream(bytes) } -> std::same_as<checked>;
    { m.gap() } -> std::same_as<checked>;
    { m.flight(r, r) } -> std::same_as<checked>;
    { m.receiving(r, r, opens) } -> std::same_as<checked>;
    { m.copy(bytes) } -> std::same_as<checked>;
    { m.combine(bytes) } -> std::same_as<checked>;
    { m.check() } -> std::same_as<argument_error>;
};

namespace detail {

/// Returns the first error in a model for `ranks` ranks, or no error.
template <class Model>
constexpr argument_error check_model(const Model& model, rank_t ranks) {
    if (argument_error error = model.check()) return error;
    if constexpr (requires { model.ranks(); })
        if (model.ranks() != ranks) return {"ranks", ranks, "as many ranks as the model has"};
    return {};
}

}  // namespace detail

}}  // namespace collsched::COLLSCHED_ABI
