#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "collsched/core/detail/splitmix64.hpp"
#include "collsched/execute/mock_network/detail/mock_message.hpp"
#include "collsched/execute/mock_network/detail/mock_options.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Deterministic network in one thread, for tests. Time is virtual: a poll takes a nanosecond, a wait skips the time in
/// which nothing happens. A wait without limit ends with would_block if only another rank can end it.
///
/// A message is in flight from the match of its ends until it arrives. A message that finds a window full waits. Eager
/// sends count from their posting, against other eager sends alone: where these find the window full, they wait for
/// their receives. So no window can block messages that are posted in another order at the other end.
class mock_network {
  public:
    using options = detail::mock_options;  ///< behavior of a network; `.seed = 7, .reorder = true`, for example
    using faults = detail::mock_faults;    ///< faults that a network injects: options::faults
    using error = detail::mock_error;      ///< errors of messages, as `error::peer_died`
    class group;                           ///< all ranks of a schedule over one network; in mock_network/mock_run.hpp

    /// Virtual time that never comes.
    static constexpr std::int64_t end_of_time = std::numeric_limits<std::int64_t>::max();

    /// Messages of a rank.
    struct load {
        std::int64_t sends = 0,  ///< number of sends
            receives = 0;        ///< number of receives
    };
    using victim = detail::mock_victim;  ///< the end of a message that a fault struck

    /// Network at time 0. @param ranks  number of ranks, 1 or more @param behavior  default: orderly, without faults
    explicit mock_network(rank_t ranks, const options& behavior = {})
        : options_(behavior), random_(behavior.seed), boxes_(static_cast<std::size_t>(ranks)) {}

    rank_t ranks() const { return static_cast<rank_t>(boxes_.size()); }  ///< number of ranks. @return 1 or more
    std::int64_t now() const { return now_; }                            ///< virtual time. @return nanoseconds
    /// Largest numbers of messages that were posted and not reported. @param rank  0 .. p-1 @return sends and receives
    load most_in_flight(rank_t rank) const { return box_of(rank).largest; }
    std::int64_t reported() const { return reported_; }  ///< completions returned to all ranks. @return their number
    /// Last end that a fault of a post, a message or a completion struck. @return valid as long as the network
    const victim& struck() const { return victim_; }
    /// Returns whether a rank has died, by faults::dead or kill(). @param rank  0 .. p-1 @return false before its time
    bool is_dead(rank_t rank) const { return box_of(rank).dead; }
    /// Draws the entry that is next. @param n  number of entries, 1 or more @return 0; 0 .. n-1 with options::reorder
    std::size_t any_of(std::size_t n) {
        return options_.reorder ? static_cast<std::size_t>(draw(static_cast<std::int64_t>(n) - 1)) : 0;
    }

    /// Skips the time until the next event. @param deadline  latest time @return false: no event until then, same time
    bool skip(std::int64_t deadline = end_of_time) {
        const std::int64_t next = next_event();
        if (next == end_of_time || next > deadline) return false;
        pass(next);
        return true;
    }
    /// Skips the time until `deadline`, and carries the messages that are due. @param deadline  nanoseconds
    void pass(std::int64_t deadline) {
        now_ = std::max(now_, deadline);
        if (may_die() && now_ >= options_.faults.dies_at) kill(options_.faults.dead);
        carry();
    }

    /// Lets a rank die now: its endpoint does nothing any more, and messages with it fail. @param dead  0 .. p-1
    void kill(rank_t dead) {
        box_of(dead).dead = true;
        const auto dies = [&](const end& side) {
            if (side.rank != dead && side.key.peer != dead) return false;
            if (side.rank != dead && !side.eager) report(side, error::peer_died);
            return true;
        };
        for (box& mailbox : boxes_) {
            std::erase_if(mailbox.sends, dies);
            std::erase_if(mailbox.receives, dies);
            if (options_.faults.reports_death) mailbox.deaths.push_back(dead);
        }
        for (std::vector<detail::mock_message>* list : {&waiting_, &in_flight_})
            std::erase_if(*list, [&](const auto& message) { return dies(message.send) && dies(message.receive); });
        box_of(dead).reports.clear();
    }

    /// Transport of one rank. All endpoints of a rank are equivalent.
    class endpoint {
      public:
        /// Transport of a rank. @param network  outlives the endpoint @param rank  0 .. ranks()-1
        endpoint(mock_network& network, rank_t rank) : network_(&network), rank_(rank) {}

        int post_send(const message::key& key, std::span<const message::send_part> parts) {
            return network_->post({.rank = rank_, .key = key, .sends = true, .from = parts});
        }
        int post_recv(const message::key& key, std::span<const message::receive_part> parts) {
            return network_->post({.rank = rank_, .key = key, .into = parts});
        }
        completion poll() { return network_->poll(rank_); }
        completion wait_any(std::chrono::nanoseconds timeout) { return network_->wait_any(rank_, timeout); }
        void cancel(const void* owner) { network_->cancel(rank_, owner); }
        void acknowledge(rank_t rank) { std::erase(network_->box_of(rank_).deaths, rank); }

      private:
        mock_network* network_;
        rank_t rank_;
    };

    endpoint at(rank_t rank) { return {*this, rank}; }  ///< transport of a rank. @param rank  0 .. p-1 @return endpoint

  private:
    using end = detail::mock_message::end;

    /// Operations that a rank has posted and that have no match yet, and its completions that are not reported yet.
    struct box {
        std::vector<end> sends, receives;
        detail::mock_reports reports;
        load current, largest;
        bool dead = false;
        std::vector<rank_t> deaths;  // reported, and not acknowledged
    };

    box& box_of(rank_t rank) { return boxes_[static_cast<std::size_t>(rank)]; }
    const box& box_of(rank_t rank) const { return boxes_[static_cast<std::size_t>(rank)]; }
    std::vector<end>& unmatched_with(const end& side) {
        return side.sends ? box_of(side.key.peer).sends : box_of(side.rank).receives;
    }

    int post(end side) {
        if (posts_++ == options_.faults.refuse) {
            victim_ = {side.rank, side.sends, side.key};
            return options_.faults.error;
        }
        if (!has_rank(side.key.peer)) return error::no_such_rank;
        if (is_dead(side.rank)) return 0;
        count(side);
        if (options_.noise) side.spoil(random_);
        if (is_dead(side.key.peer)) report(side, error::peer_died);
        else if (!meet(side)) return leave(std::move(side));
        return 0;
    }
    /// Whether the other end is there.
    bool meet(end& side) {
        std::vector<end>& candidates = side.sends ? box_of(side.key.peer).receives : box_of(side.rank).sends;
        const auto match =
            std::find_if(candidates.begin(), candidates.end(), [&](const end& e) { return e.meets(side); });
        if (match == candidates.end()) return false;
        std::swap(*match, candidates.back());
        detail::mock_message message{
            .send = std::move(side), .receive = std::move(candidates.back()), .number = matches_++};
        candidates.pop_back();
        if (!message.send.sends) std::swap(message.send, message.receive);
        if (message.send.eager) depart(std::move(message));
        else waiting_.push_back(std::move(message));
        carry();
        return true;
    }
    int leave(end side) {
        const bool early = side.sends && options_.eager && has_room(side.rank, side.key.peer, true);
        const bool at_once = early && options_.at_once && draw(1) == 1;
        if (early) side.take();
        if (at_once) discount(side.rank, true);
        else if (early) report(side, 0);
        unmatched_with(side).push_back(std::move(side));
        return at_once ? already_complete : 0;
    }
    void count(const end& side) {
        load &current = box_of(side.rank).current, &largest = box_of(side.rank).largest;
        ++(side.sends ? current.sends : current.receives);
        largest = {std::max(largest.sends, current.sends), std::max(largest.receives, current.receives)};
    }
    void discount(rank_t rank, bool sends) { --(sends ? box_of(rank).current.sends : box_of(rank).current.receives); }

    bool has_room(rank_t src, rank_t dst, bool early) const {
        if (options_.pair_window == 0 && options_.rank_window == 0) return true;
        std::int64_t pair_count = 0, src_count = 0, dst_count = 0;
        const auto visit = [&](rank_t sender, rank_t receiver) {
            pair_count += sender == src && receiver == dst ? 1 : 0;
            src_count += sender == src || receiver == src ? 1 : 0;
            dst_count += sender == dst || receiver == dst ? 1 : 0;
        };
        for (const detail::mock_message& message : in_flight_) visit(message.send.rank, message.receive.rank);
        for (const box& mailbox : boxes_)
            for (const end& side : mailbox.sends)
                if (early && side.eager) visit(side.rank, side.key.peer);
        return (options_.pair_window == 0 || pair_count < options_.pair_window) &&
               (options_.rank_window == 0 || std::max(src_count, dst_count) < options_.rank_window);
    }

    void depart(detail::mock_message message) {
        message.arrival = now_ + draw(options_.delay);
        in_flight_.push_back(std::move(message));
    }

    /// Starts the messages for which there is room, and ends those whose time has come.
    void carry() {
        for (bool progress = true; progress;) {
            progress = false;
            for (std::size_t i = 0; i < waiting_.size(); ++i) {
                std::swap(waiting_[i], waiting_[i + any_of(waiting_.size() - i)]);
                if (!has_room(waiting_[i].send.rank, waiting_[i].receive.rank, false)) continue;
                depart(std::move(waiting_[i]));
                waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i--));
            }
            for (std::size_t i = 0; i < in_flight_.size(); ++i) {
                if (in_flight_[i].arrival > now_) continue;
                arrive(in_flight_[i]);
                in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(i--));
                progress = true;
            }
        }
    }
    std::int64_t draw(std::int64_t limit) { return limit > 0 ? random_.between(0, limit) : 0; }

    void arrive(const detail::mock_message& message) {
        int code = message.has_one_size() ? 0 : error::size_mismatch;
        if (message.send.key.fingerprint != message.receive.key.fingerprint) code = error::disagreement;
        if (message.number == options_.faults.fail) {
            victim_ = {message.receive.rank, false, message.receive.key};
            code = options_.faults.error;
        }
        if (code == 0) message.carry();
        if (!message.send.eager) report(message.send, code);
        report(message.receive, code);
    }

    void report(const end& side, int code) {
        const std::int64_t number = completions_++;
        const faults& planned = options_.faults;
        if (number == planned.lose || number == planned.repeat) victim_ = {side.rank, side.sends, side.key};
        if (number == planned.lose) return discount(side.rank, side.sends);
        for (int times = 0; times < (number == planned.repeat ? 2 : 1); ++times)
            box_of(side.rank).reports.push(
                {{side.key.request, code, side.key.peer}, now_ + draw(options_.delay), side.sends, times > 0});
    }
    bool has_rank(rank_t rank) const { return rank >= 0 && rank < ranks(); }
    bool may_die() const { return has_rank(options_.faults.dead) && !is_dead(options_.faults.dead); }
    completion poll(rank_t rank) { return pass(now_ + 1), report_one(rank); }

    completion wait_any(rank_t rank, std::chrono::nanoseconds timeout) {
        const std::int64_t deadline = timeout.count() < end_of_time - now_ ? now_ + timeout.count() : end_of_time;
        completion next = poll(rank);
        while (next.empty() && skip(deadline)) next = report_one(rank);
        if (next.empty() && deadline == end_of_time) next.error = error::would_block;
        else if (next.empty()) pass(deadline);
        return next;
    }

    completion report_one(rank_t rank) {
        const auto entry = box_of(rank).reports.pop(now_, [&](std::size_t n) { return any_of(n); });
        const bool reports_death =
            entry.report.request.owner == nullptr && !is_dead(rank) && !box_of(rank).deaths.empty();
        if (reports_death) return {{}, error::peer_died, box_of(rank).deaths.front()};
        if (entry.report.request.owner == nullptr) return {};
        if (!entry.repeated) discount(rank, entry.sends);
        ++reported_;
        return entry.report;
    }

    /// When something will happen that has not happened yet.
    std::int64_t next_event() const {
        std::int64_t next = end_of_time;
        const auto visit = [&](std::int64_t time) { next = time > now_ ? std::min(next, time) : next; };
        if (may_die()) visit(options_.faults.dies_at);
        for (const detail::mock_message& message : in_flight_) visit(message.arrival);
        for (const box& mailbox : boxes_) mailbox.reports.for_each_due(visit);
        return next;
    }

    /// Withdraws an owner's operations except eager sends. The other end of a matched message waits for a new match.
    void cancel(rank_t rank, const void* owner) {
        const auto is_withdrawn = [&](const end& side) {
            if (side.eager || side.rank != rank || side.key.request.owner != owner) return false;
            discount(rank, side.sends);
            return true;
        };
        for (std::vector<detail::mock_message>* list : {&waiting_, &in_flight_})
            std::erase_if(*list, [&](detail::mock_message& message) {
                if (is_withdrawn(message.send))
                    return unmatched_with(message.receive).push_back(std::move(message.receive)), true;
                if (is_withdrawn(message.receive))
                    return unmatched_with(message.send).push_back(std::move(message.send)), true;
                return false;
            });
        for (box& mailbox : boxes_) {
            std::erase_if(mailbox.sends, is_withdrawn);
            std::erase_if(mailbox.receives, is_withdrawn);
        }
        box_of(rank).reports.cancel(owner, [&](const auto& entry) {
            if (!entry.repeated) discount(rank, entry.sends);
        });
    }

    options options_;
    detail::splitmix64 random_;
    std::vector<box> boxes_;
    std::vector<detail::mock_message> waiting_, in_flight_;  // met; waiting for room, and on their way
    std::int64_t now_ = 0, posts_ = 0, matches_ = 0, completions_ = 0, reported_ = 0;
    victim victim_;
};

}}  // namespace collsched::COLLSCHED_ABI
