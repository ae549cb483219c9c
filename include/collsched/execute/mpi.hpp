#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "collsched/execute/transport.hpp"

namespace collsched {

/// Messages over an MPI communicator, of any MPI from version 3 on. Its ranks are those of the schedule. The tag is the
/// message's number, so that only messages of one pair and number could ever be confused, and these MPI keeps in order, as
/// it does from one start of a plan to the next. Give it a communicator of its own (MPI_Comm_dup) where the program
/// communicates on the same one meanwhile, and one for each of several plans in flight. Errors are those of MPI (with
/// MPI_ERRORS_RETURN), MPI_ERR_TAG among them where a pair has more messages in a plan than MPI has tags.
class mpi_transport {
  public:
    explicit mpi_transport(MPI_Comm comm) : comm_(comm) {
        void* bound = nullptr;
        int known = 0;
        MPI_Comm_get_attr(comm, MPI_TAG_UB, static_cast<void*>(&bound), &known);
        if (known != 0) last_tag_ = *static_cast<int*>(bound);
    }

    int post_send(const message_key& key, const std::byte* data, bytes_t size) {
        return post(key, size, [&](const part& all, MPI_Request* request) {
            return MPI_Isend(data, all.count, all.type, static_cast<int>(key.peer), static_cast<int>(key.sequence),
                             comm_, request);
        });
    }

    int post_recv(const message_key& key, std::byte* data, bytes_t size) {
        return post(key, size, [&](const part& all, MPI_Request* request) {
            return MPI_Irecv(data, all.count, all.type, static_cast<int>(key.peer), static_cast<int>(key.sequence),
                             comm_, request);
        });
    }

    completion poll() {
        int index = MPI_UNDEFINED, flag = 0;
        if (requests_.empty()) return {};
        const int error = MPI_Testany(in_flight(), requests_.data(), &index, &flag, MPI_STATUS_IGNORE);
        return flag == 0 && error == MPI_SUCCESS ? completion{} : take(index, error);
    }

    completion wait_any() {
        int index = MPI_UNDEFINED;
        const int error = MPI_Waitany(in_flight(), requests_.data(), &index, MPI_STATUS_IGNORE);
        return take(index, error);
    }

    void cancel() {
        for (MPI_Request& request : requests_) {
            MPI_Cancel(&request);
            MPI_Request_free(&request);
        }
        requests_.clear();
        tokens_.clear();
    }

  private:
    /// A message as MPI counts it.
    struct part {
        int count;
        MPI_Datatype type;
    };
    static constexpr bytes_t most_bytes = 1 << 30;

    int in_flight() const { return static_cast<int>(requests_.size()); }

    template <class Start>
    int post(const message_key& key, bytes_t size, Start start) {
        if (key.sequence > last_tag_) return MPI_ERR_TAG;
        MPI_Request request = MPI_REQUEST_NULL;
        int error = MPI_SUCCESS;
        if (size <= most_bytes) {
            error = start({static_cast<int>(size), MPI_BYTE}, &request);
        } else {
            MPI_Datatype large = large_type(size);
            error = start({1, large}, &request);
            MPI_Type_free(&large);
        }
        if (error != MPI_SUCCESS) return error;
        requests_.push_back(request);
        tokens_.push_back(key.token);
        return 0;
    }

    /// One element of `size` bytes, beyond what an int counts.
    static MPI_Datatype large_type(bytes_t size) {
        MPI_Datatype chunk, chunks, whole;
        MPI_Type_contiguous(static_cast<int>(most_bytes), MPI_BYTE, &chunk);
        const bytes_t full = size / most_bytes, rest = size % most_bytes;
        MPI_Type_contiguous(static_cast<int>(full), chunk, &chunks);
        const int counts[] = {1, static_cast<int>(rest)};
        const MPI_Aint places[] = {0, static_cast<MPI_Aint>(full * most_bytes)};
        const MPI_Datatype types[] = {chunks, MPI_BYTE};
        MPI_Type_create_struct(2, counts, places, types, &whole);
        MPI_Type_commit(&whole);
        MPI_Type_free(&chunks);
        MPI_Type_free(&chunk);
        return whole;
    }

    completion take(int index, int error) {
        if (index == MPI_UNDEFINED) return {-1, error};
        const auto i = static_cast<std::size_t>(index);
        const completion done{tokens_[i], error};
        requests_[i] = requests_.back();
        tokens_[i] = tokens_.back();
        requests_.pop_back();
        tokens_.pop_back();
        return done;
    }

    MPI_Comm comm_;
    std::int64_t last_tag_ = 32767;
    std::vector<MPI_Request> requests_;
    std::vector<std::int64_t> tokens_;  // of requests_
};

}  // namespace collsched
