// Every algorithm on real bytes over TCP, on the first p ranks of five processes: all p up to 5. Exits with 0 if all is
// right on every rank.

#include <cstdio>
#include <cstdlib>
#include <string>

#include "forked_ranks.hpp"
#include "support/conformance.hpp"
#include "tcp_transport.hpp"

using namespace examples;

namespace {

constexpr rank_t ranks = 5;

int run_all(rank_t rank, tcp_transport& over) {
    int runs = 0;
    std::string fault;
    const bool brief = std::getenv("COLLSCHED_FULL") == nullptr;
    support::for_each_conformance_case(1, ranks, brief, [&](const support::conformance_case& one) {
        if (rank >= one.schedule.ranks || !fault.empty()) return;
        fault = support::conform(one, rank, over);
        ++runs;
    });
    if (!fault.empty()) std::fprintf(stderr, "%s\n", fault.c_str());
    else if (rank == 0) std::printf("%d schedules right on up to %d ranks\n", runs, static_cast<int>(ranks));
    return fault.empty() && runs > 0 ? 0 : 1;
}

}  // namespace

int main() {
    notice_board board(ranks);
    return fork_ranks(ranks, [&](rank_t rank) {
        tcp_transport over(rank, "127.0.0.1:0");
        board.put(rank, "127.0.0.1:" + std::to_string(over.port()));
        const completion met = over.connect(board.all(ranks), std::chrono::seconds(60));
        if (met.error != 0) std::fprintf(stderr, "error %d with rank %d\n", met.error, static_cast<int>(met.peer));
        return met.error == 0 ? run_all(rank, over) : 1;
    });
}
