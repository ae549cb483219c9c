#pragma once

#include <concepts>

#include "collsched/core/byte_range.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/argument_error.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/cost/picoseconds.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

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
