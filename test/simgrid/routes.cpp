// Prints SimGrid's routes of a platform, for test/data/clusters/simgrid/routes_*.txt. Usage: routes FILE
//
// A line `link COST` has the latency in picoseconds, the femtoseconds per byte and 1 for a link whose bandwidth messages
// share. Links are numbered in the order of the lines, by their first route. A line `FROM TO LINK...` is a route.

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <simgrid/s4u.hpp>

#include "collsched/cost/picoseconds.hpp"

using namespace collsched;

namespace {

class route_list {
  public:
    void add(const simgrid::s4u::Host* from, const simgrid::s4u::Host* to) {
        std::vector<simgrid::s4u::Link*> links;
        double seconds = 0;
        from->route_to(to, links, &seconds);
        routes_ += from->get_name() + " " + to->get_name();
        for (const simgrid::s4u::Link* link : links) routes_ += fmt::format(" {}", number_of(*link));
        routes_ += "\n";
    }
    std::string text() const { return links_ + routes_; }

  private:
    std::size_t number_of(const simgrid::s4u::Link& link) {
        const auto [at, is_new] = numbers_.emplace(link.get_name(), numbers_.size());
        if (is_new)
            links_ += fmt::format("link {} {} {}\n", ps_of_us(link.get_latency() * 1e6),
                                  byte_fs_of(link.get_bandwidth() / 1e6),
                                  link.get_sharing_policy() == simgrid::s4u::Link::SharingPolicy::FATPIPE ? 0 : 1);
        return at->second;
    }

    std::map<std::string, std::size_t> numbers_;
    std::string links_, routes_;
};

}  // namespace

int main(int argc, char** argv) {
    simgrid::s4u::Engine engine(&argc, argv);
    if (argc != 2) return std::fprintf(stderr, "routes FILE\n"), 2;
    engine.load_platform(argv[1]);
    engine.seal_platform();
    std::vector<simgrid::s4u::Host*> hosts = engine.get_all_hosts();
    std::sort(hosts.begin(), hosts.end(), [](auto* a, auto* b) { return a->get_name() < b->get_name(); });
    route_list routes;
    for (const simgrid::s4u::Host* from : hosts)
        for (const simgrid::s4u::Host* to : hosts)
            if (from != to) routes.add(from, to);
    std::fputs(routes.text().c_str(), stdout);
}
