#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "collsched/core/rank.hpp"
#include "collsched/execute/run_status.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Value that the members of a communicator agree on.
struct agreement_value {
    std::uint64_t flags = ~std::uint64_t{0};  ///< bitwise AND of the flags of the members
    std::uint64_t children = 0;               ///< largest number of children of the communicator
    std::vector<std::uint64_t> failed;        ///< failed ranks, one bit per rank, 64 in a word

    /// Combines the values of two members.
    void merge(const agreement_value& other) {
        flags &= other.flags;
        children = std::max(children, other.children);
        for (std::size_t i = 0; i < failed.size(); ++i) failed[i] |= other.failed[i];
    }
    void add_failed(rank_t rank) { failed[static_cast<std::size_t>(rank / 64)] |= std::uint64_t{1} << (rank % 64); }
    bool has_failed(rank_t rank) const { return failed[static_cast<std::size_t>(rank / 64)] >> (rank % 64) & 1; }
    bool operator==(const agreement_value&) const = default;
};

/// Message between two members of a communicator: a revocation, or a message of an agreement.
struct control_message {
    enum kind : std::uint64_t { revoke = 1, report, propose, accept, decide };

    std::uint64_t kind = 0;
    std::uint64_t number = 0;  ///< of the agreement: 1, 2, ...
    std::uint64_t ballot = 0;  ///< of a report: 1 + the coordinator whose proposal the sender has accepted last; or 0
    agreement_value value{};

    static std::size_t words_of_ranks(rank_t ranks) { return static_cast<std::size_t>((ranks + 63) / 64); }
    static std::size_t words(rank_t ranks) { return 5 + words_of_ranks(ranks); }
    std::vector<std::uint64_t> packed() const {
        std::vector<std::uint64_t> message{kind, number, ballot, value.flags, value.children};
        message.insert(message.end(), value.failed.begin(), value.failed.end());
        return message;
    }
    /// Returns a revocation, with the failure that is its cause.
    static control_message revocation(const run_status& cause, rank_t ranks) {
        return {revoke,
                static_cast<std::uint64_t>(cause.peer + 1),
                static_cast<std::uint64_t>(cause.rank),
                {static_cast<std::uint64_t>(cause.error), static_cast<std::uint64_t>(cause.step),
                 std::vector<std::uint64_t>(words_of_ranks(ranks))}};
    }
    /// Returns the cause of a revocation. Its numbers are those of the peer; only the ranks are checked, and -1 where there
    /// is none.
    run_status cause(rank_t ranks) const {
        const auto checked_rank = [&](std::uint64_t rank) {
            return rank < static_cast<std::uint64_t>(ranks) ? static_cast<rank_t>(rank) : -1;
        };
        return {.state = run_status::phase::failed,
                .error = static_cast<int>(value.flags),
                .step = static_cast<step_t>(value.children),
                .rank = checked_rank(ballot),
                .peer = checked_rank(number - 1)};
    }
    /// Reads a message of words(ranks) words. False if no member sends it.
    bool unpack(std::span<const std::uint64_t> words, rank_t ranks) {
        *this = {words[0], words[1], words[2], {words[3], words[4], {words.begin() + 5, words.end()}}};
        const bool has_padding = ranks % 64 != 0 && value.failed.back() >> (ranks % 64) != 0;
        return kind >= revoke && kind <= decide && ballot <= static_cast<std::uint64_t>(ranks) && !has_padding;
    }
};

/// Uniform agreement of one member: consensus by rotating coordinators (Chandra and Toueg, Unreliable failure detectors
/// for reliable distributed systems, J. ACM 43(2), 1996) with a perfect failure detector, and two phases as in Hursey
/// et al., A log-scaling fault tolerant agreement algorithm, EuroMPI 2011. The coordinator is the lowest living rank. It
/// collects a report of each living member, proposes a value, and decides it when each living member has accepted it.
/// A member that decides sends the decision to all others. After the death of a coordinator the next
/// one proposes the value of the last proposal that any report has, or else a new value.
///
/// `send(rank, control_message)` starts a message. Messages from one member to another arrive in order. lose() is
/// called for every member that dies, after its last message, and for no other one.
///
/// p members: 4 message latencies, (p-1)(p+3) messages without a death; each death of a coordinator adds 3 latencies and
/// 3 p messages.
class agreement_protocol {
  public:
    agreement_protocol(rank_t ranks, rank_t rank)
        : rank_(rank),
          failed_(static_cast<std::size_t>(ranks)),
          accepted_(failed_.size()),
          reports_(failed_.size()),
          decided_(failed_.size()) {}

    rank_t ranks() const { return std::ssize(reports_); }
    bool running() const { return running_; }
    bool has_failed(rank_t rank) const { return failed_[static_cast<std::size_t>(rank)]; }
    /// Returns whether a rank needs no message of the last agreement: it has sent its decision, or has failed.
    bool is_done(rank_t rank) const {
        return has_failed(rank) || decided_[static_cast<std::size_t>(rank)] == report_.number;
    }
    /// Returns the decision of the last agreement that has ended.
    const agreement_value& decision() const { return decision_; }

    /// Begins the next agreement with the flags and the number of children of this member.
    /// @pre !running()
    void start(std::uint64_t flags, std::uint64_t children, auto send) {
        report_ = {.kind = control_message::report, .number = report_.number + 1, .value = {flags, children, {}}};
        report_.value.failed.resize(control_message::words_of_ranks(ranks()));
        coordinator_ = -1;
        running_ = true;
        advance(send);
    }

    void handle(rank_t from, const control_message& m, auto send) {
        if (m.kind == control_message::decide) decided_[static_cast<std::size_t>(from)] = m.number;
        if (m.kind == control_message::report) reports_[static_cast<std::size_t>(from)] = m;
        if (!running_ || m.number != report_.number) return;  // a report may be early; all others are late
        if (m.kind == control_message::decide) return decide(m.value, send);
        if (m.kind == control_message::propose && from == coordinator_) {
            report_.ballot = static_cast<std::uint64_t>(from) + 1;
            report_.value = m.value;
            send(from, control_message{control_message::accept, report_.number, 0, m.value});
        }
        if (m.kind == control_message::accept && proposed_) accepted_[static_cast<std::size_t>(from)] = true;
        advance(send);
    }

    void lose(rank_t rank, auto send) {
        failed_[static_cast<std::size_t>(rank)] = true;
        advance(send);
    }

  private:
    void advance(auto send) {
        if (!running_) return;
        rank_t lowest = 0;
        while (has_failed(lowest)) ++lowest;  // ends at this rank at the latest
        if (lowest != coordinator_) {
            coordinator_ = lowest;
            proposed_ = false;
            if (lowest != rank_) send(lowest, with_failed(report_));
        }
        if (coordinator_ != rank_) return;
        if (!proposed_) {
            if (!all_living([&](std::size_t r) { return reports_[r].number == report_.number; })) return;
            propose(send);
        }
        if (proposed_ && running_ && all_living([&](std::size_t r) { return accepted_[r]; }))
            decide(report_.value, send);
    }

    /// Whether f holds for all other living members.
    bool all_living(auto f) const {
        for (rank_t r = 0; r < ranks(); ++r)
            if (r != rank_ && !has_failed(r) && !f(static_cast<std::size_t>(r))) return false;
        return true;
    }
    void send_to_living(const control_message& m, auto send) const {
        for (rank_t r = 0; r < ranks(); ++r)
            if (r != rank_ && !has_failed(r)) send(r, m);
    }
    /// Adds the failures that this member has detected, unless the value is that of a proposal.
    control_message with_failed(control_message report) const {
        for (rank_t r = 0; r < ranks() && report.ballot == 0; ++r)
            if (has_failed(r)) report.value.add_failed(r);
        return report;
    }

    void propose(auto send) {
        control_message best = with_failed(report_);
        for (const control_message& report : reports_) {
            if (report.number != report_.number) continue;
            if (report.ballot > best.ballot) best = report;
            else if (report.ballot == 0 && best.ballot == 0) best.value.merge(report.value);
        }
        report_.ballot = static_cast<std::uint64_t>(rank_) + 1;
        report_.value = std::move(best.value);
        proposed_ = true;
        accepted_.assign(accepted_.size(), false);
        send_to_living({control_message::propose, report_.number, 0, report_.value}, send);
    }

    void decide(const agreement_value& value, auto send) {
        decision_ = value;
        running_ = proposed_ = false;
        send_to_living({control_message::decide, report_.number, 0, decision_}, send);
    }

    rank_t rank_, coordinator_ = -1;  // the coordinator that has the report of this member
    bool running_ = false, proposed_ = false;
    control_message report_;  // its report: flags and failures, or the proposal that it has accepted last
    std::vector<bool> failed_, accepted_;
    std::vector<control_message> reports_;  // the last one of each member
    std::vector<std::uint64_t> decided_;    // the last agreement of each member that has decided
    agreement_value decision_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
