#pragma once

#include <chrono>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collsched/execute/transport.hpp"
#include "collsched/execute/run_status.hpp"
#include "ucx_worker.hpp"

namespace examples {

using namespace collsched;

/// Returns the error of a ucx_transport for a status of UCX; 0 for UCS_OK.
constexpr int ucx_error(ucs_status_t status) {
    if (status == UCS_ERR_MESSAGE_TRUNCATED) return message::error::size_mismatch;
    return status == UCS_OK ? 0 : message::error::first_own - int{status};
}

/// A transport over UCX by tag matching. A tag contains the sender's rank, the channel (0 to 4095), the start modulo 256
/// and the message's number. UCX keeps the order of messages with equal tags. UCX stores sends that precede their
/// receives: small ones in the receiver's memory, large ones in the sender's. Fingerprints are not compared.
///
/// UCX cannot cancel sends. If cancel() finds messages that do not end at once, it closes the connection: all messages
/// with that rank fail.
class ucx_transport {
  public:
    explicit ucx_transport(rank_t rank) : rank_(rank) {}
    ucx_transport(const ucx_transport&) = delete;
    ucx_transport& operator=(const ucx_transport&) = delete;
    ~ucx_transport() {
        for (posted& one : posts_) one.request = {};
        for (posted& one : posts_)
            if (one.receives && one.handle != nullptr) ucp_request_cancel(worker_.get(), one.handle);
        for (peer& one : peers_) close(one, one.error != 0, std::chrono::seconds(2));
    }

    int error() const { return ucx_error(worker_.status()); }
    /// Returns the address that other ranks need to connect.
    std::string address() const { return worker_.address(); }

    /// Connects with all other ranks, which call it too. Returns an error, with the rank that causes it if there is
    /// one, or none.
    completion connect(std::span<const std::string> addresses, std::chrono::nanoseconds timeout) {
        if (error() != 0) return {{}, error(), rank_};
        peers_.resize(addresses.size());
        for (rank_t r = 0; r < std::ssize(addresses); ++r) {
            peer& other = peers_[static_cast<std::size_t>(r)];
            if (r == rank_) continue;
            ucp_ep_params_t how{};
            how.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                             UCP_EP_PARAM_FIELD_ERR_HANDLER;
            how.address = reinterpret_cast<const ucp_address_t*>(addresses[static_cast<std::size_t>(r)].data());
            how.err_mode = UCP_ERR_HANDLING_MODE_PEER;
            how.err_handler = {on_lost, &other};
            other.transport = this;
            other.rank = r;
            if (const auto e = ucp_ep_create(worker_.get(), &how, &other.endpoint); e != UCS_OK) return {{}, -e, r};
        }
        return reach_all(timeout);
    }

    int post_send(const message::key& key, std::span<const message::send_part> parts) {
        return post(key, parts, false, rank_, [](posted& one, void* data, std::size_t count, auto& how) {
            how.cb.send = on_sent;
            return ucp_tag_send_nbx(one.with->endpoint, data, count, one.tag, &how);
        });
    }
    int post_recv(const message::key& key, std::span<const message::receive_part> parts) {
        return post(key, parts, true, key.peer, [this](posted& one, void* data, std::size_t count, auto& how) {
            how.cb.recv = on_received;
            return ucp_tag_recv_nbx(worker_.get(), data, count, one.tag, ~ucp_tag_t{0}, &how);
        });
    }

    completion poll() {
        if (done_.empty()) progress();
        if (done_.empty()) return {};
        const completion first = done_.front();
        done_.pop_front();
        return first;
    }

    completion wait_any(std::chrono::nanoseconds timeout) {
        const std::chrono::nanoseconds long_time = std::chrono::hours(1);
        const bool endless = timeout == forever;
        const auto until =
            std::chrono::steady_clock::now() + (endless ? long_time : std::min(timeout, 10'000 * long_time));
        while (true) {
            const completion c = poll();
            if (c.request.owner != nullptr) return c;
            const std::chrono::nanoseconds left = endless ? long_time : until - std::chrono::steady_clock::now();
            if (left.count() <= 0) return {};
            worker_.sleep(left);
        }
    }

    void cancel(const void* owner) {
        std::erase_if(done_, [&](const completion& c) { return c.request.owner == owner; });
        std::vector<posted*> left;
        for (posted& one : posts_)
            if (one.request.owner == owner) {
                one.request = {};
                left.push_back(&one);
                if (one.receives && one.handle != nullptr) ucp_request_cancel(worker_.get(), one.handle);
            }
        const auto ended = [&] {
            std::erase_if(left, [](const posted* one) { return one->handle == nullptr; });
            return left.empty();
        };
        if (left.empty() || worker_.progress_until(ended, std::chrono::milliseconds(20))) return;
        for (const posted* one : left) cut(*one->with);
        worker_.progress_until(ended, forever / 2);
    }

  private:
    struct peer {
        ucx_transport* transport = nullptr;
        rank_t rank = -1;
        ucp_ep_h endpoint = nullptr;
        int error = 0;  ///< the error of the connection
    };
    /// A message in flight. Its address is stable, and it is reused.
    struct posted {
        ucx_transport* transport = nullptr;
        peer* with = nullptr;
        message::request request{};
        bool receives = false;
        bytes_t size = 0;
        ucp_tag_t tag = 0;
        std::vector<ucp_dt_iov_t> parts;
        void* handle = nullptr;  ///< request of UCX while the message is in flight
        bool ended = false;
    };
    static constexpr int channel_bits = 12, generation_bits = 8, sequence_bits = 24, rank_bits = 20;

    static bool tag_of(const message::key& key, rank_t source, ucp_tag_t& tag) {
        const auto low = [](std::uint64_t x, int bits) { return x & ((std::uint64_t{1} << bits) - 1); };
        tag = static_cast<ucp_tag_t>(source) << channel_bits | key.channel;
        tag = tag << generation_bits | low(key.epoch, generation_bits);
        tag = tag << sequence_bits | low(static_cast<std::uint64_t>(key.sequence), sequence_bits);
        return key.sequence >> sequence_bits == 0 && source >> rank_bits == 0 && key.channel >> channel_bits == 0;
    }

    template <class Part, class Start>
    int post(const message::key& key, std::span<const Part> parts, bool receives, rank_t source, Start start) {
        if (key.peer < 0 || key.peer >= std::ssize(peers_) || key.peer == rank_) return message::error::no_such_rank;
        peer& with = peers_[static_cast<std::size_t>(key.peer)];
        if (with.error != 0) return with.error;
        posted& one = take();
        one.with = &with;
        one.request = key.request;
        one.receives = receives;
        one.size = total_bytes(parts);
        if (!tag_of(key, source, one.tag)) return give_back(one), message::error::no_such_channel;

        ucp_request_param_t how{};
        how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_DATATYPE |
                           UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
        how.user_data = &one;
        how.datatype = parts.size() > 1 ? ucp_dt_make_iov() : ucp_dt_make_contig(1);
        one.parts.clear();
        for (const Part& part : parts)  // UCX writes only into receives
            one.parts.push_back({const_cast<std::byte*>(part.data), static_cast<std::size_t>(part.size)});
        void* request = nullptr;
        if (parts.size() > 1) request = start(one, one.parts.data(), one.parts.size(), how);
        else if (parts.empty()) request = start(one, nullptr, 0, how);
        else request = start(one, one.parts[0].buffer, one.parts[0].length, how);

        if (!UCS_PTR_IS_PTR(request)) return give_back(one), ucx_error(UCS_PTR_RAW_STATUS(request));
        if (one.ended) ucp_request_free(request);
        else one.handle = request;
        return 0;
    }

    posted& take() {
        if (free_.empty()) {
            posts_.emplace_back().transport = this;
            return posts_.back();
        }
        posted& one = *free_.back();
        free_.pop_back();
        one.ended = false;
        return one;
    }

    void give_back(posted& one) {
        one.request = {};
        free_.push_back(&one);
    }

    void finish(posted& one, ucs_status_t status, bytes_t size) {
        int error = ucx_error(status);
        if (status != UCS_OK && one.with->error != 0) error = one.with->error;
        if (status == UCS_OK && size != one.size) error = message::error::size_mismatch;
        if (one.request.owner != nullptr) done_.push_back({one.request, error, one.with->rank});
        one.ended = true;
        if (one.handle != nullptr) ucp_request_free(std::exchange(one.handle, nullptr));
        give_back(one);
    }

    static void on_sent(void*, ucs_status_t status, void* user) {
        posted& one = *static_cast<posted*>(user);
        one.transport->finish(one, status, one.size);
    }
    static void on_received(void*, ucs_status_t status, const ucp_tag_recv_info_t* info, void* user) {
        posted& one = *static_cast<posted*>(user);
        one.transport->finish(one, status, static_cast<bytes_t>(info->length));
    }
    static void on_lost(void* user, ucp_ep_h, ucs_status_t status) {
        peer& other = *static_cast<peer*>(user);
        other.error = ucx_error(status);
        other.transport->lost_ = true;
    }

    /// UCX fails the sends to a lost rank, but its receives from that rank never complete.
    void progress() {
        worker_.progress();
        if (!std::exchange(lost_, false)) return;
        for (posted& one : posts_)
            if (one.handle != nullptr && one.receives && one.with->error != 0)
                ucp_request_cancel(worker_.get(), one.handle);
        worker_.progress();
    }

    completion reach_all(std::chrono::nanoseconds timeout) {
        const auto until = std::chrono::steady_clock::now() + timeout;
        for (peer& other : peers_) {
            if (other.endpoint == nullptr) continue;
            const ucp_request_param_t plain{};
            const int error =
                end_of(ucp_ep_flush_nbx(other.endpoint, &plain), until - std::chrono::steady_clock::now());
            if (error != 0) return {{}, error, other.rank};
        }
        return {};
    }

    /// Waits for an operation on an endpoint, and frees its request. Returns the error.
    int end_of(void* request, std::chrono::nanoseconds patience) {
        if (!UCS_PTR_IS_PTR(request)) return ucx_error(UCS_PTR_RAW_STATUS(request));
        const auto ended = [&] { return ucp_request_check_status(request) != UCS_INPROGRESS; };
        const int error =
            ucx_error(worker_.progress_until(ended, patience) ? ucp_request_check_status(request) : UCS_ERR_TIMED_OUT);
        ucp_request_free(request);
        return error;
    }

    void close(peer& other, bool at_once, std::chrono::nanoseconds patience) {
        if (other.endpoint == nullptr) return;
        ucp_request_param_t how{};
        how.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
        how.flags = at_once ? UCP_EP_CLOSE_FLAG_FORCE : 0;
        end_of(ucp_ep_close_nbx(std::exchange(other.endpoint, nullptr), &how), patience);
    }

    void cut(peer& other) {
        if (other.error == 0) other.error = ucx_error(UCS_ERR_CANCELED);
        lost_ = true;
        close(other, true, std::chrono::seconds(2));
    }

    rank_t rank_;
    ucx_worker worker_;
    std::deque<peer> peers_;
    std::deque<posted> posts_;
    std::vector<posted*> free_;
    std::deque<completion> done_;
    bool lost_ = false;
};

}  // namespace examples
