#pragma once

#include <array>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include <asio/ip/tcp.hpp>

#include "frame.hpp"

namespace examples {

/// What the connections of a rank have to tell it.
struct tidings {
    std::deque<completion> done;
    rank_t dead = -1;  ///< the first rank that died: all that waits has failed because of it
};

/// The messages with one other rank. No operation of Asio holds the caller's memory: Asio tells when the socket is ready,
/// and what is read or written then is what is posted then. So cancelling is no more than forgetting.
class connection {
  public:
    connection(asio::ip::tcp::socket socket, rank_t peer, tidings& told)
        : socket_(std::move(socket)), peer_(peer), told_(&told) {
        std::error_code ignored;
        socket_.non_blocking(true, ignored);
        socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
        wait_to_read();
    }
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;

    /// Why it has ended; 0 while it has not.
    int error() const { return error_; }

    int send(const message_key& key, std::span<const const_piece> pieces) {
        if (error_ != 0) return error_;
        const auto it = std::find_if(wanted_.begin(), wanted_.end(), [&](const frame& f) { return meets(key, f); });
        if (it == wanted_.end()) {
            sends_.push_back({key, pieces});
        } else {
            answer(*it, {key, pieces});
            wanted_.erase(it);
            write();
        }
        return 0;
    }

    int receive(const message_key& key, std::span<const piece> pieces) {
        if (error_ != 0) return error_;
        const frame wanted{
            frame_kind::wanted, 0, ++last_id_, key.channel, key.generation, key.sequence, key.fingerprint,
            total_bytes(pieces)};
        receives_.push_back({wanted.id, key.token, piece_cursor(pieces)});
        out_.push_back({wanted});
        write();
        return 0;
    }

    void cancel(const void* owner) {
        std::erase_if(sends_, [&](const posted_send& one) { return one.key.token.owner == owner; });
        std::erase_if(receives_, [&](const posted_receive& one) {
            if (one.token.owner != owner) return false;
            out_.push_back({{.kind = frame_kind::withdrawn, .id = one.id}});
            return true;
        });
        if (incoming_.token.owner == owner) incoming_ = {};
        std::erase_if(out_, [&](outgoing& one) {
            if (one.token.owner != owner) return false;
            one.token = {};
            if (one.begun()) return keep(one);
            one.head.kind = frame_kind::wanted;
            wanted_.insert(wanted_.begin(), one.head);
            return true;
        });
        write();
    }

    /// Takes leave in good order, so that the other end does not think that this one died.
    void leave() {
        if (error_ != 0) return;
        out_.push_back({{.kind = frame_kind::goodbye, .sequence = told_->dead}});
        write();
        std::error_code e;
        socket_.shutdown(asio::ip::tcp::socket::shutdown_send, e);
        while (!e) socket_.read_some(asio::buffer(waste_), e);  // unread bytes would make close() destroy sent ones
        socket_.close(e);
    }

  private:
    static constexpr std::size_t most_buffers = 64;  // Asio takes no more at once

    static bool meets(const message_key& key, const frame& f) {
        return key.sequence == f.sequence && key.generation == f.generation && key.channel == f.channel;
    }

    void tell(const ticket& whose, int error) {
        if (whose.owner != nullptr) told_->done.push_back({whose, error, peer_});
    }

    /// Sends what is wanted, or says why not.
    void answer(frame wanted, const posted_send& send) {
        const int error = wanted.fingerprint != send.key.fingerprint ? disagreement
                          : wanted.size != total_bytes(send.pieces)  ? size_mismatch
                                                                     : 0;
        wanted.error = error;
        wanted.kind = error == 0 ? frame_kind::data : frame_kind::refused;
        if (error == 0) return out_.push_back({wanted, send.key.token, piece_cursor(send.pieces)});
        out_.push_back({wanted});
        tell(send.key.token, error);
    }

    /// The rest of a message that was cancelled half way is copied: the other end has been promised all of it.
    bool keep(outgoing& one) {
        std::vector<asio::const_buffer> rest;
        one.body.append_to(rest, static_cast<std::size_t>(-1));
        kept_.resize(static_cast<std::size_t>(one.body.left()));
        asio::buffer_copy(asio::buffer(kept_), rest);
        kept_piece_ = {kept_.data(), std::ssize(kept_)};
        one.body = piece_cursor(std::span<const const_piece>(&kept_piece_, 1));
        return false;
    }

    void write() {
        while (error_ == 0 && !out_.empty() && !waits_to_write_) {
            to_write_.clear();
            for (const outgoing& one : out_) {
                if (to_write_.size() == most_buffers) break;
                const auto* head = reinterpret_cast<const std::byte*>(&one.head);
                if (one.head_sent < sizeof one.head)
                    to_write_.emplace_back(head + one.head_sent, sizeof one.head - one.head_sent);
                if (!one.body.append_to(to_write_, most_buffers)) break;
            }
            std::error_code e;
            const std::size_t size = socket_.write_some(to_write_, e);
            if (e == asio::error::would_block) wait_to_write();
            else if (e) return;  // reading will tell why
            written(size);
        }
    }

    void written(std::size_t size) {
        while (size > 0) {
            outgoing& first = out_.front();
            const std::size_t head = std::min(size, sizeof first.head - first.head_sent);
            const bytes_t body = std::min(static_cast<bytes_t>(size - head), first.body.left());
            first.head_sent += head;
            first.body.skip(body);
            size -= head + static_cast<std::size_t>(body);
            if (!first.ended()) continue;
            tell(first.token, 0);
            kept_ = {};
            out_.pop_front();
        }
    }

    void wait_to_write() {
        waits_to_write_ = true;
        socket_.async_wait(asio::socket_base::wait_write, [this](std::error_code e) {
            waits_to_write_ = false;
            if (!e) write();
        });
    }

    void wait_to_read() {
        socket_.async_wait(asio::socket_base::wait_read, [this](std::error_code e) {
            if (!e) read();
        });
    }

    void read() {
        while (error_ == 0) {
            to_read_.clear();
            bool all = true;
            if (incoming_.token.owner != nullptr) {
                all = incoming_.into.append_to(to_read_, most_buffers - 1);
            } else if (coming_ > 0) {
                const std::size_t now = std::min(waste_.size(), static_cast<std::size_t>(coming_));
                to_read_.emplace_back(waste_.data(), now);
                all = static_cast<bytes_t>(now) == coming_;
            }
            if (all)
                to_read_.emplace_back(reinterpret_cast<std::byte*>(&head_) + head_read_, sizeof head_ - head_read_);
            std::error_code e;
            const std::size_t size = socket_.read_some(to_read_, e);
            if (e == asio::error::would_block) return wait_to_read();
            if (e) return end(peer_died);
            has_read(size);
        }
    }

    void has_read(std::size_t size) {
        const bytes_t body = std::min(static_cast<bytes_t>(size), coming_);
        coming_ -= body;
        if (incoming_.token.owner != nullptr) {
            incoming_.into.skip(body);
            if (coming_ == 0) tell(std::exchange(incoming_, {}).token, 0);
        }
        head_read_ += size - static_cast<std::size_t>(body);
        if (head_read_ < sizeof head_) return;
        head_read_ = 0;
        take(head_);
    }

    void take(const frame& f) {
        switch (f.kind) {
            case frame_kind::wanted: {
                const auto it = std::find_if(sends_.begin(), sends_.end(),
                                             [&](const posted_send& one) { return meets(one.key, f); });
                if (it == sends_.end()) return wanted_.push_back(f);
                answer(f, *it);
                sends_.erase(it);
                return write();
            }
            case frame_kind::withdrawn:
                std::erase_if(wanted_, [&](const frame& one) { return one.id == f.id; });
                return;
            case frame_kind::data:
            case frame_kind::refused: {
                const auto it = std::find_if(receives_.begin(), receives_.end(),
                                             [&](const posted_receive& one) { return one.id == f.id; });
                const posted_receive found = it == receives_.end() ? posted_receive{} : *it;
                if (it != receives_.end()) receives_.erase(it);
                return f.kind == frame_kind::data ? expect(f, found) : tell(found.token, f.error);
            }
            case frame_kind::goodbye:
                if (told_->dead < 0) told_->dead = f.sequence;
                return end(peer_closed);
            default: return end(garbled);
        }
    }

    /// The bytes of a message come next; those of one that has been cancelled go nowhere.
    void expect(const frame& f, const posted_receive& one) {
        if (f.size < 0 || (one.token.owner != nullptr && f.size != one.into.left())) {
            tell(one.token, garbled);
            return end(garbled);
        }
        coming_ = f.size;
        if (f.size == 0) tell(one.token, 0);
        else incoming_ = one;
    }

    /// Ends the messages with an error; where another rank is to blame, that is told instead.
    void end(int error) {
        error_ = error;
        if (error != peer_closed && told_->dead < 0) told_->dead = peer_;
        std::error_code ignored;
        socket_.close(ignored);
        if (told_->dead < 0 || told_->dead == peer_) {
            for (const posted_send& one : sends_) tell(one.key.token, error);
            for (const posted_receive& one : receives_) tell(one.token, error);
            for (const outgoing& one : out_) tell(one.token, error);
            tell(incoming_.token, error);
        }
        sends_.clear();
        receives_.clear();
        out_.clear();
        wanted_.clear();
        incoming_ = {};
    }

    asio::ip::tcp::socket socket_;
    rank_t peer_;
    tidings* told_;
    int error_ = 0;
    std::uint64_t last_id_ = 0;

    std::vector<posted_send> sends_;        // not wanted yet
    std::vector<frame> wanted_;             // and not posted yet; no more than the other end has receives
    std::vector<posted_receive> receives_;  // not begun
    std::deque<outgoing> out_;              // of which the first may be begun
    std::vector<std::byte> kept_;           // of the first, if it was cancelled
    const_piece kept_piece_;
    bool waits_to_write_ = false;

    posted_receive incoming_;  // the message that is being read; without an owner it is dropped
    bytes_t coming_ = 0;       // bytes of it that are still to come
    frame head_;
    std::size_t head_read_ = 0;
    std::vector<asio::const_buffer> to_write_;
    std::vector<asio::mutable_buffer> to_read_;
    std::array<std::byte, 4096> waste_{};
};

}  // namespace examples
