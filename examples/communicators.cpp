// Communicators: nine ranks in three rows and three columns. Each rank sums over its row and over its column at the
// same time, and the ranks of the diagonal sum among themselves.

#include <cstddef>
#include <cstdio>
#include <deque>
#include <span>
#include <thread>
#include <vector>

#include "collsched/collective.hpp"
#include "collsched/execute.hpp"

using namespace collsched;

constexpr rank_t side = 3, grid = side * side;
using group = communicator<thread_fabric::endpoint>;

// An allreduce of one number over a communicator, on a channel that the communicator hands out.
struct sum {
    sum(const group& members, double value)
        : over(members),
          mine(value),
          plan(allreduce::recursive_doubling{.ranks = over.ranks(), .bytes = 8, .element = 8}, over.rank(),
               {std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(&total, 1))}),
          run(plan.plan(), over, over.open_channel()) {
        run.start(plan.buffers(), reductions::sum<double>());
    }

    group over;
    double mine, total = 0;
    bound_plan plan;
    execution<group> run;
};

// The program of one rank. Returns its sums; the last one is 0 outside of the diagonal.
std::vector<double> sums_of(thread_fabric& fabric, rank_t rank) {
    auto endpoint = fabric.at(rank);
    group world(endpoint, grid, rank);
    const rank_t row = rank / side, column = rank % side;

    // Every rank computes the rows of all ranks: no message.
    std::vector<std::int64_t> rows;
    for (rank_t r = 0; r < grid; ++r) rows.push_back(r / side);
    const group of_row = world.split(rows);

    // The ranks exchange columns and keys. The keys turn the order round.
    color_exchange columns(world, column, -rank);
    if (!columns.run().wait().done()) return {};
    const group of_column = columns.result();

    // Ranks with the color `undefined` are in no communicator.
    color_exchange diagonal(world, row == column ? 0 : group::undefined, 0);
    if (!diagonal.run().wait().done()) return {};
    const group of_diagonal = diagonal.result();

    const double value = static_cast<double>(rank);
    std::deque<sum> all;
    all.emplace_back(of_row, value);
    all.emplace_back(of_column, value);
    if (!of_diagonal.empty()) all.emplace_back(of_diagonal, value);
    std::vector<double> totals;
    for (sum& one : all)
        if (one.run.wait().done()) totals.push_back(one.total);
    totals.resize(3);
    return totals;
}

int main() {
    thread_fabric fabric(grid);
    std::vector<std::vector<double>> totals(grid);
    {
        std::vector<std::jthread> threads;
        for (rank_t r = 0; r < grid; ++r)
            threads.emplace_back([&, r] { totals[static_cast<std::size_t>(r)] = sums_of(fabric, r); });
    }
    for (rank_t r = 0; r < grid; ++r) {
        const std::vector<double>& of = totals[static_cast<std::size_t>(r)];
        if (of.empty()) return 1;
        std::printf("rank %d: row %g, column %g, diagonal %g\n", int(r), of[0], of[1], of[2]);
    }
}
