#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

#include "collsched/execute/plan_buffers.hpp"
#include "collsched/execute/transport.hpp"
#include "collsched/schedule/static_schedule.hpp"

/// A collective whose schedule is a constant of the program, over a transport that completes sends as they are posted: what is
/// left of a start without an engine. It shows the cost of the engine; it is for benchmarks only. Each message must be one edge.
namespace fixed_plan {

using namespace collsched;

/// An edge of a rank, and its number among the messages of its pair and direction.
struct operation {
    edge e;
    std::int64_t sequence = 0;
};

/// The operations of a rank in order: of each step the sends, then local edges, then the receives.
template <auto Make, rank_t Rank>
constexpr auto operations() {
    using schedule = static_schedule<Make>;
    constexpr auto is_mine = [](const edge& e) { return e.src == Rank || e.dst == Rank; };
    constexpr std::size_t count = [&] {
        std::size_t n = 0;
        for (const edge& e : schedule::edges) n += is_mine(e) ? std::size_t{1} : 0;
        return n;
    }();
    std::array<operation, count> all{};
    std::array<std::int64_t, 2 * schedule::ranks> next{};  // messages to each rank, and from each
    std::size_t at = 0;
    for (step_t k = 0; k < schedule::steps(); ++k)
        for (const int turn : {0, 1, 2})
            for (const edge& e : schedule::edges) {
                const int kind = e.src == e.dst ? 1 : e.src == Rank ? 0 : 2;
                if (e.step != k || !is_mine(e) || kind != turn) continue;
                const rank_t peer = kind == 0 ? e.dst : schedule::ranks + e.src;
                all[at++] = {e, kind == 1 ? 0 : next[static_cast<std::size_t>(peer)]++};
            }
    return all;
}

/// One rank's side, as often as run() is called.
template <auto Make, rank_t Rank, class Transport>
class collective {
  public:
    collective(Transport& over, const plan::buffers& buffers, const reduction& op)
        : over_(&over), buffers_(buffers), op_(op) {}

    /// Returns whether all went well.
    bool run() {
        const bool right = all_of(std::make_index_sequence<mine.size()>());
        over_->ended(this);
        ++epoch_;
        return right;
    }

  private:
    static constexpr auto mine = operations<Make, Rank>();

    template <std::size_t... I>
    bool all_of(std::index_sequence<I...>) {
        return (once<I>() && ...);
    }
    template <std::size_t I>
    bool once() {
        constexpr edge e = mine[I].e;
        constexpr detail::memory_range from{message::area_of(e.from), e.from_offset, e.size},
            into{message::area_of(e.into), e.into_offset, e.size};
        message::key key{.peer = e.src == Rank ? e.dst : e.src,
                         .epoch = epoch_,
                         .sequence = mine[I].sequence,
                         .request = {this, static_cast<std::int64_t>(I)}};
        if constexpr (e.src == Rank && e.dst == Rank) {
            const message::receive_part target = buffers_.writable(into);
            const std::byte* const source = buffers_.readable(from).data;
            if constexpr (e.combines()) op_.combine(op_.context, target.data, source, e.size, e.action);
            else std::memcpy(target.data, source, static_cast<std::size_t>(e.size));
            return true;
        } else if constexpr (e.src == Rank) {
            const message::send_part part = buffers_.readable(from);
            return over_->post_send(key, {&part, 1}) == already_complete;
        } else if constexpr (e.combines()) {
            return is_received(
                over_->post_recv_combine(key, {buffers_.writable(into), buffers_.readable(into), e.action, &op_}));
        } else {
            const message::receive_part part = buffers_.writable(into);
            return is_received(over_->post_recv(key, {&part, 1}));
        }
    }
    bool is_received(int posted) {
        if (posted != 0) return posted == already_complete;
        const completion c = over_->wait_any(forever);
        return c.request.owner == this && c.error == 0;
    }

    Transport* over_;
    plan::buffers buffers_;
    reduction op_;
    std::uint64_t epoch_ = 0;
};

}  // namespace fixed_plan
