#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collsched/format/clusters/detail/cluster_builder.hpp"
#include "collsched/format/files/json_reader.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Reads a network from a text in JSON: an object with the keys `ranks` and `switches`, lists of names, and `links`, a
/// list of objects with the keys `from`, `to`, `bandwidth_Bps` and `latency_us`. Vertices and links keep the order of
/// the text. `switches` may be omitted. The texts `name` and `note` are optional and not kept.
///
/// Numbers are decimal. A bandwidth is a whole number of bytes per second, 1 to 2e15, and may be written as 2.5e10. A
/// latency is 0 to 1e12 microseconds, rounded to picoseconds. There are at most 2^20 vertices and 2^22 links.
/// O(ranks + switches + links). Throws input_error.
class json_network_reader : json_reader {
  public:
    explicit json_network_reader(const text_file& file) : json_reader(file) {}

    /// @param top  the text, with decimal numbers
    topology::network read(const json_value& top) {
        check_keys(top, "a network", {"name", "note", "ranks", "switches", "links"});
        for (const std::string_view key : {"name", "note"})
            if (const json_value* found = find(top, key)) text(*found, key);
        const json_value& ranks = needed(top, "ranks");
        read_vertices(ranks, "ranks");
        if (names_.empty()) file_.refuse(ranks.line, "ranks", "none", "one or more");
        const auto p = static_cast<rank_t>(names_.size());
        if (const json_value* switches = find(top, "switches")) read_vertices(*switches, "switches");
        read_links(needed(top, "links"));
        return named_network(file_, top.line, p, names_, links_);
    }

  private:
    static constexpr std::size_t most_vertices = std::size_t{1} << 20, most_links = std::size_t{1} << 22;

    void read_vertices(const json_value& of, std::string_view key) {
        std::size_t i = 0;
        for (const json_value& value : list(of, key)) {
            const std::string argument = fmt::format("{}[{}]", key, i++);
            const std::string& name = text(value, argument);
            if (name.empty() || name.find('\0') != name.npos)
                file_.refuse(value.line, argument, json_text(name), "a name, not empty, without zero bytes");
            if (names_.size() == most_vertices)
                file_.refuse(value.line, key, "too many vertices", fmt::format("at most {}", most_vertices));
            if (!vertex_of_.try_emplace(name, static_cast<rank_t>(names_.size())).second)
                file_.refuse(value.line, argument, json_text(name), "a name that no other vertex has");
            names_.push_back(name);
        }
    }

    void read_links(const json_value& of) {
        const json_value::list& all = list(of, "links");
        if (all.size() > most_links)
            file_.refuse(all[most_links].line, "links", "too many links", fmt::format("at most {}", most_links));
        links_.reserve(all.size());
        for (const json_value& link : all) {
            const std::string argument = fmt::format("links[{}]", links_.size());
            check_keys(link, argument, {"from", "to", "bandwidth_Bps", "latency_us"});
            const rank_t from = vertex(link, argument, "from"), to = vertex(link, argument, "to");
            if (from == to) {
                const json_value& value = *find(link, "to");
                file_.refuse(value.line, argument + ".to", json_text(text(value, "to")), "another vertex than `from`");
            }
            links_.push_back({from, to,
                              number(link, argument, "bandwidth_Bps", {}, 1, 2'000'000'000'000'000,
                                     "a whole number of bytes per second, 1 to 2e15"),
                              number(link, argument, "latency_us", {.power = 6, .rounds = true}, 0,
                                     1'000'000'000'000'000'000, "0 to 1e12 us")});
        }
    }
    const json_value& member(const json_value& link, const std::string& argument, std::string_view key,
                             std::string_view expected) const {
        const json_value* found = find(link, key);
        if (found == nullptr) file_.refuse(link.line, fmt::format("{}.{}", argument, key), "", expected);
        return *found;
    }
    rank_t vertex(const json_value& link, const std::string& argument, std::string_view key) const {
        constexpr std::string_view expected = "a name of `ranks` or `switches`";
        const json_value& value = member(link, argument, key, expected);
        const std::string& name = text(value, fmt::format("{}.{}", argument, key));
        const auto found = vertex_of_.find(name);
        if (found == vertex_of_.end())
            file_.refuse(value.line, fmt::format("{}.{}", argument, key), json_text(name), expected);
        return found->second;
    }
    std::int64_t number(const json_value& link, const std::string& argument, std::string_view key, decimal_scale scale,
                        std::int64_t least, std::int64_t most, std::string_view expected) const {
        return scaled_number(file_, member(link, argument, key, expected), fmt::format("{}.{}", argument, key), scale,
                             least, most, expected);
    }

    std::unordered_map<std::string, rank_t> vertex_of_;
    std::vector<std::string> names_;
    std::vector<topology::network::link> links_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
