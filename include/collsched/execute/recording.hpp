#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// A message of a real run, as one of its ends saw it.
struct recorded_message {
    using time = std::chrono::steady_clock::time_point;

    rank_t rank = 0;
    bool sends = false;
    message::key key{};
    bytes_t bytes = 0;
    time posted{}, complete{};  ///< equal as long as it is not complete
    int error = 0;
};

}  // namespace detail

/// Transport that records the messages of another one, for the trace of a real run. Each rank has a log of its own,
/// whose size is not limited.
template <polled_transport Inner>
class recording {
  public:
    using entry = detail::recorded_message;  ///< an entry of the log; equal for all transports

    /// Transport that records the messages of another one.
    /// @param inner  transport that carries the messages
    /// @param rank   its rank
    /// @param log    receives an entry per message, when it is posted; outlives the transport
    recording(Inner inner, rank_t rank, std::vector<entry>& log) : inner_(std::move(inner)), rank_(rank), log_(&log) {}

    int post_send(const message::key& key, std::span<const message::send_part> parts) {
        return record(key, total_bytes(parts), true, [&] { return inner_.post_send(key, parts); });
    }
    int post_recv(const message::key& key, std::span<const message::receive_part> parts) {
        return record(key, total_bytes(parts), false, [&] { return inner_.post_recv(key, parts); });
    }
    completion poll() { return record(inner_.poll()); }
    completion wait_any(std::chrono::nanoseconds timeout) { return record(inner_.wait_any(timeout)); }
    void cancel(const void* owner) { inner_.cancel(owner); }
    void ended(const void* owner)
        requires detail::has_ended<Inner>
    {
        inner_.ended(owner);
    }

  private:
    using clock = std::chrono::steady_clock;

    int record(const message::key& key, bytes_t bytes, bool sends, auto post) {
        const clock::time_point now = clock::now();
        const int code = post();
        entry record{rank_, sends, key, bytes, now, now, code == already_complete ? 0 : code};
        if (code == already_complete) record.complete = clock::now();
        if (code == 0) pending_[{key.request.owner, key.request.node}] = log_->size();
        log_->push_back(record);
        return code;
    }
    completion record(const completion& c) {
        const auto position = pending_.find({c.request.owner, c.request.node});
        if (position == pending_.end()) return c;
        (*log_)[position->second].complete = clock::now();
        (*log_)[position->second].error = c.error;
        pending_.erase(position);
        return c;
    }

    Inner inner_;
    rank_t rank_;
    std::vector<entry>* log_;
    std::map<std::pair<void*, std::int64_t>, std::size_t> pending_;  // where in the log, by token
};

}}  // namespace collsched::COLLSCHED_ABI
