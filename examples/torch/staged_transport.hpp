#pragma once

#include <cstring>
#include <deque>
#include <stdexcept>
#include <vector>

#include "collsched/execute/local_executor.hpp"
#include "collsched/execute/processes.hpp"
#include "staged_window.hpp"

namespace examples {

using namespace collsched;

/// Blocks of an output that are not contiguous: the address of each.
struct block_addresses {
    std::vector<std::byte*> first{};
    bytes_t block = 0;  ///< size of each in bytes

    /// Returns the address of a range of output within one block. @param part  range; another buffer's stays as it is
    std::byte* at(const message::receive_part& part) const {
        if (first.empty() || part.area != message::area::output || block == 0) return part.data;
        return first[static_cast<std::size_t>(part.offset / block)] + part.offset % block;
    }
};

/// Copies within a rank whose output is in blocks.
struct block_executor {
    const block_addresses* blocks = nullptr;

    int submit(const plan::local_operation& operation, const message::request& request) {
        plan::local_operation placed = operation;
        placed.into.data = blocks->at(operation.into);
        return immediate_executor{}.submit(placed, request);
    }
    void cancel(const void*) {}
};

/// A transport for schedules that send every message from scratch, as one part, with scratch in the rank's window. A
/// message has 16 bytes: the range of the window. The receiver copies or combines straight out of the sender's window,
/// and the send is complete when that is done. One execution at a time runs over it.
///
/// The range is checked against the sender's window and the posted receive before it is read. The sender can change the
/// bytes at any time: that changes values only, as the reductions read numbers.
class staged_transport {
  public:
    enum error : int { not_in_window = message::error::first_own };  ///< beside those of message::error

    /// @param over     carries the ranges; outlives this object
    /// @param windows  that of each rank, all of one size; outlives this object
    /// @param rank     this rank
    staged_transport(process_group::transport& over, const std::vector<staged_window>& windows, rank_t rank)
        : over_(&over), windows_(&windows), own_(windows[static_cast<std::size_t>(rank)].bytes()) {}

    block_addresses blocks;  ///< of the output of the next start

    int post_send(const message::key& key, std::span<const message::send_part> parts) {
        if (parts.size() != 1 || parts[0].data < own_.data()) return not_in_window;
        const range sent{parts[0].data - own_.data(), parts[0].size};
        if (!inside(sent, own_)) return not_in_window;
        sends_.push_back({sent, {}});
        outgoing& one = sends_.back();
        one.part = {reinterpret_cast<const std::byte*>(&one.bytes), sizeof(range)};
        return over_->post_matched_send(key, {&one.part, 1});
    }
    int post_recv(const message::key& key, std::span<const message::receive_part> parts) {
        if (parts.size() != 1) return not_in_window;
        message::combined_part copy;
        copy.into = {blocks.at(parts[0]), parts[0].size};
        return expect(key, copy);
    }
    int post_recv_combine(const message::key& key, const message::combined_part& part) { return expect(key, part); }
    void cancel(const void* owner) {
        over_->cancel(owner);
        ended(owner);
    }
    void ended(const void*) {
        sends_.clear();
        receives_.clear();
    }
    completion poll() { return over_->poll(); }
    completion wait_any(std::chrono::nanoseconds timeout) { return over_->wait_any(timeout); }

  private:
    struct range {
        bytes_t offset = 0, size = 0;
    };
    struct outgoing {
        range bytes;
        message::send_part part;
    };
    struct incoming {
        std::span<const std::byte> window;
        message::combined_part target;  // without op: a copy
        std::byte unused[sizeof(range)]{};
        reduction take{};
    };
    static bool inside(const range& one, std::span<const std::byte> window) {
        const auto size = static_cast<bytes_t>(window.size());
        return one.offset >= 0 && one.size >= 0 && one.offset <= size && one.size <= size - one.offset;
    }

    /// The inner transport "combines" the range: that is where the bytes are read.
    int expect(const message::key& key, const message::combined_part& target) {
        if (key.peer < 0 || key.peer >= std::ssize(*windows_)) return process_group::error::no_such_rank;
        receives_.push_back({.window = (*windows_)[static_cast<std::size_t>(key.peer)].bytes(), .target = target});
        incoming& one = receives_.back();
        one.take.context = &one;
        one.take.combine = [](void* context, std::byte*, const std::byte* sent, bytes_t, action) {
            read(context, sent);
        };
        one.take.combine_into = [](void* context, std::byte*, const std::byte*, const std::byte* sent, bytes_t) {
            read(context, sent);
        };
        one.take.element = sizeof(range);
        return over_->post_recv_combine(
            key, {{one.unused, sizeof(range)}, {one.unused, sizeof(range)}, action::combine_after, &one.take});
    }
    static void read(void* context, const std::byte* sent) {
        const incoming& one = *static_cast<const incoming*>(context);
        range bytes;
        std::memcpy(&bytes, sent, sizeof bytes);
        if (!inside(bytes, one.window) || bytes.size != one.target.into.size || bytes.offset % 64 != 0)
            throw std::runtime_error("window: got another range than that of the receive, expected its size");
        const std::byte* const from = one.window.data() + bytes.offset;
        if (one.target.op != nullptr) one.target.combine(from);
        else std::memcpy(one.target.into.data, from, static_cast<std::size_t>(bytes.size));
    }

    process_group::transport* over_;
    const std::vector<staged_window>* windows_;
    std::span<std::byte> own_;
    std::deque<outgoing> sends_;  // stable addresses, until the end of the start
    std::deque<incoming> receives_;
};

}  // namespace examples
