#pragma once

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <span>
#include <thread>
#include <vector>

#include "collsched/execute/transport.hpp"
#include "collsched/execute/run_status.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Messages over an MPI communicator, of any MPI from version 3 on. Its ranks are those of the schedule. A program that
/// communicates on the same communicator at the same time must pass a duplicate (MPI_Comm_dup).
///
/// The tag of a message consists of its channel (0 .. `channels` - 1), the number of its start modulo `epochs`, and its
/// sequence number. Channels and starts have equal shares of the tags. A message of a start that has failed is
/// therefore not received by the next `epochs` - 1 starts. With `epochs` 1 a channel must not be used after a failure;
/// without failures MPI delivers messages of one pair and tag in the order of their starts. 0 channels or epochs count
/// as 1.
///
/// Errors are size_mismatch for a message that is longer or shorter than its receive, no_such_channel for a channel out of
/// range, or if a pair has more messages in a plan than messages_a_pair(), and else message::error::first_own plus the
/// number of MPI's error (with MPI_ERRORS_RETURN, for MPICH also on MPI_COMM_WORLD).
///
/// With `tests_sends` each send is tested at once for completion, since MPI completes small sends early. This is faster
/// where a test is cheap. A message of several parts is sent as one datatype. After cancel() no memory is written, but
/// a send may still be read, since MPI cannot cancel it. Fingerprints are not compared. Sizes are compared only where
/// executions compare fingerprints.
class mpi_transport {
  public:
    /// Transport over a communicator, without communication.
    /// @param comm         communicator, which outlives the transport
    /// @param channels     number of channels that share its tags, 1 or more
    /// @param epochs       number of consecutive starts with different tags, 1 or more
    /// @param tests_sends  whether each send is tested at once for completion
    explicit mpi_transport(MPI_Comm comm, std::uint64_t channels = 16, std::uint64_t epochs = 16,
                           bool tests_sends = true)
        : comm_(comm),
          channels_(std::max<std::uint64_t>(1, channels)),
          epochs_(std::max<std::uint64_t>(1, epochs)),
          tests_sends_(tests_sends) {
        tags_of_start_ = tags_of(comm) / channels_ / epochs_;
    }

    /// Returns the largest number of messages from one rank to another in a plan: tags of the communicator / channels /
    /// epochs.
    /// @return 0 or more
    std::int64_t messages_a_pair() const { return static_cast<std::int64_t>(tags_of_start_); }

    int post_send(const message::key& key, std::span<const message::send_part> parts) {
        return post(
            key, parts, false, [&](const void* data, const counted_type& content, int tag, MPI_Request* request) {
                return MPI_Isend(data, content.count, content.type, static_cast<int>(key.peer), tag, comm_, request);
            });
    }

    int post_recv(const message::key& key, std::span<const message::receive_part> parts) {
        return post(key, parts, true,
                    [&](const void* data, const counted_type& content, int tag, MPI_Request* request) {
                        return MPI_Irecv(const_cast<void*>(data), content.count, content.type,
                                         static_cast<int>(key.peer), tag, comm_,
                                         request);  // it comes from a part, which may be written
                    });
    }

    completion poll() {
        if (requests_.empty()) return {};
        const bool is_single = requests_.size() == 1;  // a faster query
        int index = is_single ? 0 : MPI_UNDEFINED, flag = 0;
        MPI_Status state;
        const int error = is_single ? MPI_Test(requests_.data(), &flag, &state)
                                    : MPI_Testany(in_flight(), requests_.data(), &index, &flag, &state);
        return flag == 0 && error == MPI_SUCCESS ? completion{} : take(index, error, state);
    }

    /// Blocks until an operation is complete. With `forever` it blocks in MPI, else it polls.
    /// @param timeout  0 or more, or `forever`
    /// @return its completion; an empty one after the timeout, or an error of MPI
    completion wait_any(std::chrono::nanoseconds timeout) {
        if (timeout == forever) {
            int index = MPI_UNDEFINED;
            MPI_Status state;
            const int error = MPI_Waitany(in_flight(), requests_.data(), &index, &state);
            return take(index, error, state);
        }
        const auto deadline = std::chrono::steady_clock::now() + timeout;
        while (true) {
            const completion c = poll();
            if (!c.empty() || std::chrono::steady_clock::now() >= deadline) return c;
            std::this_thread::yield();
        }
    }

    void cancel(const void* owner) {
        for (std::size_t i = requests_.size(); i-- > 0;) {
            if (messages_[i].request.owner != owner) continue;
            if (messages_[i].receives) {
                MPI_Cancel(&requests_[i]);
                MPI_Wait(&requests_[i], MPI_STATUS_IGNORE);
            } else {
                MPI_Request_free(&requests_[i]);
            }
            remove(i);
        }
    }

  private:
    /// A message as MPI counts it.
    struct counted_type {
        int count;
        MPI_Datatype type;
    };
    struct posted_message {
        message::request request;
        bool receives;
        bytes_t size;  ///< that shall come; or unknown
    };
    static constexpr bytes_t most_bytes = 1 << 30, unknown = -1;

    /// Some MPIs report the largest tag on MPI_COMM_WORLD alone.
    static std::uint64_t tags_of(MPI_Comm comm) {
        for (const MPI_Comm candidate : {comm, MPI_COMM_WORLD}) {
            void* largest_tag = nullptr;
            int flag = 0;
            MPI_Comm_get_attr(candidate, MPI_TAG_UB, static_cast<void*>(&largest_tag), &flag);
            if (flag != 0) return static_cast<std::uint64_t>(*static_cast<int*>(largest_tag)) + 1;
        }
        return 32768;
    }

    int in_flight() const { return static_cast<int>(requests_.size()); }

    /// Returns the number of an error of MPI among those that transports share; 0 for MPI_SUCCESS.
    static int shared_error(int error) {
        if (error == MPI_SUCCESS) return 0;
        int kind = error;
        MPI_Error_class(error, &kind);
        return kind == MPI_ERR_TRUNCATE ? int{message::error::size_mismatch} : message::error::first_own + error;
    }

    /// Most often there is nothing to divide, and division is slow.
    static std::uint64_t remainder(std::uint64_t n, std::uint64_t divisor) {
        return n < divisor ? n : divisor == 1 ? 0 : n % divisor;
    }

    template <class Part, class Start>
    int post(const message::key& key, std::span<const Part> parts, bool receives, Start start) {
        const auto sequence = static_cast<std::uint64_t>(key.sequence);
        if (key.channel >= channels_ || sequence >= tags_of_start_) return message::error::no_such_channel;
        const std::uint64_t first = key.channel * epochs_ + remainder(key.epoch, epochs_);
        const int tag = static_cast<int>(first * tags_of_start_ + sequence);
        MPI_Request request = MPI_REQUEST_NULL;
        int error = MPI_SUCCESS;
        if (parts.empty()) {
            error = start(nullptr, {0, MPI_BYTE}, tag, &request);
        } else if (parts.size() == 1 && parts[0].size <= most_bytes) {
            error = start(parts[0].data, {static_cast<int>(parts[0].size), MPI_BYTE}, tag, &request);
        } else {
            MPI_Datatype datatype = type_of(parts);
            error = start(MPI_BOTTOM, {1, datatype}, tag, &request);
            MPI_Type_free(&datatype);
        }
        if (error != MPI_SUCCESS) return shared_error(error);
        if (!receives && tests_sends_) {
            int complete = 0;
            error = MPI_Test(&request, &complete, MPI_STATUS_IGNORE);
            if (error != MPI_SUCCESS) return shared_error(error);
            if (complete != 0) return already_complete;
        }
        requests_.push_back(request);
        messages_.push_back({key.request, receives, receives && key.fingerprint != 0 ? total_bytes(parts) : unknown});
        return 0;
    }

    /// Returns a datatype whose one element is all parts, at their absolute addresses.
    template <class Part>
    MPI_Datatype type_of(std::span<const Part> parts) {
        lengths_.clear();
        places_.clear();
        types_.clear();
        for (const Part& part : parts) {
            MPI_Aint place = 0;
            MPI_Get_address(part.data, &place);
            const bool large = part.size > most_bytes;
            lengths_.push_back(large ? 1 : static_cast<int>(part.size));
            places_.push_back(place);
            types_.push_back(large ? large_type(part.size) : MPI_BYTE);
        }
        MPI_Datatype datatype;
        MPI_Type_create_struct(static_cast<int>(parts.size()), lengths_.data(), places_.data(), types_.data(),
                               &datatype);
        MPI_Type_commit(&datatype);
        for (MPI_Datatype& type : types_)
            if (type != MPI_BYTE) MPI_Type_free(&type);
        return datatype;
    }

    /// One element of `size` bytes, beyond what an int counts.
    static MPI_Datatype large_type(bytes_t size) {
        MPI_Datatype chunk, chunks, datatype;
        MPI_Type_contiguous(static_cast<int>(most_bytes), MPI_BYTE, &chunk);
        const bytes_t chunk_count = size / most_bytes, tail = size % most_bytes;
        MPI_Type_contiguous(static_cast<int>(chunk_count), chunk, &chunks);
        const int counts[] = {1, static_cast<int>(tail)};
        const MPI_Aint places[] = {0, static_cast<MPI_Aint>(chunk_count * most_bytes)};
        const MPI_Datatype types[] = {chunks, MPI_BYTE};
        MPI_Type_create_struct(2, counts, places, types, &datatype);
        MPI_Type_free(&chunks);
        MPI_Type_free(&chunk);
        return datatype;
    }

    completion take(int index, int error, MPI_Status& state) {
        const int code = shared_error(error);
        if (index == MPI_UNDEFINED) return {{}, code};
        const auto i = static_cast<std::size_t>(index);
        const bool fits = error != MPI_SUCCESS || messages_[i].size == unknown || bytes_of(state) == messages_[i].size;
        const completion done{messages_[i].request, fits ? code : message::error::size_mismatch};
        remove(i);
        return done;
    }

    /// Size of a received message in bytes. Some MPIs report no more than an int holds, as SimGrid's.
    static bytes_t bytes_of(MPI_Status& state) {
        int count = 0;
        MPI_Get_count(&state, MPI_BYTE, &count);
        if (count != MPI_UNDEFINED) return count;
        MPI_Count elements = 0;
        MPI_Get_elements_x(&state, MPI_BYTE, &elements);
        return elements;
    }

    void remove(std::size_t i) {
        requests_[i] = requests_.back();
        messages_[i] = messages_.back();
        requests_.pop_back();
        messages_.pop_back();
    }

    MPI_Comm comm_;
    std::uint64_t channels_, epochs_;
    bool tests_sends_;
    std::uint64_t tags_of_start_ = 0;
    std::vector<MPI_Request> requests_;
    std::vector<posted_message> messages_;  // of requests_
    std::vector<int> lengths_;              // of a message in several parts
    std::vector<MPI_Aint> places_;
    std::vector<MPI_Datatype> types_;
};

}}  // namespace collsched::COLLSCHED_ABI
