#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "collsched/execute/engine.hpp"
#include "memory.hpp"
#include "own_mpi.hpp"
#include "report.hpp"
#include "selection.hpp"

namespace collsched::preload {

class operation;
class blocking_calls;

/// A plan for calls with equal keys.
struct prepared_plan {
    struct key {
        decision how;
        bytes_t element = 1;
        binding place = binding::separate;
    };

    key mine;
    std::vector<std::int64_t> numbers;  ///< counts, or own_blocks
    choice chosen;
    plan steps;                                        ///< unless native
    std::optional<execution<mpi_transport>> blocking;  ///< for blocking calls, which never overlap
    call_rows rows{};                                  ///< of the report
};

/// Returns the bytes of a call in the report: those of its decision, or where a rank has its own counts alone the bytes
/// that it sends.
bytes_t bytes_of_report(const prepared_plan& one);

/// The state of this library for one communicator of the program, attached as an attribute: a private communicator with
/// the same ranks, which carries no messages of the program; plans; memory; operations in flight.
class communicator : public std::enable_shared_from_this<communicator> {
  public:
    /// Returns the state of a communicator, or null if there is none.
    static communicator* of(MPI_Comm comm);
    /// Makes the state. Collective, unless `only_native` gives a reason, equal on all ranks, to pass all calls to the
    /// MPI library.
    static communicator* attach(MPI_Comm comm, const char* only_native = nullptr);
    /// Removes the state, as the end of the communicator does.
    static void detach(MPI_Comm comm);

    communicator(MPI_Comm comm, const char* only_native);
    communicator(const communicator&) = delete;
    communicator& operator=(const communicator&) = delete;
    ~communicator();

    /// Returns the reason why all calls go to the MPI library; null if they need not.
    const char* only_native() const { return only_native_; }
    int rank() const { return rank_; }
    int size() const { return size_; }
    /// Returns the program's communicator, or MPI_COMM_NULL once it is freed.
    MPI_Comm programs() const { return programs_; }

    /// Returns the plan for a call, made if there is none. The reference is valid until the next call of prepare().
    const std::shared_ptr<prepared_plan>& prepare(const prepared_plan::key& call_key, const std::int64_t* numbers,
                                                  std::size_t count);
    mpi_transport& transport() { return *transport_; }
    /// Selects algorithms of this communicator for the functions that are given. The plans that were made before are
    /// no longer used. All ranks call it between the same collective calls.
    void prefer(const wishes& given);
    /// Returns the algorithms of prefer(), or null.
    const wishes* preferred() const { return preferred_.get(); }
    /// Returns the node of every rank; empty if unknown.
    const topology::placement& where();
    /// Returns the blocking calls, which do not overlap.
    blocking_calls& blocking() { return *blocking_; }
    workspace& space() { return space_; }

    /// All ranks draw channels in the same order, since their calls on a communicator come in the same order. Blocking
    /// calls share channel 0: one ends before the next begins, and MPI keeps the order of messages with one tag.
    static constexpr std::uint64_t channels = 4096;
    std::uint64_t draw_nonblocking_channel() { return 1 + nonblocking_++ % (channels / 2 - 1); }
    /// Returns a channel for a persistent operation, which keeps it; 0: none is left.
    std::uint64_t draw_persistent_channel() {
        return persistent_ < groups - channels / 2 ? channels / 2 + persistent_++ : 0;
    }

    /// Returns MPI_SUCCESS once all ranks have called this, and drives operations in flight meanwhile. All ranks then
    /// enter the MPI library's blocking function that follows, which needs no rank outside of it.
    int meet();
    /// Returns the private communicator, MPI_COMM_NULL if there is none.
    MPI_Comm own() const { return own_; }
    /// Returns the tag on it of a group of its ranks with a tag of the program.
    int tag_of_group(int programs) const {
        const auto tags = static_cast<int>(transport_->messages_a_pair());
        return static_cast<int>(groups) * tags + programs % tags;
    }

    /// Adds an operation in flight, or one whose channel an older operation still uses.
    void add(operation& one);
    /// Makes progress on all of them.
    void progress();
    bool idle() const { return running_.empty(); }

  private:
    static constexpr std::uint64_t meetings = channels - 1,
                                   groups = channels - 2;  ///< channels of both kinds of meeting

    const std::shared_ptr<prepared_plan>* find(const prepared_plan::key& call_key, const std::int64_t* numbers,
                                               std::size_t count);

    std::atomic<MPI_Comm> programs_ = MPI_COMM_NULL;
    MPI_Comm own_ = MPI_COMM_NULL;
    const char* only_native_ = nullptr;
    int rank_ = 0, size_ = 1;
    std::optional<topology::placement> where_;  ///< determined when first needed
    std::unique_ptr<wishes> preferred_;
    std::optional<mpi_transport> transport_;
    workspace space_;
    std::unique_ptr<blocking_calls> blocking_;
    std::deque<std::shared_ptr<prepared_plan>> plans_;  // most recently used first
    std::uint64_t nonblocking_ = 0, persistent_ = 0;
    std::vector<operation*> running_;
    std::optional<plan> meeting_;  ///< made when first needed
    bool meeting_now_ = false;

    friend int forget(MPI_Comm, int, void*, void*);
};

}  // namespace collsched::preload
