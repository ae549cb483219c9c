// A heterogeneous cluster as matrices: a tree planned for it, the broadcast down that tree proved and executed on real
// bytes.

#include <cstdio>
#include <string>
#include <vector>

#include "collsched/collective.hpp"
#include "collsched/cost.hpp"
#include "collsched/execute.hpp"
#include "collsched/tree.hpp"
#include "collsched/verify.hpp"

using namespace collsched;

// Nodes 0, 1, 2 are at one site, 3, 4, 5 at another; 2 and 5 are slow.
lob_model two_sites() {
    const std::vector<picoseconds> overheads{ps_of_us(10), ps_of_us(10), ps_of_us(80),
                                             ps_of_us(10), ps_of_us(10), ps_of_us(80)};
    const std::vector<rank_t> above{0, 0}, site{1, 1, 1, 2, 2, 2};  // switch 0: the wide area; 1 and 2 are its children
    std::vector<picoseconds> latencies;
    std::vector<std::int64_t> byte_fs;
    for (const rank_t from : site)
        for (const rank_t to : site) {  // row by row
            latencies.push_back(from == to ? ps_of_us(5) : ps_of_us(500));
            byte_fs.push_back(from == to ? byte_fs_of(1000) : byte_fs_of(from < to ? 12.5 : 50));  // MB/s
        }
    return {topology::switch_tree(above, site), overheads, latencies, byte_fs};
}

template <class Schedule>
bool run_on_bytes(const Schedule& schedule) {
    const std::string text = "every node receives this.";
    std::vector<std::string> outputs(std::size_t(schedule.ranks), std::string(text.size(), '?'));
    std::vector<rank_memory> memory;
    for (std::string& output : outputs)
        memory.push_back({memory.empty() ? std::as_bytes(std::span(text)) : std::span<const std::byte>{},
                          std::as_writable_bytes(std::span(output))});
    if (!run_threads(schedule, memory).done()) return false;
    for (const std::string& output : outputs)
        if (output != text) return false;
    return true;
}

template <planner Planner>
bool try_out(const lob_model& cluster) {
    const tree_plan plan = Planner{}(tree_plan::request{cluster.switches(), cluster, 25, 0});
    if (plan.error) return false;
    std::printf("%s: complete after %.3f us\n", Planner::name, double(plan.completion) / 1e6);
    for (const auto& [from, to] : plan.edges)
        std::printf("  %d -> %d, ready at %.3f us\n", int(from), int(to), double(plan.ready[to]) / 1e6);
    const broadcast::planned<Planner> planned{.ranks = 6, .root = 0, .bytes = 25, .cluster = cluster};
    return verify(planned).ok() && run_on_bytes(planned);
}

int main() {
    const lob_model cluster = two_sites();
    const bool fine = try_out<planners::mgo>(cluster) && try_out<planners::refined>(cluster);
    return fine && try_out<planners::optimal>(cluster) ? 0 : 1;
}
