// Every algorithm on real bytes over TCP, on the first p ranks of five processes, for all p up to 5. Exits with 0 if
// all results are correct on every rank.

#include <random>
#include <string>

#include "forked_ranks/forked_ranks.hpp"
#include "support/conformance.hpp"
#include "collsched/execute/tcp/transport.hpp"

using namespace collsched;
using namespace examples;

int main() {
    constexpr rank_t ranks = 5;
    const tcp_transport::options options{.job = std::random_device{}()};
    const auto make = [&](rank_t rank) { return tcp_transport(rank, "127.0.0.1:0", options); };
    const auto address = [](tcp_transport& over) { return "127.0.0.1:" + std::to_string(over.port()); };
    const auto run = [](rank_t rank, tcp_transport& over) { return support::conform_all(rank, ranks, over) ? 0 : 1; };
    return fork_connected(ranks, make, address, run) == 0 ? 0 : 1;
}
