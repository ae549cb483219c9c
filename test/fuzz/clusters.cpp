// Descriptions of clusters: JSON, SimGrid platforms, Slurm's topology.conf and topology.yaml. All members of an
// accepted cluster are called.

#include <iterator>
#include <string>

#include "collsched/format/clusters/read_cluster.hpp"
#include "collsched/format/clusters/read_network.hpp"
#include "collsched/tree/planners/all.hpp"
#include "input.hpp"

using namespace collsched;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span bytes(data, size);
    fuzz::try_to([&] {
        cluster::defaults defaults;
        if (size % 2 == 0) defaults = {.overhead_us = 1, .latency_us = 2, .bandwidth_MBps = 100};
        if (size % 4 == 0) defaults.uplink_latency_us = 3, defaults.uplink_bandwidth_MBps = 50;
        const cluster read = read_cluster(fuzz::text_of(bytes), defaults);
        const lob_model& model = read.cost;
        fuzz::expect(!model.check(), "a cluster that its own check refuses");
        fuzz::expect(model.ranks() >= 1 && std::ssize(read.names) == model.ranks(), "a node without a name");
        for (const std::string& name : {read.names.front(), read.names.back()})
            fuzz::expect(read.find(name).has_value(), "a node that is not found by its name");
        if (model.ranks() > 64) return;
        const tree_plan made = planners::refined{}(
            {.switches = read.cost.switches(), .cost = read.cost, .bytes = 1000, .root = model.ranks() - 1});
        fuzz::expect(made.error || made.edges.size() == model.ranks() - 1, "a plan that leaves a node out");
    });
    // The same platforms as networks.
    if (!fuzz::text_of(bytes).text.starts_with("<")) return 0;
    fuzz::try_to([&] {
        const topology::network net = read_network(fuzz::text_of(bytes));
        fuzz::expect(!net.check() && net.ranks() >= 1, "a network that its own check refuses");
    });
    return 0;
}
