// Every algorithm on real bytes over UCX, on the first p ranks of five processes, for all p up to 5. Exits with 0 if
// all results are correct on every rank.

#include "forked_ranks/forked_ranks.hpp"
#include "support/conformance.hpp"
#include "examples/programs/ucx/ucx_transport.hpp"

using namespace examples;

int main() {
    constexpr rank_t ranks = 5;
    const auto make = [](rank_t rank) { return ucx_transport(rank); };
    const auto address = [](ucx_transport& over) { return over.address(); };
    const auto run = [](rank_t rank, ucx_transport& over) { return support::conform_all(rank, ranks, over) ? 0 : 1; };
    return fork_connected(ranks, make, address, run) == 0 ? 0 : 1;
}
