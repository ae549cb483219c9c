// A node: computes, receives rows from other nodes, sends on command, and joins the rows that it owns.
#pragma once

#include <set>
#include <vector>

#include "protocol.hpp"
#include "relation.hpp"

/// A node of the join, on rank self + 1.
class node {
  public:
    /// A silent node never completes its work.
    node(collsched::rank_t self, collsched::rank_t nodes, bool silent)
        : self_(self),
          nodes_(nodes),
          silent_(silent),
          received_(at(nodes)),
          packed_(at(nodes)),
          requests_(at(nodes), MPI_REQUEST_NULL) {
        for (collsched::rank_t other = 0; other < nodes; ++other)
            if (other != self) expected_.insert(other);
    }

    /// Runs the node. It receives throughout, also during the work.
    void run() {
        const std::int64_t work_ends =
            microseconds() + random_numbers(77 + static_cast<std::uint64_t>(self_)).between(1'000, 60'000);
        while (counts_ && (!finished_ || !expected_.empty())) {
            if (!worked_ && !silent_ && microseconds() >= work_ends) finish_work();
            while (const auto arrived = receive()) take(*arrived);
            if (round_ >= 0 && all_sent()) {
                notify(0, done_tag, {round_});
                round_ = -1;
            }
            rest();
        }
        if (!counts_) return;
        rows r, s;
        for (const words& content : received_) unpack(content, r, s);
        const joined found = join(r, s);
        notify(0, result_tag, {found.pairs, static_cast<std::int64_t>(found.sum), messages_, rows_});
    }

  private:
    static std::size_t at(collsched::rank_t node) { return static_cast<std::size_t>(node); }

    void finish_work() {
        left_parts_ = partition(left, self_, nodes_);
        right_parts_ = partition(right, self_, nodes_);
        worked_ = true;
        notify(0, ready_tag);
    }

    void take(const message& arrived) {
        const words& content = arrived.content;
        if (arrived.tag == data_tag && expected_.erase(arrived.node) > 0) received_[at(arrived.node)] = content;
        if (arrived.tag == finished_tag) finished_ = true, counts_ = content[0] != 0;
        if (arrived.tag == lost_tag) forget(content[0]);
        if (arrived.tag == send_tag) {
            round_ = content[0];
            for (std::size_t i = 1; i < content.size(); ++i) send(content[i]);
        }
    }

    /// Sends synchronously: the send completes when the target receives the message. A node thus receives from one
    /// sender at a time.
    void send(collsched::rank_t target) {
        const std::size_t t = at(target);
        words& content = packed_[t] = {std::ssize(left_parts_[t])};
        for (const rows* part : {&left_parts_[t], &right_parts_[t]})
            for (const row& one : *part) content.insert(content.end(), {one.key, one.value});
        if (target == self_) {
            received_[t] = content;
            return;
        }
        MPI_Issend(content.data(), static_cast<int>(content.size()), MPI_INT64_T, rank_of(target), data_tag,
                   MPI_COMM_WORLD, &requests_[t]);
        ++messages_;
        rows_ += std::ssize(content) / 2;
    }

    bool all_sent() {
        int sent = 0;
        MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &sent, MPI_STATUSES_IGNORE);
        return sent != 0;
    }

    static void unpack(const words& content, rows& r, rows& s) {
        const auto of_left = content.empty() ? 0 : static_cast<std::size_t>(content[0]);
        for (std::size_t i = 0; 2 * i + 1 < content.size(); ++i)
            (i < of_left ? r : s).push_back({content[2 * i + 1], content[2 * i + 2]});
    }

    /// Discards the rows of a lost node, and messages in flight to it are not awaited.
    void forget(collsched::rank_t lost) {
        expected_.erase(lost);
        received_[at(lost)].clear();
        MPI_Request& request = requests_[at(lost)];
        if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    }

    collsched::rank_t self_, nodes_;
    bool silent_, worked_ = false, finished_ = false, counts_ = true;
    std::set<collsched::rank_t> expected_;        ///< nodes that have not sent
    std::vector<words> received_;                 ///< [sender], including the node itself
    std::vector<rows> left_parts_, right_parts_;  ///< [target]
    std::vector<words> packed_;                   ///< [target]
    std::vector<MPI_Request> requests_;           ///< [target]
    collsched::step_t round_ = -1;                ///< sub-round in which it sends
    std::int64_t messages_ = 0, rows_ = 0;
};
