#pragma once

#include <concepts>

#include "collsched/core/byte_range.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/argument_error.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/cost/picoseconds.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// What the parts of a run cost, in picoseconds, checked. A message of m bytes from one rank to another, alone, takes
/// sending + stream + flight + receiving.
///
///   sending(src, dst, m, opens)  how long it keeps the sender's processor; `opens`: the first message of its ordered pair
///   connection(opens)            the part of it before anything else
///   stream(m)                    how long it passes each of the two interfaces: from its first byte to its last
///   gap()                        what an interface waits after a message
///   flight(src, dst)             how much later a byte arrives than it left
///   receiving(src, dst, opens)   how long it keeps the receiver's processor, once it is in
///   copy(m), combine(m)          of the processor, within a rank
///   check()                      the first thing wrong with the model
///   ranks()                      optional: the number of ranks that it is for
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

/// The first thing wrong with a model, for use with so many ranks.
template <class Model>
constexpr argument_error check_model(const Model& model, rank_t ranks) {
    if (argument_error error = model.check()) return error;
    if constexpr (requires { model.ranks(); })
        if (model.ranks() != ranks) return {"ranks", ranks, "as many ranks as the model has"};
    return {};
}

}  // namespace detail

}}  // namespace collsched::COLLSCHED_ABI
