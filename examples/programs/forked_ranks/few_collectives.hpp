#pragma once

#include <chrono>
#include <cstdio>
#include <cstring>
#include <span>
#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/collective/alltoall/direct.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/execute/rank_memory.hpp"
#include "collsched/tree/binomial.hpp"

namespace examples {

using namespace collsched;

/// Returns byte i of the block from rank `from` to rank `to`.
constexpr std::byte byte_for(rank_t from, rank_t to, bytes_t i) {
    return static_cast<std::byte>((131 * from + 31 * to + i + i / 251) & 0xff);
}

/// Runs a schedule on one rank. On failure prints a line and returns false.
template <schedulable X, polled_transport T>
bool run_one(const X& x, rank_t rank, T& over, const rank_memory& memory, execution_options how, reduction op = {}) {
    bound_plan plan(x, rank, memory);
    execution run(plan.plan(), over, how);
    run.start(plan.buffers(), op);
    const run_status end = run.wait_for(std::chrono::seconds(30));
    if (!end.done())
        std::fprintf(stderr, "rank %d: error %d in step %d with rank %d\n", static_cast<int>(rank), end.error,
                     static_cast<int>(end.step), static_cast<int>(end.peer));
    return end.done();
}

/// Runs some collectives on real bytes over any transport. A final allreduce sums the errors.
template <polled_transport T>
class few_collectives {
  public:
    few_collectives(rank_t rank, rank_t ranks, T& over) : rank_(rank), ranks_(ranks), over_(&over) {}

    /// Runs all checks. Rank 0 prints one line for each. Returns false if any rank has an error.
    bool run() {
        const rank_t p = ranks_, root = p - 1;
        return check("broadcast/binomial",
                     broadcast::over_tree<trees::binomial>{.ranks = p, .root = root, .bytes = block}, 1,
                     [&](rank_t) { return byte_of{root, root}; }) &&
               check("allgather/ring", allgather::ring{.ranks = p, .block = block}, 1,
                     [](rank_t from) { return byte_of{from, from}; }) &&
               check("allgather/bruck", allgather::bruck{.ranks = p, .block = block}, 1,
                     [](rank_t from) { return byte_of{from, from}; }) &&
               check("alltoall/pairwise", alltoall::pairwise{.ranks = p, .block = block}, p,
                     [&](rank_t from) { return byte_of{from, rank_}; });
    }

  private:
    static constexpr bytes_t block = 100'003;
    struct byte_of {
        rank_t from, to;
    };

    /// Runs a schedule in which every rank contributes `blocks` blocks: its own, or one per rank. expected(k) returns
    /// the origin of the k-th block that the rank receives.
    template <schedulable X, class Expected>
    bool check(const char* name, const X& x, rank_t blocks, Expected expected) {
        std::vector<std::byte> input(static_cast<std::size_t>(blocks * block));
        for (bytes_t i = 0; i < std::ssize(input); ++i)
            input[static_cast<std::size_t>(i)] = byte_for(rank_, blocks == 1 ? rank_ : i / block, i % block);
        const contract terms = lower(x).contract();
        std::vector<std::byte> output(static_cast<std::size_t>(terms.output_bytes(rank_)));
        std::int64_t wrong = run_one(x, rank_, *over_, {input, output}, {.epoch = starts_}) ? 0 : 1;
        for (bytes_t i = 0; i < std::ssize(output); ++i) {
            const byte_of origin = expected(i / block);
            wrong += output[static_cast<std::size_t>(i)] != byte_for(origin.from, origin.to, i % block);
        }
        const std::int64_t all = sum(wrong);
        if (rank_ == 0)
            std::printf("%s on %d ranks: %s\n", name, static_cast<int>(ranks_), all == 0 ? "right" : "WRONG");
        return all == 0;
    }

    /// Returns the sum over all ranks, on a separate channel; -1 on failure.
    std::int64_t sum(std::int64_t mine) {
        const auto add = [](void*, std::byte* into, const std::byte* incoming, bytes_t, action) {
            std::int64_t a = 0, b = 0;
            std::memcpy(&a, into, sizeof a);
            std::memcpy(&b, incoming, sizeof b);
            a += b;
            std::memcpy(into, &a, sizeof a);
        };
        std::int64_t all = -1;
        const allreduce::recursive_doubling sums{.ranks = ranks_, .bytes = sizeof all, .element = sizeof all};
        const rank_memory memory{std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(&all, 1))};
        const execution_options how{.channel = 1, .epoch = starts_++};
        return run_one(sums, rank_, *over_, memory, how, {add, nullptr, true}) ? all : -1;
    }

    rank_t rank_, ranks_;
    T* over_;
    std::uint64_t starts_ = 0;
};

}  // namespace examples
