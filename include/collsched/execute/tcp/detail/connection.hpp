#pragma once

#include <array>
#include <cstring>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include <asio/ip/tcp.hpp>

#include "collsched/execute/tcp/detail/frame.hpp"
#include "collsched/execute/tcp/detail/outbox.hpp"
#include "collsched/execute/tcp/detail/shared_state.hpp"
#include "collsched/execute/tcp/detail/error.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail { namespace tcp {

/// The messages with one other rank. No operation of Asio holds the caller's memory: Asio reports that the socket is
/// ready, and only then bytes of posted messages are read or written. Cancellation therefore only removes entries.
///
/// Every field of every frame is checked before it is used. A frame that the protocol does not allow closes the
/// connection and fails the messages with this rank with protocol_violation; other connections continue.
class connection {
  public:
    /// @param receive_limit  number of open requests that the other rank accepts
    connection(asio::ip::tcp::socket socket, rank_t peer, std::size_t receive_limit, shared_state& shared)
        : socket_(std::move(socket)), peer_(peer), receive_limit_(receive_limit), shared_(&shared) {
        std::error_code ignored;
        socket_.non_blocking(true, ignored);
        socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
        wait_to_read();
    }
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;

    /// Returns the error that ended the connection; 0 if it is open.
    int error() const { return error_; }
    /// Returns the number of messages that the other rank has requested and that have not been posted or written.
    std::size_t requests() const { return requests_.size() + out_.replies(); }
    /// Returns the number of frames that wait to be written.
    std::size_t queued() const { return out_.size(); }

    int send(const message::key& key, std::span<const message::send_part> parts) {
        if (error_ != 0) return error_;
        const auto it = requests_.find(name_of(key));
        if (it == requests_.end()) {
            sends_.insert({name_of(key), {key, parts}});
        } else {
            reply(it->second, {key, parts});
            requests_.erase(it);
            write();
        }
        return 0;
    }

    int receive(const message::key& key, std::span<const message::receive_part> parts) {
        if (error_ != 0) return error_;
        if (receives_.size() >= receive_limit_) return tcp_error::too_many;
        const frame request{frame_kind::request, 0, ++last_id_, key.channel, key.epoch, key.sequence, key.fingerprint,
                            total_bytes(parts)};
        receives_.insert({request.id, {request, key.request, part_cursor(parts)}});
        out_.push({request});
        write();
        return 0;
    }

    void cancel(const void* owner) {
        std::erase_if(sends_, [&](const auto& entry) { return entry.second.key.request.owner == owner; });
        out_.remove_requests([&](const frame& request) {
            const auto it = receives_.find(request.id);
            if (it == receives_.end() || it->second.request.owner != owner) return false;
            receives_.erase(it);
            return true;
        });
        for (auto& [id, receive] : receives_) {
            if (receive.request.owner != owner) continue;
            receive = {.opening = receive.opening};  // until the receive is complete
            out_.push({with_kind(frame_kind::withdrawn, receive.opening)});
        }
        if (incoming_.request.owner == owner) incoming_ = {};
        for (const outgoing& item : out_.cancel(owner))
            if (item.withdrawn ||
                !requests_.insert({name_of(item.head), with_kind(frame_kind::request, item.head)}).second)
                out_.push({with_kind(frame_kind::refused, item.head, tcp_error::withdrawn)});
        write();
    }

    /// Adds the socket to shared_state::ready. Returns false if the system has no capacity.
    bool watch() {
        if (error_ != 0) return true;
        if (!shared_->ready.add(socket_.native_handle())) return false;
        if (waits_to_write_) shared_->ready.watch_writes(socket_.native_handle(), true);
        return true;
    }

    /// Sends a goodbye. Without it the other end reports that this rank died.
    void leave() {
        if (error_ != 0) return;
        out_.push({{.kind = frame_kind::goodbye, .sequence = shared_->dead}});
        write();
        std::error_code e;
        socket_.shutdown(asio::ip::tcp::socket::shutdown_send, e);
        // Unread bytes would make close() destroy sent ones. The number of reads is bounded, since a peer may send
        // forever.
        for (int remaining = max_last_reads; !e && remaining > 0; --remaining)
            socket_.read_some(asio::buffer(waste_), e);
        shared_->ready.remove(socket_.native_handle());
        socket_.close(e);
    }

  private:
    static constexpr int max_reads = 64;         // consecutive reads before other connections and the clock are served
    static constexpr int max_last_reads = 4096;  // 16 MiB

    void complete(const message::request& request, int error) {
        if (request.owner != nullptr) shared_->done.push_back({request, error, peer_});
    }

    /// Sends a message that was requested, or reports the error to both ends.
    void reply(const frame& request, const posted_send& send) {
        const int error = request.fingerprint != send.key.fingerprint ? tcp_error::disagreement
                          : request.size != total_bytes(send.parts)   ? tcp_error::size_mismatch
                                                                      : 0;
        if (error == 0) {
            out_.push({with_kind(frame_kind::data, request), send.key.request, part_cursor(send.parts), request.size});
        } else {
            out_.push({with_kind(frame_kind::refused, request, error)});
            complete(send.key.request, error);
        }
    }

    void write() {
        if (error_ != 0 || waits_to_write_) return;
        const std::error_code e = out_.write(socket_, [&](const message::request& sent) { complete(sent, 0); });
        if (e != asio::error::would_block) return;  // the next read reports the error
        waits_to_write_ = true;
        shared_->ready.watch_writes(socket_.native_handle(), true);
        socket_.async_wait(asio::socket_base::wait_write, [this](std::error_code failed) {
            waits_to_write_ = false;
            if (failed || error_ != 0) return;
            shared_->ready.watch_writes(socket_.native_handle(), false);
            write();
        });
    }

    void wait_to_read() {
        socket_.async_wait(asio::socket_base::wait_read, [this](std::error_code e) {
            if (!e) read();
        });
    }

    void read() {
        for (int remaining = max_reads; error_ == 0; --remaining) {
            if (remaining == 0) return wait_to_read();
            to_read_.clear();
            if (add_body())
                to_read_.emplace_back(reinterpret_cast<std::byte*>(&head_) + head_read_, sizeof head_ - head_read_);
            std::error_code e;
            const std::size_t size = socket_.read_some(to_read_, e);
            if (e == asio::error::would_block) return wait_to_read();
            if (e) return end(tcp_error::peer_died);
            has_read(size);
        }
    }

    /// Appends the places of the rest of the message. Returns whether all of it fits.
    bool add_body() {
        if (incoming_.request.owner != nullptr)
            return append_parts(incoming_.target, to_read_, outbox::max_buffers - 1);
        if (incoming_left_ == 0) return true;
        const std::size_t now = std::min(waste_.size(), static_cast<std::size_t>(incoming_left_));
        to_read_.emplace_back(waste_.data(), now);
        return static_cast<bytes_t>(now) == incoming_left_;
    }

    void has_read(std::size_t size) {
        const bytes_t body = std::min(static_cast<bytes_t>(size), incoming_left_);
        incoming_left_ -= body;
        if (incoming_.request.owner != nullptr) {
            incoming_.target.skip(body);
            if (incoming_left_ == 0) complete(std::exchange(incoming_, {}).request, 0);
        }
        head_read_ += size - static_cast<std::size_t>(body);
        if (head_read_ < sizeof head_) return;
        head_read_ = 0;
        if (!take(head_)) end(tcp_error::protocol_violation);
    }

    /// Returns false if the protocol does not allow the frame in this state.
    bool take(const frame& f) {
        switch (f.kind) {
            case frame_kind::request: return take_request(f);
            case frame_kind::withdrawn: return take_withdrawal(f);
            case frame_kind::data:
            case frame_kind::refused: return take_reply(f);
            case frame_kind::goodbye: return take_goodbye(f);
            default: return false;  // includes a second hello
        }
    }

    bool take_request(const frame& f) {
        if (f.error != 0 || f.id <= last_request_ || f.sequence < 0 || f.size < 0) return false;
        if (requests() >= shared_->request_limit) return false;
        last_request_ = f.id;
        ++withdrawals_left_;
        const auto it = sends_.lower_bound(name_of(f));
        if (it == sends_.end() || it->first != name_of(f)) return requests_.insert({name_of(f), f}).second;
        reply(f, it->second);
        sends_.erase(it);
        write();
        return true;
    }

    bool take_withdrawal(const frame& f) {
        if (f.error != 0 || f.id == 0 || f.id > last_request_ || --withdrawals_left_ < 0) return false;
        const auto it = requests_.find(name_of(f));
        if (it == requests_.end() || it->second.id != f.id) {  // its reply is in flight
            out_.mark_withdrawn(f.id);
            return true;
        }
        if (it->second != with_kind(frame_kind::request, f)) return false;
        requests_.erase(it);
        out_.push({with_kind(frame_kind::refused, f, tcp_error::withdrawn)});
        write();
        return true;
    }

    bool take_reply(const frame& f) {
        const auto it = receives_.find(f.id);
        if (it == receives_.end() || f != with_kind(f.kind, it->second.opening, f.error)) return false;
        const bool cancelled = it->second.request.owner == nullptr;
        const bool expected = f.kind == frame_kind::data
                                  ? f.error == 0
                                  : f.error == tcp_error::disagreement || f.error == tcp_error::size_mismatch ||
                                        (f.error == tcp_error::withdrawn && cancelled);
        if (!expected) return false;
        const posted_receive found = it->second;
        receives_.erase(it);
        if (f.kind == frame_kind::refused || f.size == 0) {
            complete(found.request, f.error);
        } else {  // the bytes of a cancelled message are dropped
            incoming_left_ = f.size;
            incoming_ = found;
        }
        return true;
    }

    /// The leaving rank may report a rank that it disconnected as dead. That report is ignored for this rank itself.
    bool take_goodbye(const frame& f) {
        const rank_t dead = f.sequence;
        if (f != frame{.kind = frame_kind::goodbye, .sequence = dead}) return false;
        if (dead < -1 || dead >= shared_->ranks || dead == peer_) return false;
        if (dead >= 0 && dead != shared_->rank) shared_->note_death(dead);
        end(tcp_error::peer_left);
        return true;
    }

    /// Fails the messages with an error. If another rank died, take_next() reports its death first.
    void end(int error) {
        error_ = error;
        if (error == tcp_error::peer_died) shared_->note_death(peer_);
        if (error == tcp_error::protocol_violation && shared_->culprit < 0) shared_->culprit = peer_;
        std::error_code ignored;
        shared_->ready.remove(socket_.native_handle());
        socket_.close(ignored);
        const auto fail = [&](const message::request& request) { complete(request, error); };
        for (const auto& [name, send] : sends_) fail(send.key.request);
        for (const auto& [id, receive] : receives_) fail(receive.request);
        out_.clear(fail);
        fail(incoming_.request);
        sends_.clear();
        receives_.clear();
        requests_.clear();
        incoming_ = {};
    }

    asio::ip::tcp::socket socket_;
    rank_t peer_;
    std::size_t receive_limit_;
    shared_state* shared_;
    int error_ = 0;

    std::multimap<message_name, posted_send> sends_;              // not requested yet
    std::map<message_name, frame> requests_;                      // not posted yet
    std::unordered_map<std::uint64_t, posted_receive> receives_;  // without a reply, by id
    outbox out_;
    bool waits_to_write_ = false;
    std::uint64_t last_id_ = 0;          // of the requests of this rank
    std::uint64_t last_request_ = 0;     // of the other rank
    std::int64_t withdrawals_left_ = 0;  // number of frames: one per request

    posted_receive incoming_;    // the message that is being read; dropped if it has no owner
    bytes_t incoming_left_ = 0;  // remaining bytes of it
    frame head_;
    std::size_t head_read_ = 0;
    std::vector<asio::mutable_buffer> to_read_;
    std::array<std::byte, 4096> waste_{};
};

}}}}  // namespace collsched::COLLSCHED_ABI::detail::tcp
