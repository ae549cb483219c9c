// Communicators: nine ranks in rows and columns of three. Each rank sums over its row and over its column at the same
// time, and over the diagonal if it is there.

#include <cstdio>
#include <deque>
#include <thread>
#include <vector>

#include "collsched/collective.hpp"
#include "collsched/execute.hpp"

using namespace collsched;
constexpr rank_t side = 3, grid = side * side;
using group = communicator<thread_fabric::endpoint>;

struct sum {  // an allreduce of one number over a communicator, on a channel of its own
    sum(const group& members, double value) : over(members), mine(value) {
        run.start(plan.buffers(), reductions::sum<double>());
    }

    group over;
    double mine, total = 0;
    allreduce::recursive_doubling schedule{.ranks = over.ranks(), .bytes = 8, .element = 8};
    bound_plan plan{
        schedule, over.rank(), {std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(&total, 1))}};
    execution<group> run{plan.plan(), over, over.open_channel()};
};

std::vector<double> sums_of(thread_fabric& fabric, rank_t rank) {
    auto endpoint = fabric.at(rank);
    group world(endpoint, grid, rank);
    std::vector<std::int64_t> rows;  // each rank computes the rows of all ranks: no message
    for (rank_t r = 0; r < grid; ++r) rows.push_back(r / side);
    group row = world.split(rows);
    // The ranks exchange columns and keys. The keys reverse the order. Ranks beside the diagonal are in no communicator.
    color_exchange columns(world, rank % side, -rank);
    color_exchange diagonals(world, rank % side == rank / side ? 0 : group::undefined, 0);
    if (!columns.run().wait().done() || !diagonals.run().wait().done()) return std::vector<double>(3);
    group column = columns.result(), diagonal = diagonals.result();

    std::deque<sum> all;
    for (const group& one : {row, column, diagonal})
        if (!one.empty()) all.emplace_back(one, static_cast<double>(rank));
    std::vector<double> totals;
    for (sum& one : all)
        if (one.run.wait().done()) totals.push_back(one.total);
    totals.resize(3);
    return totals;
}

int main() {
    thread_fabric fabric(grid);
    std::vector<double> totals[grid];
    {
        std::vector<std::jthread> threads;
        for (rank_t r = 0; r < grid; ++r) threads.emplace_back([&, r] { totals[r] = sums_of(fabric, r); });
    }
    for (rank_t r = 0; r < grid; ++r)
        std::printf("rank %d: row %g, column %g, diagonal %g\n", int(r), totals[r][0], totals[r][1], totals[r][2]);
}
