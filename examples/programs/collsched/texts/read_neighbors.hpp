#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "collsched/core/neighborhood.hpp"
#include "collsched/format/files/json_reader.hpp"
#include "collsched/format/files/text_file.hpp"

namespace collsched::texts {

/// Reads the targets of each rank as JSON: one list per rank, [[1,2],[0],[]], with one target per out-slot, or -1 for
/// an empty slot. A list may contain a rank several times, and its own rank. In-slots are in ascending order of source.
/// Throws input_error.
/// @param file  the text
/// @return the neighborhood
inline neighborhood read_neighbors(const text_file& file) {
    constexpr std::size_t most_slots = std::size_t{1} << 22;
    using json_value = json_reader::json_value;
    const json_value all = json_reader(file).parse();
    const auto* lists = all.as<json_value::list>();
    if (lists == nullptr || lists->empty())
        file.refuse(all.line, "no list of lists", "a list of targets for each rank");
    std::vector<rank_t> degrees, targets;
    for (const json_value& list : *lists) {
        const auto* mine = list.as<json_value::list>();
        if (mine == nullptr) file.refuse(list.line, "targets that are no list", "a list of ranks");
        degrees.push_back(std::ssize(*mine));
        for (const json_value& target : *mine) {
            const auto* rank = target.as<std::int64_t>();
            if (rank == nullptr || *rank < -1 || *rank >= std::ssize(*lists))
                file.refuse(target.line, target.number() ? fmt::format("target {}", *target.number()) : "no number",
                            fmt::format("a rank, 0 to {}, or -1", lists->size() - 1));
            if (targets.size() == most_slots)
                file.refuse(target.line, "too many targets", fmt::format("at most {}", most_slots));
            targets.push_back(*rank);
        }
    }
    return {degrees, targets};
}
/// Reads the file of this path. Throws input_error.
/// @param path  path of the file
/// @return the neighborhood
inline neighborhood read_neighbors(const std::filesystem::path& path) { return read_neighbors(read_text_file(path)); }

}  // namespace collsched::texts
