#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The work of one rank in a simulated run, in the order in which an execution goes through it over mpi_transport:
/// sends and receives that are ready start in turns, a send first; then local work; then one request that is complete is
/// taken. Vertices are those of an execution_graph.
class message_queues {
  public:
    static constexpr std::int64_t nothing = -1;

    void add_send(std::int64_t i) { sends_.push_back(i); }
    void add_receive(std::int64_t i) { receives_.push_back(i); }
    void add_local(std::int64_t i) { local_.push_back(i); }

    /// Begins new turns with a send.
    void restart_turns() { send_next_ = true; }
    /// Removes and returns the next send or receive that may start, or nothing.
    std::int64_t take_message() {
        const std::int64_t i = take(send_next_ ? sends_ : receives_);
        const std::int64_t message = i != nothing ? i : take(send_next_ ? receives_ : sends_);
        send_next_ = send_next_ != (message != nothing);
        return message;
    }
    /// Removes and returns the next local work, or nothing.
    std::int64_t take_local() {
        const std::int64_t i = take(local_);
        send_next_ = send_next_ != (i != nothing);
        return i;
    }

    /// Adds a message that is in flight; `buffered` if it is a send that is complete already.
    void add_request(std::int64_t i, bool buffered) {
        requests_.push_back({i, buffered});
        buffered_ += buffered ? 1 : 0;
    }
    /// Removes and returns a request that is complete, or nothing: the first buffered send, else the first one for which
    /// is_complete(i) is true. The last request takes its position, as in mpi_transport. O(requests).
    template <class F>
    std::int64_t take_complete(F is_complete) {
        const auto found = std::find_if(requests_.begin(), requests_.end(), [&](const request& r) {
            return buffered_ > 0 ? r.buffered : is_complete(r.vertex);
        });
        if (found == requests_.end()) return nothing;
        const request match = *found;
        buffered_ -= match.buffered ? 1 : 0;
        *found = requests_.back();
        requests_.pop_back();
        return match.vertex;
    }

  private:
    struct request {
        std::int64_t vertex;
        bool buffered;
    };

    static std::int64_t take(std::deque<std::int64_t>& list) {
        if (list.empty()) return nothing;
        const std::int64_t first = list.front();
        list.pop_front();
        return first;
    }

    std::deque<std::int64_t> sends_, receives_, local_;  // ready work, in the order in which it became ready
    std::vector<request> requests_;
    std::int64_t buffered_ = 0;  // number of requests that are buffered sends
    bool send_next_ = true;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
