#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collsched/format/schedules/detail/json_lines_header.hpp"
#include "collsched/format/files/json_reader.hpp"
#include "collsched/format/schedules/write_json_lines.hpp"
#include "collsched/schedule/stored_schedule.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

class json_lines_reader : json_reader {
  public:
    explicit json_lines_reader(const text_file& file) : json_reader(file) {}

    std::pair<std::string, stored_schedule> read(std::vector<edge_path>* paths) {
        std::vector<edge> edges;
        std::vector<edge_path> read_paths;
        for_each_line([&](const json_value& value) {
            if (header_.line == 0) {
                header_ = json_lines_header_reader(file_).read(value);
                return;
            }
            edges.push_back(read_edge(value));
            read_paths.push_back(read_path(value, edges.back()));
        });
        if (header_.line == 0) file_.refuse(1, "no lines", "a header, then one line per edge");
        if (paths != nullptr) *paths = in_order(edges, std::move(read_paths));
        std::ranges::sort(edges, precedes);
        stored_schedule stored = store(edges);
        if (const argument_error error = stored.check()) file_.refuse(header_.line, error);
        return {std::move(header_.name), std::move(stored)};
    }

  private:
    edge read_edge(const json_value& value) const {
        check_keys(value, "an edge",
                   {"step", "src", "dst", "from", "from_offset", "into", "into_offset", "size", "action", "path"});
        const auto number = [&](const char* key, std::int64_t end) {
            return whole_number(file_, needed(value, key), key, 0, end);
        };
        constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
        edge e;
        e.step = number("step", header_.steps - 1);
        e.src = number("src", header_.contract.ranks - 1);
        e.dst = number("dst", header_.contract.ranks - 1);
        e.from = named<buffer>(value, "from", {buffer::input, buffer::output, buffer::scratch});
        e.from_offset = number("from_offset", any);
        e.into = named<buffer>(value, "into", {buffer::input, buffer::output, buffer::scratch});
        e.into_offset = number("into_offset", any);
        e.size = number("size", any);
        e.action = named<action>(value, "action", {action::copy, action::combine_before, action::combine_after});
        return e;
    }
    /// Returns the path of an edge, or nothing.
    edge_path read_path(const json_value& value, const edge& e) const {
        const json_value* const found = find(value, "path");
        if (found == nullptr) return {.vertices = {}, .line = value.line};
        if (!header_.has_paths)
            file_.refuse(found->line, "path", "a path in format 1", fmt::format("format {}", path_format_version));
        if (e.is_local()) file_.refuse(found->line, "path", "a path", "none, for a copy within a rank");
        std::vector<std::string> names;
        for (const json_value& entry : list(*found, "path"))
            names.push_back(text(entry, fmt::format("path[{}]", names.size())));
        if (names.size() < 2) file_.refuse(found->line, "path", fmt::format("{} names", names.size()), "2 or more");
        return {.vertices = std::move(names), .line = found->line};
    }
    /// Returns the paths in the canonical order of the edges; none in format 1.
    std::vector<edge_path> in_order(const std::vector<edge>& edges, std::vector<edge_path> read) const {
        if (!header_.has_paths) return {};
        std::vector<std::size_t> order(edges.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
            if (precedes(edges[a], edges[b])) return true;
            return !precedes(edges[b], edges[a]) && a < b;
        });
        std::vector<edge_path> sorted;
        for (const std::size_t i : order) sorted.push_back(std::move(read[i]));
        return sorted;
    }
    template <class Enum>
    Enum named(const json_value& value, const char* key, std::initializer_list<Enum> all) const {
        const json_value& found = needed(value, key);
        const std::string& name = text(found, key);
        std::string expected;
        for (const Enum constant : all) {
            if (name == name_of(constant)) return constant;
            (expected += expected.empty() ? "" : ", ") += name_of(constant);
        }
        file_.refuse(found.line, key, json_text(name), expected);
    }

    stored_schedule store(const std::vector<edge>& edges) const {
        description_hash hash;
        hash(format_version);
        hash("edges");
        hash(header_.contract);
        hash(header_.steps);
        hash(header_.paced.window);
        for (const std::vector<bytes_t>* memory : {&header_.scratch, &header_.staging})
            for (const bytes_t size : *memory) hash(size);
        for (const edge& e : edges) hash(e);
        return {header_.contract,
                header_.steps,
                header_.paced,
                owned_array<bytes_t>(std::span<const bytes_t>(header_.scratch)),
                owned_array<bytes_t>(std::span<const bytes_t>(header_.staging)),
                owned_array<edge>(std::span<const edge>(edges)),
                hash.value()};
    }

    json_lines_header header_;
};

}  // namespace detail

/// Returns the name and the schedule in a text of write_json_lines, with edges in any order. "rounds" is ignored. The
/// fingerprint is computed from the content. The contract is not checked; verify() checks it. Throws input_error, with
/// file and line.
/// @param file   the text
/// @param paths  receives the path of each edge, in canonical order, empty for an edge without one; no paths for a text
///               of format 1. Paths are not checked against a network.
inline std::pair<std::string, stored_schedule> read_json_lines(const text_file& file,
                                                               std::vector<edge_path>* paths = nullptr) {
    return detail::json_lines_reader(file).read(paths);
}
/// Reads the file of this path. Throws input_error.
/// @param path   path of the file
/// @param paths  as above
/// @return name and schedule
inline std::pair<std::string, stored_schedule> read_json_lines(const std::filesystem::path& path,
                                                               std::vector<edge_path>* paths = nullptr) {
    return read_json_lines(read_text_file(path), paths);
}

}}  // namespace collsched::COLLSCHED_ABI
