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
#include "selection.hpp"

namespace collsched::preload {

class operation;
class blocking_calls;

/// A plan for calls that are alike in all that decides it.
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
    std::optional<execution<mpi_transport>> blocking;  ///< of blocking calls, which never overlap
};

/// What this library keeps for one communicator of the program, as an attribute of it: a communicator of its own with
/// the same ranks, over which no message of the program travels; plans; memory; operations in flight.
class communicator : public std::enable_shared_from_this<communicator> {
  public:
    /// That of a communicator, or null if it has none yet.
    static communicator* of(MPI_Comm comm);
    /// Makes it. Collective, unless there is a reason why all calls shall go to the MPI's own, the same on all ranks.
    static communicator* attach(MPI_Comm comm, const char* only_native = nullptr);
    /// Forgets it, which a communicator's end does too.
    static void detach(MPI_Comm comm);

    communicator(MPI_Comm comm, const char* only_native);
    communicator(const communicator&) = delete;
    communicator& operator=(const communicator&) = delete;
    ~communicator();

    /// Why all calls go to the MPI's own; null where they need not.
    const char* only_native() const { return only_native_; }
    int rank() const { return rank_; }
    int size() const { return size_; }
    /// The program's, or MPI_COMM_NULL once that is freed.
    MPI_Comm programs() const { return programs_; }

    /// The plan for a call, made if there is none. The reference holds until the next one is asked for.
    const std::shared_ptr<prepared_plan>& prepare(const prepared_plan::key& wanted, const std::int64_t* numbers,
                                                  std::size_t count);
    mpi_transport& transport() { return *transport_; }
    /// Blocking calls come one after the other.
    blocking_calls& blocking() { return *blocking_; }
    workspace& space() { return space_; }

    /// Channels are drawn by all ranks in the same order, since their calls on a communicator come in the same order.
    /// Blocking calls share channel 0: one ends before the next begins, and MPI keeps messages of one tag in order.
    static constexpr std::uint64_t channels = 4096;
    std::uint64_t draw_nonblocking_channel() { return 1 + nonblocking_++ % (channels / 2 - 1); }
    /// Persistent operations keep theirs; 0: there is none left.
    std::uint64_t draw_persistent_channel() { return persistent_ < channels / 2 ? channels / 2 + persistent_++ : 0; }

    /// Operations in flight, and those whose channel is still taken by an older one.
    void add(operation& one);
    /// Does for all of them what can be done.
    void progress();
    bool idle() const { return running_.empty(); }

  private:
    const std::shared_ptr<prepared_plan>* find(const prepared_plan::key& wanted, const std::int64_t* numbers,
                                               std::size_t count);

    std::atomic<MPI_Comm> programs_ = MPI_COMM_NULL;
    MPI_Comm own_ = MPI_COMM_NULL;
    const char* only_native_ = nullptr;
    int rank_ = 0, size_ = 1;
    topology::placement where_;
    std::optional<mpi_transport> transport_;
    workspace space_;
    std::unique_ptr<blocking_calls> blocking_;
    std::deque<std::shared_ptr<prepared_plan>> plans_;  // that asked for last stands first
    std::uint64_t nonblocking_ = 0, persistent_ = 0;
    std::vector<operation*> running_;

    friend int forget(MPI_Comm, int, void*, void*);
};

}  // namespace collsched::preload
