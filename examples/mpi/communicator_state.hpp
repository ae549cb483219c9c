#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "collsched/execute/engine.hpp"
#include "environment.hpp"
#include "kept_states.hpp"
#include "memory.hpp"
#include "node.hpp"
#include "own_mpi.hpp"
#include "plans.hpp"

namespace collsched::preload {

class operation;
class blocking_calls;
class repeated_exchange;
struct ranks_on_cluster;

/// The state of this library for one communicator of the program, attached as an attribute: a private communicator with
/// the same ranks, which carries no messages of the program; plans; memory; operations in flight.
class communicator_state : public std::enable_shared_from_this<communicator_state> {
  public:
    /// Returns the state of a communicator, or null if there is none.
    static communicator_state* of(MPI_Comm comm);
    /// Makes the state. Collective, unless `only_native` gives a reason, equal on all ranks, to pass all calls to the
    /// MPI library.
    static communicator_state* attach(MPI_Comm comm, const char* only_native = nullptr);
    /// Gives a communicator a state that is decided.
    static communicator_state* attach(MPI_Comm comm, next_state& next);
    /// Removes the state, as the end of the communicator does.
    static void detach(MPI_Comm comm);

    /// State with a private communicator. @param number  see next_state
    communicator_state(MPI_Comm comm, long number);
    /// State that passes all calls to the MPI library, or has one rank.
    communicator_state(MPI_Comm comm, const char* only_native);
    communicator_state(const communicator_state&) = delete;
    communicator_state& operator=(const communicator_state&) = delete;
    ~communicator_state();

    /// Returns the reason why all calls go to the MPI library; null if they need not.
    const char* only_native() const { return only_native_; }
    int rank() const { return rank_; }
    int size() const { return size_; }
    /// Returns the program's communicator, or MPI_COMM_NULL once it is freed.
    MPI_Comm programs() const { return programs_; }

    /// Returns the plan for a call, made if there is none. The reference is valid until the next call of prepare().
    const std::shared_ptr<prepared_plan>& prepare(const call_to_plan& call);
    /// Returns whether all ranks exchange messages through the memory of a node.
    bool shares_memory() const { return node_.has_value(); }
    /// Returns a transport for executions on this communicator. The communicator outlives it.
    call_transport way() { return {*transport_, node_ ? &*node_ : nullptr}; }
    /// Returns the transport of blocking calls.
    call_transport& blocking_way() { return *blocking_way_; }
    /// Returns the number of a blocking call, which all ranks begin in the same order.
    std::uint64_t count_blocking() { return ++blocking_calls_; }
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
    static constexpr std::uint64_t channels = std::uint64_t{1} << call_transport::channel_bits;
    std::uint64_t draw_nonblocking_channel() { return 1 + nonblocking_++ % (channels / 2 - 1); }
    /// Returns the number of non-blocking calls, the same on all ranks.
    std::uint64_t nonblocking() const { return nonblocking_; }
    /// Returns a channel for a persistent operation, which keeps it; 0: none is left.
    std::uint64_t draw_persistent_channel() {
        return persistent_ < agreements - channels / 2 ? channels / 2 + persistent_++ : 0;
    }

    /// Returns MPI_SUCCESS once all ranks have called this, and drives operations in flight meanwhile. All ranks then
    /// enter the MPI library's blocking function that follows, which needs no rank outside of it.
    int meet();
    /// Sets numbers to the largest ones of all ranks, and drives operations in flight meanwhile. Returns whether this
    /// succeeded, on this rank.
    /// @pre own() is a communicator
    bool agree(agreed_numbers& maxima);
    /// Returns the private communicator, MPI_COMM_NULL if there is none.
    MPI_Comm own() const { return own_; }
    /// Returns the tag on it of a group of its ranks with a tag of the program.
    int tag_of_group(int programs) const {
        const auto tags = static_cast<int>(transport_->messages_a_pair());
        return static_cast<int>(groups) * tags + programs % tags;
    }

    /// Notes that an operation has failed, so that some of its messages may never be received.
    void note_failure() { failed_ = true; }

    /// Returns the number of next_state.
    long number() const { return number_; }
    /// Returns a fingerprint of the calls so far, which are the same on all ranks.
    long history() const;
    /// Prepares for another communicator of the program with the same ranks. Returns whether that is possible.
    bool rest();

    /// Adds an operation in flight, or one whose channel an older operation still uses.
    void add(operation& one);
    /// Makes progress on all of them.
    void progress();
    bool idle() const { return running_.empty(); }

  private:
    // Channels of meetings of all ranks, of groups, and of agreements.
    static constexpr std::uint64_t meetings = channels - 1, groups = channels - 2, agreements = channels - 3;

    /// Largest number of persistent channels of a state that is kept.
    static constexpr std::uint64_t most_persistent = 256;

    static communicator_state* attach(MPI_Comm comm, std::shared_ptr<communicator_state> made);
    void make_own();

    std::atomic<MPI_Comm> programs_ = MPI_COMM_NULL;
    MPI_Comm own_ = MPI_COMM_NULL;
    long number_ = 0;
    bool failed_ = false;
    const char* only_native_ = nullptr;
    int rank_ = 0, size_ = 1;
    std::optional<topology::placement> where_;   ///< determined when first needed
    std::shared_ptr<ranks_on_cluster> cluster_;  ///< determined with where_
    std::unique_ptr<wishes> preferred_;
    std::optional<mpi_transport> transport_;
    std::optional<node_ranks> node_;
    std::optional<call_transport> blocking_way_;
    std::uint64_t blocking_calls_ = 0;
    workspace space_;
    std::unique_ptr<blocking_calls> blocking_;
    plan_store plans_;
    std::uint64_t nonblocking_ = 0, persistent_ = 0;
    std::vector<operation*> running_;
    std::unique_ptr<repeated_exchange> meeting_, agreement_;  // made when first needed
    bool meeting_now_ = false;

    friend int forget(MPI_Comm, int, void*, void*);
};

}  // namespace collsched::preload
