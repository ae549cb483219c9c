// A collective composed of two: a broadcast of a long message is a scatter of its parts, then an allgather of the
// parts. Both use regions of the broadcast's buffers. Proof, metrics and execution work as for any other algorithm.

#include <cstdio>
#include <string>
#include <vector>

#include "collsched/collective.hpp"
#include "collsched/combine.hpp"
#include "collsched/execute.hpp"
#include "collsched/schedule/metrics.hpp"
#include "collsched/verify.hpp"

using namespace collsched;

struct in_parts {
    rank_t ranks = 1;
    rank_t root = 0;
    bytes_t bytes = 0;

    static constexpr algorithm_info info{.collective = collective::broadcast,
                                         .name = "in-parts",
                                         .rounds = "ceil(log2 p) + p-1",
                                         .source = "Thakur, Rabenseifner, Gropp 2005"};

    constexpr auto view() const {
        const contract whole = contract_of(*this);
        const block_layout parts = block_layout::partition(bytes, ranks);
        // The part that a rank receives is at its final place, where the allgather reads it.
        const auto scattered = [parts](rank_t r, buffer b) {
            return b == buffer::output ? location{b, parts.displ(r)} : location{b, 0};
        };
        const auto gathered = [parts](rank_t r, buffer b) {
            return b == buffer::input ? location{buffer::output, parts.displ(r)} : location{b, 0};
        };
        return then(rename_buffers(scatter::over_tree<trees::binomial>{.ranks = ranks, .root = root, .block = parts},
                                   scattered, whole),
                    rename_buffers(allgather::ring{.ranks = ranks, .block = parts}, gathered, whole));
    }

    static constexpr void parameters(auto& self, auto f) {
        f("ranks", self.ranks), f("root", self.root), f("bytes", self.bytes);
    }
};

static_assert(proved<verify(in_parts{.ranks = 5, .root = 2, .bytes = 12})>);

int main() {
    std::string message = "all of it, to everybody";
    std::vector<std::string> outputs(4, std::string(message.size(), '?'));
    std::vector<rank_memory> memory;
    for (std::string& text : outputs) memory.push_back({{}, std::as_writable_bytes(std::span(text))});
    memory[1].input = std::as_bytes(std::span(message));
    if (!run_threads(in_parts{.ranks = 4, .root = 1, .bytes = std::ssize(message)}, memory).done()) return 1;
    for (const std::string& text : outputs) std::printf("%s\n", text.c_str());
    const metrics_report ours = metrics(in_parts{.ranks = 16, .bytes = 1600});
    const metrics_report tree = metrics(broadcast::over_tree<trees::binomial>{.ranks = 16, .bytes = 1600});
    std::printf("p = 16: the root sends %d bytes, not %d\n", int(ours.bytes_sent[0]), int(tree.bytes_sent[0]));
}
