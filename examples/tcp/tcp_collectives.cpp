// Collectives over TCP, on real bytes, checked. One process per rank:
//   tcp_collectives [--job NUMBER] [--beyond-loopback] RANK HOST:PORT HOST:PORT...
//                                                  the same list on all ranks, rank r listens at the r-th
//   tcp_collectives [RANKS]                        this many processes on this node (4), forked by the program itself
//
// --job NUMBER: number of the group, equal on all its ranks (default 0). --beyond-loopback: addresses outside of the
// loopback interface. Nothing is authenticated or encrypted: only where every node of the network is trusted.

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "examples/transports/few_collectives.hpp"
#include "examples/transports/forked_ranks.hpp"
#include "tcp_transport.hpp"

using namespace examples;

namespace {

int run_forked(rank_t ranks) {
    const tcp_options options{.job = std::random_device{}()};
    const auto make = [&](rank_t rank) { return tcp_transport(rank, "127.0.0.1:0", options); };
    const auto address = [](tcp_transport& over) { return "127.0.0.1:" + std::to_string(over.port()); };
    const auto run = [ranks](rank_t rank, tcp_transport& over) {
        return few_collectives(rank, ranks, over).run() ? 0 : 1;
    };
    return fork_connected(ranks, make, address, run) == 0 ? 0 : 1;
}

int run_one(rank_t rank, const std::vector<std::string>& addresses, const tcp_options& options) {
    const std::string& own = addresses[static_cast<std::size_t>(rank)];
    tcp_transport over(rank, own, options);
    if (over.error() == not_loopback) {
        std::fprintf(stderr, "HOST:PORT: got %s, expected a loopback address without --beyond-loopback\n", own.c_str());
        return 2;
    }
    return connected(rank, over, addresses) && few_collectives(rank, std::ssize(addresses), over).run() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> words(argv + 1, argv + argc);
    tcp_options options;
    while (words.size() > 1 && words[0].starts_with("--")) {
        const bool job = words[0] == "--job";
        if (job)
            options.job =
                static_cast<std::uint64_t>(read_number("--job", words[1], 0, std::numeric_limits<rank_t>::max()));
        else if (words[0] == "--beyond-loopback") options.beyond_loopback = true;
        else break;
        words.erase(words.begin(), words.begin() + (job ? 2 : 1));
    }
    if (words.size() < 2) return run_forked(words.empty() ? 4 : read_number("RANKS", words[0], 1, most_forked_ranks));
    const std::vector<std::string> addresses(words.begin() + 1, words.end());
    return run_one(read_number("RANK", words[0], 0, std::ssize(addresses) - 1), addresses, options);
}
