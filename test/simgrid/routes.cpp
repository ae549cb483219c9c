// Prints SimGrid's routes of a platform, for test/data/clusters/simgrid/routes_*.txt. Usage: routes FILE
//
// A line per link of a route, in lexicographic order: its latency in picoseconds, its femtoseconds per byte, 1 if messages
// share its bandwidth or 0 if not, and the pairs FROM>TO whose route contains the link.

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <simgrid/s4u.hpp>

#include "collsched/cost/concepts.hpp"

using namespace collsched;

namespace {

/// Returns the costs of a link as text.
std::string text_of(const simgrid::s4u::Link& link) {
    const bool is_shared = link.get_sharing_policy() != simgrid::s4u::Link::SharingPolicy::FATPIPE;
    return fmt::format("{} {} {}", ps_of_us(link.get_latency() * 1e6), byte_fs_of(link.get_bandwidth() / 1e6),
                       is_shared ? 1 : 0);
}

}  // namespace

int main(int argc, char** argv) {
    simgrid::s4u::Engine engine(&argc, argv);
    if (argc != 2) return std::fprintf(stderr, "routes FILE\n"), 2;
    engine.load_platform(argv[1]);
    engine.seal_platform();
    std::vector<simgrid::s4u::Host*> hosts = engine.get_all_hosts();
    std::sort(hosts.begin(), hosts.end(), [](auto* a, auto* b) { return a->get_name() < b->get_name(); });
    std::map<std::string, std::string> lines;  // of each link by its name
    for (const simgrid::s4u::Host* from : hosts) {
        for (const simgrid::s4u::Host* to : hosts) {
            if (from == to) continue;
            std::vector<simgrid::s4u::Link*> links;
            double seconds = 0;
            from->route_to(to, links, &seconds);
            for (const simgrid::s4u::Link* link : links)
                lines.try_emplace(link->get_name(), text_of(*link)).first->second +=
                    fmt::format(" {}>{}", from->get_name(), to->get_name());
        }
    }
    std::vector<std::string> sorted;
    for (const auto& [name, line] : lines) sorted.push_back(line);
    std::sort(sorted.begin(), sorted.end());
    for (const std::string& line : sorted) std::printf("%s\n", line.c_str());
}
