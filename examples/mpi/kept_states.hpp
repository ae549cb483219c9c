#pragma once

#include <array>
#include <memory>

#include "native_mpi.hpp"

namespace collsched::preload {

class communicator_state;

/// Numbers whose largest values all ranks receive.
using agreed_numbers = std::array<long, 5>;

/// The state for a communicator that the program is about to make. The state of a communicator that the program frees
/// is kept for the next one with the same ranks, since it takes longer to make one than to agree on one.
class next_state {
  public:
    /// Takes a state that is kept for the ranks of a communicator, so that no other thread takes it, or none.
    explicit next_state(MPI_Comm comm);
    next_state(const next_state&) = delete;
    next_state& operator=(const next_state&) = delete;
    /// Keeps a state that was not used.
    ~next_state();

    /// Returns the numbers whose largest ones of all ranks decide() needs.
    agreed_numbers proposal() const;
    /// Decides by the largest numbers of all ranks whether all have the same state, or make one with a new number.
    void decide(const agreed_numbers& maxima);
    /// Decides by a reduction over a communicator. Collective, and makes no progress on operations in flight.
    void decide_over(MPI_Comm comm);

    /// Returns the state, or null if one is to be made with number().
    std::shared_ptr<communicator_state> take();
    /// The same on all ranks of the state; different from those of all others that rank 0 of its communicator belongs
    /// to. Known once it is decided.
    long number() const { return number_; }

  private:
    std::unique_ptr<communicator_state> kept_;
    long number_ = 0, drawn_ = 0;
};

/// Keeps a state whose communicator is freed, or deletes it if operations on it have failed. Called with locks of the
/// MPI held.
void retire(communicator_state* one);
/// Deletes all states that are kept.
void delete_kept();

}  // namespace collsched::preload
