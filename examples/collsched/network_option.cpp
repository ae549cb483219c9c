#include "network_option.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "collsched/format/readers/detail/text_format.hpp"
#include "collsched/format/readers/read_ibnetdiscover.hpp"
#include "collsched/format/readers/read_network.hpp"
#include "collsched/format/readers/read_simgrid_network.hpp"
#include "collsched/format/readers/text_file.hpp"
#include "collsched/topology/without.hpp"
#include "text_output.hpp"

using namespace collsched;

namespace {

/// Returns whether a line begins like one of ibnetdiscover.
bool is_ibnetdiscover(const std::string& text) {
    constexpr std::string_view begins[] = {"vendid=", "Switch ", "Switch\t", "Ca ", "Ca\t", "# Topology file"};
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        for (const std::string_view begin : begins)
            if (line.starts_with(begin)) return true;
    return false;
}

/// Reads a network whose format the content selects.
topology::network read_any_network(const text_file& file) {
    constexpr std::string_view formats = "a network in JSON, a SimGrid platform, or output of ibnetdiscover";
    switch (detail::text_format_of(file.text)) {
        case detail::text_format::json: return read_network(file);
        case detail::text_format::xml: return read_simgrid_network(file);
        case detail::text_format::empty: file.refuse(1, "nothing in it", formats);
        default: break;
    }
    if (!is_ibnetdiscover(file.text)) {
        const std::size_t first = file.text.find_first_not_of(" \t\r\n");
        const auto line =
            1 + std::count(file.text.begin(), file.text.begin() + static_cast<std::ptrdiff_t>(first), '\n');
        const std::string found = file.text.substr(first, file.text.find_first_of("\r\n", first) - first);
        file.refuse(static_cast<int>(line), json_text(found.substr(0, 100)), formats);
    }
    return read_ibnetdiscover(file);
}

}  // namespace

std::string read_network_file::name() const { return std::filesystem::path(path).stem().string(); }

std::string read_network_file::vertex(rank_t v) const { return detail::vertex_name(net, v); }

rank_t read_network_file::find(const std::string& name) const {
    for (rank_t v = 0; v < net.vertices(); ++v)
        if (vertex(v) == name) return v;
    return -1;
}

void read_network_file::remove(const std::string& option, const std::string& list) {
    std::vector<std::int64_t> links;
    std::vector<rank_t> vertices;
    const auto known = [&](const std::string& name) {
        const rank_t v = find(name);
        if (v < 0) throw usage_error(option, name, "vertices of the network, and links such as a>b");
        return v;
    };
    std::istringstream words(list);
    for (std::string word; std::getline(words, word, ',');) {
        const auto arrow = word.find('>');
        if (arrow == std::string::npos) {
            vertices.push_back(known(word));
            continue;
        }
        const rank_t from = known(word.substr(0, arrow)), to = known(word.substr(arrow + 1));
        const std::size_t before = links.size();
        for (std::size_t i = 0; i < net.links().size(); ++i)
            if (net.links()[i].from == from && net.links()[i].to == to) links.push_back(static_cast<std::int64_t>(i));
        if (links.size() == before) throw usage_error(option, word, "a link of the network");
    }
    if (links.empty() && vertices.empty()) throw usage_error::missing(option, "vertices, or links such as a>b");
    topology::network left = topology::without(net, links, vertices);
    if (left.check()) throw usage_error(option, list, "at least one rank that is left");
    net = std::move(left);
}

void read_network_file::draw(const std::string& option, const std::string& target, const network_marks& marks) const {
    constexpr rank_t most_drawn = 1024;
    if (net.vertices() > most_drawn)
        throw usage_error(option, fmt::format("{} vertices", net.vertices()), fmt::format("at most {}", most_drawn));
    write_file(option, target, [&](text_output::iterator out) { write_network_svg(out, net, marks); });
}

usage_error read_network_file::mistake(const argument_error& error) const {
    input_error::mistake found = input_error::mistake::of(error, path);
    const bool names = found.argument == "vertex" && error.value >= 0 && error.value < net.vertices();
    if (names) found.value = vertex(error.value);
    return usage_error("--network", found);
}

network_option::network_option(CLI::App& command)
    : file_(command, option_group::cluster, "--network", "FILE",
            "network in JSON, SimGrid platform, or output of ibnetdiscover") {}

read_network_file network_option::read() const {
    if (!file_.given() || file_.text().empty()) throw usage_error::missing("--network", "the file of a network");
    const std::string path = file_.text();
    return {read_or_refuse("--network", [&] { return read_any_network(read_text_file(path)); }), path};
}
