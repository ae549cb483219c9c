// Every algorithm on real bytes over MPI, on the communicators of the first p ranks: all p up to 5, then all p above
// half the size, so that starts with 5, 8 and 16 ranks have run every p. More than 2 ranks run only the distinctive
// layouts, more than 8 only every third p; long runs take every p, and up to 8 ranks all layouts. Exits with 0 if all
// is right on every rank.

#include "collsched/execute/mpi.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <string>

#include "support/brief.hpp"
#include "support/conformance.hpp"
#include "support/wait_or_fail.hpp"

using namespace collsched;

namespace {

int run_all(rank_t rank, rank_t size) {
    int wrong = 0, runs = 0;
    MPI_Comm first = MPI_COMM_NULL;
    rank_t ranks_of_first = 0;
    const rank_t least = size <= 5 ? 1 : size / 2 + 1;
    const bool full = support::long_run();
    const auto run_one = [&](const support::conformance_case& one) {
        const rank_t p = one.schedule.ranks;
        if (p != ranks_of_first) {
            if (first != MPI_COMM_NULL) MPI_Comm_free(&first);
            MPI_Comm_split(MPI_COMM_WORLD, rank < p ? 0 : MPI_UNDEFINED, 0, &first);
            ranks_of_first = p;
        }
        if (first == MPI_COMM_NULL) return;
        mpi_transport over(first);
        ++runs;
        if (const std::string fault = support::conform(one, rank, over); !fault.empty()) {
            ++wrong;
            std::fprintf(stderr, "%s\n", fault.c_str());
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    };
    const rank_t stride = full || size <= 8 ? 1 : 3;
    const bool telling = size > (full ? 8 : 2);
    for (rank_t p = size; p >= least; p -= stride) support::for_each_conformance_case(p, p, telling, run_one);
    if (first != MPI_COMM_NULL) MPI_Comm_free(&first);
    if (rank == 0) std::printf("%d schedules right on up to %d ranks\n", runs, static_cast<int>(size));
    return wrong;
}

/// An allgather of two ranks, run by hand.
struct two_ranks {
    std::array<std::byte, 8> in{}, out{};
    bound_plan own;
    execution<mpi_transport> run;

    two_ranks(rank_t rank, bytes_t block, mpi_transport& over, std::uint64_t channel = 0)
        : own(allgather::ring{.ranks = 2, .block = block}, rank,
              {std::span(in).first(static_cast<std::size_t>(block)),
               std::span(out).first(static_cast<std::size_t>(2 * block))}),
          run(own.plan(), over, {.channel = channel}) {}

    run_status start(rank_t value, std::chrono::milliseconds patience) {
        in.fill(static_cast<std::byte>(value));
        run.start(own.buffers());
        return support::wait_or_fail(run, patience);
    }
};

constexpr std::chrono::milliseconds short_time(50), long_time(60'000);

/// A late message of a start that has failed here is not taken for a message of the next one.
bool late_message_is_distinguished(rank_t rank, MPI_Comm comm) {
    mpi_transport over(comm);
    two_ranks both(rank, 4, over);
    bool right = true;
    if (rank == 0) right = both.start(1, short_time).error == timed_out;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) right = both.start(2, long_time).done();
    MPI_Barrier(MPI_COMM_WORLD);
    right = right && both.start(10 + rank, long_time).done();
    return right && both.out[0] == std::byte{10} && both.out[4] == std::byte{11};
}

/// Ranks that disagree over the size of a block: the one that receives less than it expects ends with an error.
bool short_message_is_reported(rank_t rank, MPI_Comm comm) {
    mpi_transport over(comm);
    two_ranks both(rank, rank == 0 ? 4 : 2, over);
    const run_status end = both.start(rank, long_time);
    MPI_Barrier(MPI_COMM_WORLD);
    return rank == 0 ? end.error == message::error::size_mismatch && end.peer == 1 : end.failed();
}

/// Channels share no tags: the last one does what the first does, and one more is refused.
bool channels_are_as_many_as_announced(rank_t rank, MPI_Comm comm) {
    mpi_transport over(comm, 4);
    two_ranks first(rank, 4, over, 0), last(rank, 4, over, 3), beyond(rank, 4, over, 4);
    first.in.fill(std::byte{1});
    last.in.fill(std::byte{2});
    two_ranks &sooner = rank == 0 ? first : last, &later = rank == 0 ? last : first;
    sooner.run.start(sooner.own.buffers());
    later.run.start(later.own.buffers());
    const bool done =
        support::wait_or_fail(first.run, long_time).done() && support::wait_or_fail(last.run, long_time).done();
    const bool apart = first.out[0] == std::byte{1} && first.out[4] == std::byte{1} && last.out[0] == std::byte{2} &&
                       last.out[4] == std::byte{2};
    return done && apart && beyond.start(0, long_time).error == message::error::no_such_channel;
}

int run_faults(rank_t rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // to which MPICH reports the errors of Testany
    MPI_Comm own[3];  // all until the end: something is left in the first one
    for (MPI_Comm& one : own) {
        MPI_Comm_dup(MPI_COMM_WORLD, &one);
        MPI_Comm_set_errhandler(one, MPI_ERRORS_RETURN);
    }
    const bool channels = channels_are_as_many_as_announced(rank, own[2]);
    const bool late = late_message_is_distinguished(rank, own[0]), brief = short_message_is_reported(rank, own[1]);
    if (!channels) std::fprintf(stderr, "rank %d: channels are not distinguished\n", static_cast<int>(rank));
    if (!late) std::fprintf(stderr, "rank %d: a late message is taken for another\n", static_cast<int>(rank));
    if (!brief) std::fprintf(stderr, "rank %d: a short message is not reported\n", static_cast<int>(rank));
    for (MPI_Comm& one : own) MPI_Comm_free(&one);
    return channels && late && brief ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int wrong = run_all(rank, size);
    if (size == 2) wrong += run_faults(rank);
    MPI_Finalize();
    return wrong == 0 ? 0 : 1;
}
