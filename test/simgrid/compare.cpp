// Reads platforms with this library and with SimGrid itself, and compares hosts, and latency, bandwidth and shared links of
// all pairs of hosts. Usage: compare FILE...
//
// A latency here is that of the route in SimGrid without the factors of a network model. A bandwidth is that of the
// route's slowest link. Loopbacks are not compared: this library has none.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <simgrid/s4u.hpp>

#include "collsched/format/clusters/detail/simgrid_cluster.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

struct pair_figures {
    double latency_ps = 0;  ///< SimGrid computes with fractions, and each link is rounded here
    std::int64_t byte_fs = 0;
    std::size_t links = 0;  ///< on the route, but for those without bandwidth
};

/// The costs of a link, whether messages share it, and a hash of the pairs of hosts that pass it. Its name does not
/// matter.
using link_signature = std::pair<std::tuple<std::int64_t, double, bool>, std::uint64_t>;

struct platform_figures {
    std::vector<std::string> hosts;       ///< sorted
    std::vector<pair_figures> pairs;      ///< row by row
    std::map<link_signature, int> links;  ///< that a route passes
};

std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

/// Collects the routes of one of the two.
template <class Link>
class collector {
  public:
    explicit collector(std::vector<std::string> hosts) { figures_.hosts = std::move(hosts); }

    void begin_pair(double latency_ps) { figures_.pairs.push_back({.latency_ps = latency_ps}); }
    void pass(Link link, std::int64_t byte_fs, double latency_ps, bool is_shared) {
        pair_figures& pair = figures_.pairs.back();
        pair.byte_fs = std::max(pair.byte_fs, byte_fs);
        ++pair.links;
        auto& [cost, hash] = passed_[link];
        cost = {byte_fs, latency_ps, is_shared};
        hash += mixed(figures_.pairs.size() * 0x9e3779b97f4a7c15);
    }
    platform_figures done() {
        for (const auto& [link, signature] : passed_) ++figures_.links[signature];
        return std::move(figures_);
    }

  private:
    platform_figures figures_;
    std::map<Link, link_signature> passed_;
};

platform_figures figures_here(const cluster& c) {
    std::vector<std::pair<std::string, rank_t>> order;
    for (std::size_t i = 0; i < c.names.size(); ++i) order.emplace_back(c.names[i], static_cast<rank_t>(i));
    std::sort(order.begin(), order.end());
    std::vector<std::string> hosts;
    for (const auto& [name, i] : order) hosts.push_back(name);
    collector<std::int32_t> found(std::move(hosts));
    for (const auto& [a, i] : order) {
        for (const auto& [b, j] : order) {
            if (i == j) continue;
            found.begin_pair(static_cast<double>(c.cost.latency(i, j)));
            for (const std::int32_t l : c.links.route(i, j))
                if (const lob_model::link_cost& cost = c.links[l].cost; cost.byte_fs > 0)
                    found.pass(l, cost.byte_fs, static_cast<double>(cost.latency_ps), c.links[l].shared);
        }
    }
    platform_figures made = found.done();
    std::size_t at = 0;
    for (const auto& [a, i] : order)
        for (const auto& [b, j] : order)
            if (i != j) made.pairs[at++].byte_fs = c.cost.byte_fs(i, j);
    return made;
}

/// SimGrid ends the process if it rejects a file.
platform_figures figures_of_simgrid(const std::string& file) {
    std::vector<std::string> words{"compare", "--log=root.thresh:critical"};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    int count = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);
    simgrid::s4u::Engine engine(&count, arguments.data());
    engine.load_platform(file);
    engine.seal_platform();
    std::vector<simgrid::s4u::Host*> hosts = engine.get_all_hosts();
    std::sort(hosts.begin(), hosts.end(), [](auto* a, auto* b) { return a->get_name() < b->get_name(); });
    std::vector<std::string> names;
    for (const simgrid::s4u::Host* host : hosts) names.push_back(host->get_name());
    collector<std::string> found(std::move(names));
    for (const simgrid::s4u::Host* a : hosts) {
        for (const simgrid::s4u::Host* b : hosts) {
            if (a == b) continue;
            std::vector<simgrid::s4u::Link*> links;
            double seconds = 0;
            a->route_to(b, links, &seconds);
            found.begin_pair(seconds * 1e12);
            for (const simgrid::s4u::Link* link : links)
                found.pass(link->get_name(), byte_fs_of(link->get_bandwidth() / 1e6),
                           static_cast<double>(ps_of_us(link->get_latency() * 1e6)),
                           link->get_sharing_policy() != simgrid::s4u::Link::SharingPolicy::FATPIPE);
        }
    }
    return found.done();
}

/// The first difference as text.
std::optional<std::string> difference(const platform_figures& here, const platform_figures& simgrid) {
    if (here.hosts != simgrid.hosts)
        return fmt::format("{} hosts here, {} in SimGrid, or others", here.hosts.size(), simgrid.hosts.size());
    std::size_t at = 0;
    for (const std::string& a : here.hosts) {
        for (const std::string& b : here.hosts) {
            if (a == b) continue;
            const pair_figures &x = here.pairs[at], &y = simgrid.pairs[at];
            ++at;
            // Each link is rounded to half a picosecond, and a double has 53 bits.
            const double most = 0.51 * static_cast<double>(y.links + 1) + y.latency_ps * 1e-14;
            if (std::abs(x.latency_ps - y.latency_ps) > most)
                return fmt::format("{} to {}: latency {} ps here, {} ps in SimGrid", a, b, x.latency_ps, y.latency_ps);
            if (x.byte_fs != y.byte_fs)
                return fmt::format("{} to {}: {} fs per byte here, {} in SimGrid", a, b, x.byte_fs, y.byte_fs);
            if (x.links != y.links)
                return fmt::format("{} to {}: {} links here, {} in SimGrid", a, b, x.links, y.links);
        }
    }
    if (here.links != simgrid.links)
        return fmt::format("{} kinds of links here, {} in SimGrid, or shared by other pairs", here.links.size(),
                           simgrid.links.size());
    return {};
}

/// Whether every kind of change is found.
bool finds_changes(const platform_figures& simgrid) {
    const auto finds = [&](auto change) {
        platform_figures changed = simgrid;
        change(changed);
        return difference(changed, simgrid).has_value();
    };
    if (!finds([](platform_figures& f) { f.hosts.back() += "x"; })) return false;
    if (!finds([](platform_figures& f) { f.hosts.pop_back(); })) return false;
    if (simgrid.pairs.empty()) return true;
    return finds([](platform_figures& f) {
               f.pairs.back().latency_ps *= 1 + 1e-12, f.pairs.back().latency_ps += 2000;
           }) &&
           finds([](platform_figures& f) {
               f.pairs.front().latency_ps *= 1 - 1e-12, f.pairs.front().latency_ps -= 2000;
           }) &&
           finds([](platform_figures& f) { f.pairs.back().byte_fs += 1; }) &&
           finds([](platform_figures& f) { f.pairs.front().links += 1; }) &&
           finds([](platform_figures& f) { f.links.begin()->second += 1; });
}

/// In a process of its own: 0 where both agree.
int compare(const std::string& file) {
    try {
        const platform_figures here = figures_here(read_simgrid_cluster(read_text_file(file)));
        const platform_figures simgrid = figures_of_simgrid(file);
        if (const auto found = difference(here, simgrid))
            return std::printf("%s: differs: %s\n", file.c_str(), found->c_str()), 1;
        if (!finds_changes(simgrid)) return std::printf("%s: a change is not found\n", file.c_str()), 1;
        std::printf("%s: equal: %zu hosts, %zu pairs, %zu kinds of links\n", file.c_str(), here.hosts.size(),
                    here.pairs.size(), here.links.size());
        return 0;
    } catch (const input_error& wrong) {
        return std::printf("%s: refused: %s\n", file.c_str(), wrong.what()), 1;
    }
}

}  // namespace

int main(int argc, char** argv) {
    int different = 0;
    for (int i = 1; i < argc; ++i) {
        std::fflush(stdout);
        const pid_t child = fork();
        if (child < 0) return std::perror("fork"), 1;
        if (child == 0) {
            const int result = compare(argv[i]);
            std::fflush(stdout);
            std::_Exit(result);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status)) std::printf("%s: SimGrid ends with signal %d\n", argv[i], WTERMSIG(status));
        different += WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
    }
    std::printf("%d of %d platforms are equal\n", argc - 1 - different, argc - 1);
    return different > 0 || argc < 2 ? 1 : 0;
}
