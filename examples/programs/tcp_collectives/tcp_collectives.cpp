// Collectives over TCP, on real bytes, checked. One process per rank:
//   tcp_collectives [OPTION VALUE]... RANK HOST:PORT HOST:PORT...
//                                   the same list on all ranks, rank r listens at the r-th
//   tcp_collectives [RANKS]         this many processes on this node (4), forked by the program itself
//
// --key-file FILE    file with the key of the group, 16 to 4096 bytes, readable by this user alone (default: the file
//                    that the environment variable COLLSCHED_TCP_KEY_FILE names; without a key, loopback only)
// --job NUMBER       number of the group, equal on all its ranks (default 0)
// --timeout SECONDS  time in which all ranks connect (default 60)
//
// Connections are authenticated. Nothing is encrypted: docs/transports.md.

#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "collsched/execute/tcp/transport.hpp"
#include "forked_ranks/few_collectives.hpp"
#include "forked_ranks/forked_ranks.hpp"

using namespace examples;

namespace {

struct settings {
    tcp_transport::options options;
    std::string key_file;
    const char* key_from = "COLLSCHED_TCP_KEY_FILE";  ///< names the file
    rank_t seconds = 60;
};

int run_forked(rank_t ranks) {
    const tcp_transport::options options{.job = std::random_device{}()};
    const auto make = [&](rank_t rank) { return tcp_transport(rank, "127.0.0.1:0", options); };
    const auto address = [](tcp_transport& over) { return "127.0.0.1:" + std::to_string(over.port()); };
    const auto run = [ranks](rank_t rank, tcp_transport& over) {
        return few_collectives(rank, ranks, over).run() ? 0 : 1;
    };
    return fork_connected(ranks, make, address, run) == 0 ? 0 : 1;
}

int run_one(rank_t rank, const std::vector<std::string>& addresses, const settings& given) {
    const std::string& own = addresses[static_cast<std::size_t>(rank)];
    tcp_transport over(rank, own, given.options);
    if (over.error() == tcp_transport::errors::not_loopback) {
        std::fprintf(stderr, "HOST:PORT: got %s, expected a loopback address without --key-file\n", own.c_str());
        return 2;
    }
    if (over.error() != 0) {
        std::fprintf(stderr, "HOST:PORT: got %s, expected an address of this node with a free port\n", own.c_str());
        return 2;
    }
    if (const completion met = over.connect(addresses, std::chrono::seconds(given.seconds)); met.error != 0) {
        std::fprintf(stderr, "rank %d: error %d with rank %d: %s\n", static_cast<int>(rank), met.error,
                     static_cast<int>(met.peer), tcp_transport::errors::text(met.error));
        return 1;
    }
    return few_collectives(rank, std::ssize(addresses), over).run() ? 0 : 1;
}

/// Takes the options with their values from the front of the words.
settings take_options(std::vector<std::string>& words) {
    settings given;
    if (const char* const file = std::getenv("COLLSCHED_TCP_KEY_FILE"); file != nullptr) given.key_file = file;
    for (; words.size() > 1; words.erase(words.begin(), words.begin() + 2)) {
        if (words[0] == "--job")
            given.options.job =
                static_cast<std::uint64_t>(read_number("--job", words[1], 0, std::numeric_limits<rank_t>::max()));
        else if (words[0] == "--timeout") given.seconds = read_number("--timeout", words[1], 1, 1'000'000);
        else if (words[0] == "--key-file") given.key_file = words[1], given.key_from = "--key-file";
        else break;
    }
    if (!words.empty() && words[0].starts_with("--")) {
        std::fprintf(stderr, "OPTION: got %s, expected --job, --key-file or --timeout, and a value\n",
                     words[0].c_str());
        std::exit(2);
    }
    return given;
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> words(argv + 1, argv + argc);
    settings given = take_options(words);
    if (words.size() < 2) return run_forked(words.empty() ? 4 : read_number("RANKS", words[0], 1, most_forked_ranks));
    if (!given.key_file.empty()) {
        const std::string problem = given.options.key.read(given.key_file);
        if (!problem.empty()) return std::fprintf(stderr, "%s: %s\n", given.key_from, problem.c_str()), 2;
    }
    const std::vector<std::string> addresses(words.begin() + 1, words.end());
    for (const std::string& one : addresses)
        if (one.starts_with("--"))
            return std::fprintf(stderr, "HOST:PORT: got %s, expected options before RANK\n", one.c_str()), 2;
    return run_one(read_number("RANK", words[0], 0, std::ssize(addresses) - 1), addresses, given);
}
