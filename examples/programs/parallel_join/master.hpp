// The master: drives a coordinator by a clock and messages.
#pragma once

#include <cstdio>
#include <vector>

#include "collsched/collective/alltoall/coordinator.hpp"
#include "protocol.hpp"
#include "relation.hpp"

/// The master of the join, on rank 0.
class master {
  public:
    master(collsched::rank_t nodes, collsched::rank_t group, collsched::alltoall::time_limits limits)
        : nodes_(nodes), exchange_({nodes, group}, limits, microseconds()) {}

    /// Runs until the exchange is over and every node has been notified.
    void coordinate() {
        while (!exchange_.finished()) {
            while (const auto arrived = receive()) note(*arrived);
            exchange_.advance(
                microseconds(), [this](command given) { send(given); }, [this](loss lost) { mourn(lost); });
            rest();
        }
        for (collsched::rank_t node = 0; node < nodes_; ++node) notify(rank_of(node), finished_tag, {alive(node)});
    }

    /// Returns the sum of the results of all nodes that are not lost.
    joined collect() {
        joined all;
        collsched::rank_t awaited = 0;
        for (collsched::rank_t node = 0; node < nodes_; ++node) awaited += alive(node);
        while (awaited > 0) {
            const auto arrived = receive();
            if (!arrived) rest();
            if (!arrived || arrived->tag != result_tag || !alive(arrived->node)) continue;
            all += {arrived->content[0], static_cast<std::uint64_t>(arrived->content[1])};
            messages_ += arrived->content[2];
            rows_ += arrived->content[3];
            --awaited;
        }
        return all;
    }

    bool alive(collsched::rank_t node) const { return !exchange_.given_up(node); }
    const std::vector<collsched::alltoall::coordinator::loss>& losses() const { return losses_; }
    collsched::step_t sub_rounds() const { return sub_rounds_; }
    std::int64_t messages() const { return messages_; }
    std::int64_t rows_sent() const { return rows_; }

  private:
    using command = collsched::alltoall::coordinator::command;
    using loss = collsched::alltoall::coordinator::loss;

    void note(const message& arrived) {
        collsched::argument_error wrong;
        if (arrived.tag == ready_tag) wrong = exchange_.ready(arrived.node, microseconds());
        if (arrived.tag == done_tag) wrong = exchange_.done(arrived.node, arrived.content[0]);
        if (wrong) std::fprintf(stderr, "refused: %s\n", wrong.text().c_str());
    }

    void send(command given) {
        words content{given.round};
        exchange_.targets(given, [&](collsched::rank_t target) { content.push_back(target); });
        notify(rank_of(given.node), send_tag, content);
        if (given.round != last_round_) ++sub_rounds_;
        last_round_ = given.round;
    }

    void mourn(loss lost) {
        losses_.push_back(lost);
        for (collsched::rank_t node = 0; node < nodes_; ++node)
            if (alive(node)) notify(rank_of(node), lost_tag, {lost.node});
    }

    collsched::rank_t nodes_;
    collsched::alltoall::coordinator exchange_;
    std::vector<loss> losses_;
    collsched::step_t sub_rounds_ = 0, last_round_ = -1;
    std::int64_t messages_ = 0, rows_ = 0;
};
