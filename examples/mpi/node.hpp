#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "collsched/execute/run_status.hpp"
#include "native_mpi.hpp"
#include "never_destroyed.hpp"
#include "node_transport.hpp"
#include "own_mpi.hpp"
#include "selection.hpp"

namespace collsched::preload {

/// Returns the MPI error of an error of a transport or of the engine.
inline int mpi_error_of(int error) {
    if (error == 0) return MPI_SUCCESS;
    if (error == message::error::size_mismatch) return MPI_ERR_TRUNCATE;
    return error > message::error::first_own ? error - message::error::first_own : MPI_ERR_INTERN;
}

/// The ranks of a communicator on a node that they share. Equal on all of them.
struct node_ranks {
    std::vector<rank_t> members;  ///< per rank of the communicator: its rank in the memory of the node
    std::uint64_t number = 0;     ///< of the communicator, different for all that exist or have existed on the node
    node_transport* messages = nullptr;
};

/// Makes the memory that the ranks of a node share. If one of them cannot, all of them use messages of the MPI. They use
/// single copy if that is the use and each of them can read the memory of the others. Collective over `beside`; called once.
/// @param beside  the ranks of MPI_COMM_WORLD on this node
/// @param use     not none; the same on all ranks
void join_node(MPI_Comm beside, shared_memory_use use);

/// Returns whether the ranks of this node share memory. The same on all of them; false before join_node().
bool shares_memory();

/// Returns whether the ranks of this node outnumber the processors that they may use. The same on all of them.
bool is_crowded();

/// Returns the ranks of a communicator if they all share the memory of one node. Local.
/// @param number  of the communicator, see node_ranks
std::optional<node_ranks> node_of(MPI_Comm comm, std::uint64_t number);

/// The lengths of messages that fit the receives of a call. Where ranks pass data on, an error is passed on as messages of a
/// wrong length.
enum class message_lengths : std::uint8_t {
    passed_on,  ///< a message of another length is an error, and so are then all that this rank sends later
    equal,      ///< a message of another length is an error
    most,       ///< a longer message is an error, and a shorter one fills the first part of its receive, as in MPI
    different,  ///< as passed_on, from the first message on
};

/// The transport of the executions of a communicator, or of one operation: the memory of the node if all ranks share it,
/// else messages of the MPI.
///
/// A message whose length does not fit its receive is an error of the call, and not of its execution, which continues: no
/// rank waits for a rank that has ended early.
class call_transport {
  public:
    /// Channels of a communicator are numbers of so many bits.
    static constexpr int channel_bits = 12;

    /// Both outlive the transport. @param node  ranks, or null: messages of the MPI
    call_transport(mpi_transport& mpi, const node_ranks* node)
        : mpi_(&mpi), node_(node), messages_(node == nullptr ? nullptr : node->messages) {}

    bool is_shared() const { return messages_ != nullptr; }

    /// Sets the lengths and the pattern (see node_transport) of the messages of the following calls.
    void expect(message_lengths lengths, std::uint32_t pattern) {
        lengths_ = lengths, pattern_ = pattern;
        if (is_shared()) messages_->count_call();
    }
    /// Returns MPI_ERR_TRUNCATE if a message of the last call did not fit, and forgets that.
    int take_length_error() { return misfits->empty() ? MPI_SUCCESS : take_misfit(); }

    bool combines_on_arrival() const { return is_shared(); }
    int post_send(const message::key& key, std::span<const message::send_part> parts) {
        owner_ = key.request.owner;
        if (lengths_ == message_lengths::different || !misfits->empty()) parts = spoiled_if_wrong(parts);
        return is_shared() ? messages_->post_send(named(key), parts) : mpi_->post_send(key, parts);
    }
    int post_recv(const message::key& key, std::span<const message::receive_part> parts) {
        owner_ = key.request.owner;
        return without_misfit(is_shared() ? messages_->post_recv(named(key), parts)
                                          : mpi_->post_recv(with_fingerprint(key), parts));
    }
    int post_recv_combine(const message::key& key, const message::combined_part& part) {
        owner_ = key.request.owner;
        return without_misfit(messages_->post_recv_combine(named(key), part));
    }
    /// As node_transport::take_next(). @pre is_shared()
    template <class Memory>
    bool take_next(const message::key& key, const Memory& memory) {
        return messages_->take_next(named(key), memory);
    }
    completion poll() {
        completion c = is_shared() ? messages_->poll() : mpi_->poll();
        if (c.error > 0 && c.request.owner != nullptr) contain_misfit(c);
        return c;
    }
    void cancel(const void* owner) { is_shared() ? messages_->cancel(owner) : mpi_->cancel(owner); }

  private:
    static inline constinit never_destroyed<std::vector<const void*>> misfits;  ///< owners of such messages

    static bool is_misfit(int error) { return error == message::error::size_mismatch; }
    static void contain_misfit(completion& c);
    int take_misfit();
    int without_misfit(int result) { return result > 0 && is_misfit(result) ? note_misfit() : result; }
    int note_misfit() const;
    std::span<const message::send_part> spoiled_if_wrong(std::span<const message::send_part> parts) const;

    /// With a fingerprint a receive does not take a shorter message.
    message::key with_fingerprint(message::key key) const {
        key.fingerprint = lengths_ == message_lengths::most ? 0 : 1;
        return key;
    }
    message::key named(message::key key) const {
        key = with_fingerprint(key);
        key.peer = node_->members[static_cast<std::size_t>(key.peer)];
        key.channel |= node_->number << channel_bits;
        key.sequence |= std::int64_t{pattern_} << node_transport::sequence_bits;
        return key;
    }

    mpi_transport* mpi_;
    const node_ranks* node_;
    node_transport* messages_;
    message_lengths lengths_ = message_lengths::passed_on;
    std::uint32_t pattern_ = 0;
    const void* owner_ = nullptr;  ///< of the last message
};

/// The backoff of a rank that polls. Where ranks share memory, it makes progress in the MPI and looks for dead ranks
/// from time to time. It yields almost at once if the ranks of the node outnumber their processors, and otherwise
/// after a while.
class patience {
  public:
    void lose();
    /// Makes progress in the MPI from time to time, at a call that may not wait.
    static void count_call();

  private:
    unsigned lost_ = 0;
};

}  // namespace collsched::preload
