// Collectives over TCP, on real bytes, checked. One process a rank, on any machines:
//   tcp_collectives RANK HOST:PORT HOST:PORT...    the same list on all ranks, rank r listens at the r-th
//   tcp_collectives [RANKS]                        so many processes on this machine (4), forked by the program itself

#include <string>
#include <vector>

#include "examples/transports/few_collectives.hpp"
#include "examples/transports/forked_ranks.hpp"
#include "tcp_transport.hpp"

using namespace examples;

namespace {

int run_forked(rank_t ranks) {
    const auto make = [](rank_t rank) { return tcp_transport(rank, "127.0.0.1:0"); };
    const auto address = [](tcp_transport& over) { return "127.0.0.1:" + std::to_string(over.port()); };
    const auto run = [ranks](rank_t rank, tcp_transport& over) {
        return few_collectives(rank, ranks, over).run() ? 0 : 1;
    };
    return fork_connected(ranks, make, address, run) == 0 ? 0 : 1;
}

int run_one(rank_t rank, const std::vector<std::string>& addresses) {
    tcp_transport over(rank, addresses[static_cast<std::size_t>(rank)]);
    return connected(rank, over, addresses) && few_collectives(rank, std::ssize(addresses), over).run() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.size() < 2) return run_forked(words.empty() ? 4 : read_number("RANKS", words[0], 1, most_forked_ranks));
    const std::vector<std::string> addresses(words.begin() + 1, words.end());
    return run_one(read_number("RANK", words[0], 0, std::ssize(addresses) - 1), addresses);
}
