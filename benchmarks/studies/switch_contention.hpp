#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "benchmarks/studies/exchange_policy.hpp"
#include "benchmarks/studies/packet_account.hpp"
#include "collsched/core/detail/splitmix64.hpp"
#include "benchmarks/studies/switch_network.hpp"

namespace collsched::switch_study {

/// The result of a complete exchange over a switch.
struct contention {
    picoseconds completion = 0;       ///< the latest finish
    owned_array<picoseconds> finish;  ///< per node: all blocks have arrived, and all its messages are acknowledged
    bytes_t bytes_sent = 0;           ///< of all nodes, including repeated packets
    bytes_t bytes_sent_again = 0;
    bytes_t bytes_delivered = 0;
    std::int64_t packets_sent = 0;
    std::int64_t packets_sent_again = 0;  ///< as many as were lost
    rank_t in_degree = 0;                 ///< largest number of nodes with packets in flight to one receiver
    bytes_t buffer_used = 0;              ///< largest number of bytes in one receiver's buffer
    argument_error error;

    /// Returns the error of network, policy or sizes, or an overflow of time. With an error, other members are not
    /// valid.
    argument_error check() const { return error; }
    bool operator==(const contention&) const = default;
};

/// One exchange over a switch. The functions before the events form the interface of rules.
template <class Rule>
class exchange_run {
    static constexpr picoseconds never = std::numeric_limits<picoseconds>::max();

    /// Kinds of events in their order at one time: events that free space precede those that occupy it.
    enum class happening : std::uint8_t { delivered, arrival, acknowledged, timeout, wake, decide, send };

    struct event {
        picoseconds time;
        happening kind;
        rank_t node, peer;
        bytes_t bytes;
        std::int64_t epoch;   // of the message when the packet was sent
        rank_t place;         // of arrivals: distance of the sender behind the receiver, so that no sender is preferred
        std::int64_t number;  // in order of creation

        bool operator>(const event& other) const {
            if (time != other.time) return time > other.time;
            if (kind != other.kind) return kind > other.kind;
            return place != other.place ? place > other.place : number > other.number;
        }
    };
    struct message {
        packet_account packets;
        std::int64_t under_way = 0, undelivered = 0;
        bool open = false;
    };
    struct packet {
        rank_t src;
        bytes_t bytes;
    };
    struct port {
        std::deque<packet> queue;
        bytes_t used = 0;
        rank_t senders = 0;
    };
    struct interface {
        std::vector<rank_t> open;
        std::size_t next = 0;  // position in `open` of the next message
        picoseconds free = 0;
        bool looks = false;  // a send event is pending
    };

  public:
    exchange_run(const block_matrix& block, rank_t ranks, const switch_network& network, Rule rule)
        : block_(block),
          ranks_(ranks),
          network_(network),
          rule_(std::move(rule)),
          random_(network.seed),
          messages_(ranks * ranks),
          ports_(ranks),
          interfaces_(ranks) {
        result_.finish = owned_array<picoseconds>(ranks);
        for (rank_t i = 0; i < ranks; ++i)
            for (rank_t j = 0; j < ranks; ++j) {
                message& m = messages_[i * ranks + j];
                m.packets = packet_account(bytes(i, j), network.packet);
                m.undelivered = m.packets.waiting();
                unfinished_ += m.undelivered != 0 ? 1 : 0;
            }
    }

    contention run() {
        rule_.begin(*this);
        while (!events_.empty() && !overflowed_) {
            const event now = events_.top();
            events_.pop();
            now_ = now.time;
            happen(now);
        }
        contention none;
        if (overflowed_) none.error = {"time", never, "an exchange of less than 2^63 picoseconds and bytes sent"};
        else if (unfinished_ > 0) none.error = {"policy", unfinished_, "a rule that opens every message at last"};
        none.error = refuse_if(none.error);
        if (none.error) return none;
        for (const picoseconds done : result_.finish) result_.completion = std::max(result_.completion, done);
        return std::move(result_);
    }

    rank_t ranks() const { return ranks_; }
    picoseconds now() const { return now_; }
    picoseconds round_trip() const { return later(network_.latency_ps, network_.latency_ps); }
    /// Returns the bytes from i to j; 0 for i == j, which needs no network.
    bytes_t bytes(rank_t i, rank_t j) const { return i == j ? 0 : block_.count(i, j); }
    bool finished(rank_t i, rank_t j) const { return messages_[i * ranks_ + j].packets.finished(); }

    /// Begins sending packets of the message from i to j on i's link, in turn with others.
    void open(rank_t i, rank_t j) {
        message& m = at(i, j);
        if (m.open || m.packets.finished()) return;
        m.open = true;
        interfaces_[i].open.push_back(j);
        look(i);
    }
    /// Stops sending packets of the message until it is opened again. Packets in flight continue.
    void close(rank_t i, rank_t j) {
        if (!at(i, j).open) return;
        at(i, j).open = false;
        std::vector<rank_t>& open = interfaces_[i].open;
        const auto where = std::ranges::find(open, j);
        if (where - open.begin() < static_cast<std::ptrdiff_t>(interfaces_[i].next)) --interfaces_[i].next;
        open.erase(where);
    }
    /// Requests woken(i, j) after a delay.
    void wake(rank_t i, rank_t j, picoseconds delay) { foresee(later(now_, delay), happening::wake, i, j); }
    void decide() {
        if (!std::exchange(deciding_, true)) foresee(now_, happening::decide, 0, 0);
    }

  private:
    message& at(rank_t i, rank_t j) { return messages_[i * ranks_ + j]; }

    picoseconds later(picoseconds time, const checked& duration) const {
        const checked sum = checked(time) + duration;
        overflowed_ = overflowed_ || !sum.ok();
        return sum.ok() ? sum.value() : never;
    }
    void foresee(picoseconds time, happening kind, rank_t node, rank_t peer, bytes_t bytes = 0,
                 std::int64_t epoch = 0) {
        const rank_t place = kind == happening::arrival ? wrap(node - peer, ranks_) : 0;
        events_.push({time, kind, node, peer, bytes, epoch, place, number_++});
    }
    void look(rank_t i) {
        interface& here = interfaces_[i];
        if (!std::exchange(here.looks, true)) foresee(std::max(now_, here.free), happening::send, i, i);
    }

    void happen(const event& now) {
        switch (now.kind) {
            case happening::delivered: return deliver(now);
            case happening::arrival: return arrive(now);
            case happening::acknowledged: return acknowledge(now);
            case happening::timeout: return notice(now);
            case happening::wake: return rule_.woken(*this, now.node, now.peer);
            case happening::decide: deciding_ = false; return rule_.decide(*this);
            case happening::send: return send(now.node);
        }
    }

    /// Sends the next packet of node i, if any may be sent.
    void send(rank_t i) {
        interface& here = interfaces_[i];
        here.looks = false;
        const std::size_t open = here.open.size();
        if (open == 0) return;
        if (network_.by_chance)
            here.next = static_cast<std::size_t>(random_.between(0, static_cast<std::int64_t>(open) - 1));
        for (std::size_t tried = 0; tried < open; ++tried) {
            if (here.next >= open) here.next = 0;
            const rank_t j = here.open[here.next++];
            const packet_account& packets = at(i, j).packets;
            if (packets.waiting() > 0 && packets.unacknowledged() < network_.window) return send(here, i, j);
        }
    }

    void send(interface& here, rank_t i, rank_t j) {
        message& m = at(i, j);
        const auto [bytes, again] = m.packets.send();
        if (m.under_way++ == 0) result_.in_degree = std::max(result_.in_degree, ++ports_[j].senders);
        ++result_.packets_sent;
        result_.bytes_sent = later(result_.bytes_sent, bytes);
        if (again) {
            ++result_.packets_sent_again;
            result_.bytes_sent_again += bytes;
        }
        here.free = later(now_, time_at(bytes, network_.send_byte_fs));
        foresee(later(here.free, network_.latency_ps), happening::arrival, i, j, bytes, m.packets.epoch());
        look(i);
    }

    void arrive(const event& now) {
        message& m = at(now.node, now.peer);
        port& there = ports_[now.peer];
        if (now.bytes > network_.buffer - there.used) {
            left(m, there);
            const picoseconds noticed = later(now_ - network_.latency_ps, network_.timeout(m.packets.timeouts()));
            return foresee(noticed, happening::timeout, now.node, now.peer, now.bytes, now.epoch);
        }
        there.used += now.bytes;
        result_.buffer_used = std::max(result_.buffer_used, there.used);
        there.queue.push_back({now.node, now.bytes});
        if (there.queue.size() == 1) drain(now.peer);
    }
    void drain(rank_t j) {
        const auto [src, bytes] = ports_[j].queue.front();
        foresee(later(now_, time_at(bytes, network_.receive_byte_fs)), happening::delivered, src, j, bytes);
    }
    static void left(message& m, port& there) {
        if (--m.under_way == 0) --there.senders;
    }

    void deliver(const event& now) {
        message& m = at(now.node, now.peer);
        port& there = ports_[now.peer];
        there.queue.pop_front();
        there.used -= now.bytes;
        left(m, there);
        result_.bytes_delivered += now.bytes;
        result_.finish[now.peer] = now_;
        foresee(later(now_, network_.latency_ps), happening::acknowledged, now.node, now.peer);
        if (!there.queue.empty()) drain(now.peer);
        if (--m.undelivered == 0) rule_.received(*this, now.node, now.peer);
    }

    void acknowledge(const event& now) {
        message& m = at(now.node, now.peer);
        m.packets.acknowledge();
        if (m.packets.finished()) {
            close(now.node, now.peer);
            --unfinished_;
            result_.finish[now.node] = now_;
            rule_.completed(*this, now.node, now.peer);
        }
        look(now.node);
    }

    void notice(const event& now) {
        const bool counts = at(now.node, now.peer).packets.lose(now.bytes, now.epoch);
        look(now.node);
        if (counts) rule_.lost(*this, now.node, now.peer);
    }

    const block_matrix& block_;
    rank_t ranks_;
    const switch_network& network_;
    Rule rule_;
    collsched::detail::splitmix64 random_;
    owned_array<message> messages_;  // [i * p + j]: from i to j
    owned_array<port> ports_;
    owned_array<interface> interfaces_;
    std::priority_queue<event, std::vector<event>, std::greater<>> events_;  // the earliest first
    contention result_;
    picoseconds now_ = 0;
    std::int64_t number_ = 0, unfinished_ = 0;
    bool deciding_ = false;
    mutable bool overflowed_ = false;
};

/// Simulates one complete exchange among `ranks` nodes on a switch under a policy, deterministically and exactly in
/// picoseconds. All nodes are ready at time 0; a node's block for itself costs nothing. About O(log n) per packet with
/// n packets in flight, in addition to the cost of the policy. A loss costs as much as a packet. Every exchange ends,
/// since a packet is lost only while another one is drained. O(p^2) memory.
template <exchange_policy Policy>
contention simulate_exchange(const block_matrix& block, rank_t ranks, const switch_network& network,
                             const Policy& policy) {
    contention none;
    if (ranks < 1 || ranks > rank_t{1} << 20) none.error = {"ranks", ranks, "1 to 2^20"};
    if (!none.error) none.error = block.check(ranks);
    if (!none.error) none.error = network.check();
    if (!none.error) none.error = policy.check(ranks);
    checked all = 0;
    for (rank_t i = 0; i < ranks && !none.error; ++i) all = all + checked(block.sent(i, ranks));
    if (!all.ok()) none.error = {"block", block.sent(0, ranks), "fewer than 2^63 bytes in all"};
    none.error = refuse_if(none.error);
    if (none.error) return none;
    auto rule = policy.rule(block, ranks);
    return exchange_run<decltype(rule)>(block, ranks, network, std::move(rule)).run();
}

}  // namespace collsched::switch_study
