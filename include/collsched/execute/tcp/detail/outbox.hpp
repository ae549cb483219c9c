#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

#include <asio/ip/tcp.hpp>

#include "collsched/execute/tcp/detail/frame.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail { namespace tcp {

/// An outgoing frame, and the message that follows it. Without an owner its completion is not reported.
struct outgoing {
    frame head;
    message::request request{};
    part_cursor<message::send_part> body{};
    bytes_t body_left = 0;  // bytes
    std::size_t head_sent = 0;
    bool withdrawn = false;  // the receive has been cancelled

    bool begun() const { return head_sent > 0; }
    bool ended() const { return head_sent == sizeof head && body_left == 0; }
    bool is_reply() const { return head.kind == frame_kind::data || head.kind == frame_kind::refused; }
};

static_assert(sizeof(outgoing) <= tcp_options::bytes_per_request);

/// The outgoing frames and messages to one rank, in order. Only the first may be partially written.
class outbox {
  public:
    static constexpr std::size_t max_buffers = 64;  // Asio writes no more at a time

    std::size_t size() const { return queue_.size(); }
    /// Returns the number of replies that have not been written.
    std::size_t replies() const { return replies_; }

    void push(const outgoing& item) {
        if (item.is_reply()) ++replies_;
        queue_.push_back(item);
    }

    /// Writes until the queue is empty or the socket fails, or would block. Calls sent(request) for every message written.
    template <class Sent>
    std::error_code write(asio::ip::tcp::socket& socket, Sent sent) {
        std::error_code e;
        while (!e && !queue_.empty()) {
            buffers_.clear();
            for (const outgoing& item : queue_) {
                if (buffers_.size() == max_buffers) break;
                const auto* head = reinterpret_cast<const std::byte*>(&item.head);
                if (item.head_sent < sizeof item.head)
                    buffers_.emplace_back(head + item.head_sent, sizeof item.head - item.head_sent);
                if (!append_parts(item.body, buffers_, max_buffers)) break;
            }
            written(socket.write_some(buffers_, e), sent);
        }
        return e;
    }

    /// Removes the requests that have not been started and for which drop(frame) is true.
    template <class Drop>
    void remove_requests(Drop drop) {
        std::erase_if(queue_, [&](const outgoing& item) {
            return item.head.kind == frame_kind::request && !item.begun() && drop(item.head);
        });
    }

    /// Marks the receive of this message as cancelled.
    void mark_withdrawn(std::uint64_t id) {
        for (outgoing& item : queue_)
            if (item.head.id == id && item.is_reply()) item.withdrawn = true;
    }

    /// Releases the memory of an owner. The rest of a partially written message is copied, since the other end expects
    /// all of it. Other messages are removed and returned.
    std::vector<outgoing> cancel(const void* owner) {
        std::vector<outgoing> removed;
        std::erase_if(queue_, [&](outgoing& item) {
            if (item.request.owner != owner) return false;
            if (item.begun()) return copy_tail(item);
            removed.push_back(item);
            return true;
        });
        replies_ -= removed.size();
        return removed;
    }

    /// Removes everything; calls f(request) for each.
    template <class F>
    void clear(F f) {
        for (const outgoing& item : queue_) f(item.request);
        queue_.clear();
        replies_ = 0;
    }

  private:
    template <class Sent>
    void written(std::size_t size, Sent sent) {
        while (size > 0) {
            outgoing& first = queue_.front();
            const std::size_t head = std::min(size, sizeof first.head - first.head_sent);
            const bytes_t body = std::min(static_cast<bytes_t>(size - head), first.body_left);
            first.head_sent += head;
            first.body.skip(body);
            first.body_left -= body;
            size -= head + static_cast<std::size_t>(body);
            if (!first.ended()) continue;
            sent(first.request);
            if (first.is_reply()) --replies_;
            tail_ = {};
            queue_.pop_front();
        }
    }

    bool copy_tail(outgoing& item) {
        std::vector<asio::const_buffer> parts;
        append_parts(item.body, parts, static_cast<std::size_t>(-1));
        tail_.resize(static_cast<std::size_t>(item.body_left));
        asio::buffer_copy(asio::buffer(tail_), parts);
        tail_part_ = {tail_.data(), std::ssize(tail_)};
        item.request = {};
        item.body = part_cursor(std::span<const message::send_part>(&tail_part_, 1));
        return false;
    }

    std::deque<outgoing> queue_;
    std::size_t replies_ = 0;      // in the queue
    std::vector<std::byte> tail_;  // of the first, if it was cancelled
    message::send_part tail_part_;
    std::vector<asio::const_buffer> buffers_;
};

}}}}  // namespace collsched::COLLSCHED_ABI::detail::tcp
