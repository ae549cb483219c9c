#pragma once

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "collsched/format/readers/detail/cluster_builder.hpp"
#include "collsched/format/readers/detail/host_list.hpp"
#include "collsched/format/readers/detail/slurm_topology.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The blocks of topology/block as switches. Neighboring blocks form the larger blocks of each greater block size, and
/// one root contains the rest. Source: Slurm's manual page topology.conf.
class slurm_blocks {
  public:
    slurm_blocks(const text_file& file, const slurm_topology& topology, const slurm_costs& costs)
        : file_(file), topology_(topology), costs_(costs), blocks_(topology.blocks) {}

    cluster build() {
        const std::vector<std::size_t> sizes = read_sizes();
        const bool one_on_top = sizes.back() >= blocks_.size();
        std::vector<rank_t> above(blocks_.size(), -1);  // per block: lowest switch so far
        if (!one_on_top) above.assign(blocks_.size(), builder_.add_switch(topology_.name, -1, {}, topology_.line));
        for (std::size_t level = sizes.size(); level-- > 1;)
            for (std::size_t first = 0; first < blocks_.size(); first += sizes[level])
                if (blocks_.size() - first > sizes[level - 1]) add_larger_block(first, sizes[level], above);
        for (std::size_t b = 0; b < blocks_.size(); ++b) add_block(blocks_[b], above[b]);
        return builder_.build(topology_.name);
    }

  private:
    static constexpr std::int64_t most_blocks = 1 << 15;  ///< per larger block, as in Slurm

    /// Returns the numbers of blocks per larger block, ascending from 1, up to the first that contains all blocks.
    std::vector<std::size_t> read_sizes() {
        std::vector<std::size_t> counts;
        const slurm_list& sizes = topology_.block_sizes;
        if (sizes.empty()) counts = {1, 2, 4, 8, 16};
        for (const std::string_view piece : sizes.empty() ? std::vector<std::string_view>{} : split_list(sizes.text)) {
            std::int64_t size = 0;
            const char* end = piece.data() + piece.size();
            const auto [stop, code] = std::from_chars(piece.data(), end, size);
            if (code != std::errc() || stop != end || size < 1 || size > most_nodes) refuse_size(piece);
            if (base_ == 0) base_ = size;
            const std::int64_t count = size / base_;
            if (size % base_ != 0 || !std::has_single_bit(static_cast<std::uint64_t>(count)) || count > most_blocks ||
                (!counts.empty() && static_cast<std::size_t>(count) <= counts.back()))
                refuse_size(piece);
            counts.push_back(static_cast<std::size_t>(count));
        }
        const auto all = std::ranges::find_if(counts, [&](std::size_t count) { return count >= blocks_.size(); });
        if (all != counts.end()) counts.erase(all + 1, counts.end());
        return counts;
    }
    [[noreturn]] void refuse_size(std::string_view piece) const {
        file_.refuse(topology_.block_sizes.line, "block size " + json_text(piece.substr(0, 100)),
                     "a number of nodes, ascending, the first one times 2^k, k = 0 to 15");
    }

    void add_larger_block(std::size_t first, std::size_t count, std::vector<rank_t>& above) {
        const std::size_t end = std::min(first + count, blocks_.size());
        const rank_t made = add(blocks_[first].name + ".." + blocks_[end - 1].name, above[first], blocks_[first].line);
        for (std::size_t b = first; b < end; ++b) above[b] = made;
    }
    void add_block(const slurm_block& block, rank_t above) {
        if (!names_.insert(block.name).second)
            file_.refuse(block.line, "block " + json_text(block.name) + " twice", "every block once");
        const rank_t number = add(block.name, above, block.line);
        const int line = block.nodes.line;
        std::int64_t nodes = 0;
        if (!block.nodes.empty()) {
            for (const std::string& node : expand_host_list(block.nodes.text, {file_, line})) {
                const picoseconds overhead = costs_.overhead(node, line);
                builder_.add_node(node, number, overhead, costs_.node_link(node, line), line);
                ++nodes;
            }
        }
        if (base_ == 0) base_ = std::max<std::int64_t>(nodes, 1);
        if (nodes < base_)
            file_.refuse(line, fmt::format("{} as the number of nodes of block {}", nodes, json_text(block.name)),
                         fmt::format("{} or more, the base block size", base_));
    }
    rank_t add(const std::string& name, rank_t above, int line) {
        return builder_.add_switch(name, above, above < 0 ? lob_model::link_cost{} : costs_.uplink(name, line), line);
    }

    const text_file& file_;
    const slurm_topology& topology_;
    const slurm_costs& costs_;
    const std::vector<slurm_block>& blocks_;
    cluster_builder builder_{file_};
    std::unordered_set<std::string> names_;
    std::int64_t base_ = 0;  ///< base block size; by default the number of nodes of the first block
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
