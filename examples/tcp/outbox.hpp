#pragma once

#include <deque>
#include <utility>
#include <vector>

#include <asio/ip/tcp.hpp>

#include "frame.hpp"

namespace examples {

/// An outgoing frame, and the message that follows it. Without an owner its completion is not reported.
struct outgoing {
    frame head;
    message_request request{};
    part_cursor<send_part> body{};
    std::size_t head_sent = 0;
    bool withdrawn = false;  // the receive has been cancelled

    bool begun() const { return head_sent > 0; }
    bool ended() const { return head_sent == sizeof head && body.left() == 0; }
    bool is_answer() const { return head.kind == frame_kind::data || head.kind == frame_kind::refused; }
};

static_assert(sizeof(outgoing) <= bytes_per_request);

/// The outgoing frames and messages to one rank, in order. Only the first may be partially written.
class outbox {
  public:
    static constexpr std::size_t most_buffers = 64;  // Asio takes no more at once

    std::size_t size() const { return queue_.size(); }
    /// Returns the number of replies that have not been written.
    std::size_t answers() const { return answers_; }

    void push(const outgoing& one) {
        if (one.is_answer()) ++answers_;
        queue_.push_back(one);
    }

    /// Writes until the queue is empty or the socket fails, or would block. Calls sent(token) for every message written.
    template <class Sent>
    std::error_code write(asio::ip::tcp::socket& socket, Sent sent) {
        std::error_code e;
        while (!e && !queue_.empty()) {
            buffers_.clear();
            for (const outgoing& one : queue_) {
                if (buffers_.size() == most_buffers) break;
                const auto* head = reinterpret_cast<const std::byte*>(&one.head);
                if (one.head_sent < sizeof one.head)
                    buffers_.emplace_back(head + one.head_sent, sizeof one.head - one.head_sent);
                if (!one.body.append_to(buffers_, most_buffers)) break;
            }
            written(socket.write_some(buffers_, e), sent);
        }
        return e;
    }

    /// Removes the requests that have not been started and for which drop(frame) is true.
    template <class Drop>
    void remove_requests(Drop drop) {
        std::erase_if(queue_, [&](const outgoing& one) {
            return one.head.kind == frame_kind::request && !one.begun() && drop(one.head);
        });
    }

    /// Marks the receive of this message as cancelled.
    void mark_withdrawn(std::uint64_t id) {
        for (outgoing& one : queue_)
            if (one.head.id == id && one.is_answer()) one.withdrawn = true;
    }

    /// Releases the memory of an owner. The rest of a partially written message is copied, since the other end expects
    /// all of it. Other messages are removed and returned.
    std::vector<outgoing> cancel(const void* owner) {
        std::vector<outgoing> removed;
        std::erase_if(queue_, [&](outgoing& one) {
            if (one.request.owner != owner) return false;
            if (one.begun()) return copy_rest(one);
            removed.push_back(one);
            return true;
        });
        answers_ -= removed.size();
        return removed;
    }

    /// Removes everything; calls f(token) for each.
    template <class F>
    void clear(F f) {
        for (const outgoing& one : queue_) f(one.request);
        queue_.clear();
        answers_ = 0;
    }

  private:
    template <class Sent>
    void written(std::size_t size, Sent sent) {
        while (size > 0) {
            outgoing& first = queue_.front();
            const std::size_t head = std::min(size, sizeof first.head - first.head_sent);
            const bytes_t body = std::min(static_cast<bytes_t>(size - head), first.body.left());
            first.head_sent += head;
            first.body.skip(body);
            size -= head + static_cast<std::size_t>(body);
            if (!first.ended()) continue;
            sent(first.request);
            if (first.is_answer()) --answers_;
            rest_ = {};
            queue_.pop_front();
        }
    }

    bool copy_rest(outgoing& one) {
        std::vector<asio::const_buffer> rest;
        one.body.append_to(rest, static_cast<std::size_t>(-1));
        rest_.resize(static_cast<std::size_t>(one.body.left()));
        asio::buffer_copy(asio::buffer(rest_), rest);
        rest_part_ = {rest_.data(), std::ssize(rest_)};
        one.request = {};
        one.body = part_cursor(std::span<const send_part>(&rest_part_, 1));
        return false;
    }

    std::deque<outgoing> queue_;
    std::size_t answers_ = 0;      // in the queue
    std::vector<std::byte> rest_;  // of the first, if it was cancelled
    send_part rest_part_;
    std::vector<asio::const_buffer> buffers_;
};

}  // namespace examples
