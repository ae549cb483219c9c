// Schedules of class canonical over TCP, on the first p ranks of five processes, for p = 2 .. 5: sums of doubles that round
// have the bits of the canonical tree. Exits with 0 if they have them on every rank.

#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "forked_ranks/forked_ranks.hpp"
#include "support/canonical_cases.hpp"
#include "collsched/execute/tcp/transport.hpp"

using namespace collsched;
using namespace examples;

namespace {

/// Returns whether every case is right on this rank.
bool all_canonical(const std::vector<support::conformance_case>& cases, rank_t rank, tcp_transport& over) {
    for (const support::conformance_case& one : cases) {
        if (rank >= one.schedule.ranks) continue;
        const std::string fault = support::conform(one, rank, over);
        if (fault.empty()) continue;
        std::fprintf(stderr, "%s\n", fault.c_str());
        return false;
    }
    if (rank == 0) std::printf("%zu schedules have the bits of their canonical trees\n", cases.size());
    return !cases.empty();
}

}  // namespace

int main() {
    constexpr rank_t ranks = 5;
    std::vector<support::conformance_case> cases;
    for (rank_t p = 2; p <= ranks; ++p)
        for (const support::conformance_case& one : support::canonical_cases(p)) cases.push_back(one);
    const tcp_transport::options options{.job = std::random_device{}()};
    const auto make = [&](rank_t rank) { return tcp_transport(rank, "127.0.0.1:0", options); };
    const auto address = [](tcp_transport& over) { return "127.0.0.1:" + std::to_string(over.port()); };
    const auto run = [&](rank_t rank, tcp_transport& over) { return all_canonical(cases, rank, over) ? 0 : 1; };
    return fork_connected(ranks, make, address, run) == 0 ? 0 : 1;
}
