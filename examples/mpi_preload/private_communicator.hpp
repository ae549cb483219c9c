#pragma once

#include <mpi.h>

#include <array>

namespace collsched::preload {

/// Numbers whose largest values all ranks receive.
using agreed_numbers = std::array<long, 3>;

/// A communicator of this library, which carries no messages of the program. One that is no longer in use is kept for
/// the next communicator of the program with the same ranks, since it takes longer to make one than to agree on one.
struct private_communicator {
    MPI_Comm comm = MPI_COMM_NULL;
    /// The same on all its ranks. Rank 0 draws it, so it differs from those of all others with the same ranks, also when
    /// several threads make them at once.
    long number = 0;

    /// Takes one that is kept for these ranks, so that no other thread takes it. None: the number alone is set.
    static private_communicator reserve(MPI_Comm programs);
    /// Returns the numbers whose largest ones of all ranks decide() needs.
    agreed_numbers proposal(MPI_Comm programs) const;
    /// Decides by the largest numbers of all ranks whether all have the same; otherwise gives it back and keeps only a
    /// new number.
    void decide(const agreed_numbers& maxima);
    /// Makes the communicator, unless decide() has found one. Collective. MPI_COMM_NULL: the MPI has none left.
    void make(MPI_Comm programs);
    /// Gives it back, or frees it if operations on it have failed. Without effect for MPI_COMM_NULL.
    void give_back(bool failed);
    /// Frees all that are kept.
    static void free_kept();
};

}  // namespace collsched::preload
