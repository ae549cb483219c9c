#include "placement_option.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "usage_error.hpp"

using namespace collsched;

namespace {

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> names;
    for (std::size_t begin = 0;;) {
        const std::size_t comma = text.find(',', begin);
        names.emplace_back(text.substr(begin, comma == text.npos ? text.npos : comma - begin));
        if (comma == text.npos) return names;
        begin = comma + 1;
    }
}

}  // namespace

rank_t placed_ranks(std::string_view text) {
    return text.find(',') == text.npos ? 0 : std::ranges::count(text, ',') + 1;
}

topology::placement free_placement(std::string_view text, rank_t ranks, std::optional<rank_t> group) {
    if (text == "block" || text == "cyclic") {
        if (!group)
            throw usage_error("--placement", text,
                              "together with --group, how many ranks a node has, or a list A,B,B,A");
        if (ranks > rank_t{1} << 24)
            throw usage_error("--ranks", std::to_string(ranks), "16777216 or less, with --placement");
        const rank_t nodes = (ranks - 1) / *group + 1;
        std::vector<rank_t> where(static_cast<std::size_t>(ranks));
        for (rank_t r = 0; r < ranks; ++r)
            where[static_cast<std::size_t>(r)] = text == "block" ? r / *group : r % nodes;
        return topology::placement::list(where, nodes);
    }
    const std::vector<std::string> names = split(text);
    if (std::ssize(names) != ranks || std::find(names.begin(), names.end(), "") != names.end())
        throw usage_error("--placement", text,
                          fmt::format("block, cyclic, or the node of each of {} ranks, as A,B,B,A", ranks));
    std::vector<std::string> seen;
    std::vector<rank_t> where;
    for (const std::string& name : names) {
        const auto known = std::find(seen.begin(), seen.end(), name);
        where.push_back(known - seen.begin());
        if (known == seen.end()) seen.push_back(name);
    }
    return topology::placement::list(where, std::ssize(seen));
}

topology::placement hosted_placement(const cluster::rank_hosts& hosts, rank_t ranks) {
    return read_or_refuse("--hosts", [&] { return hosts.on_hosts(ranks); });
}
