#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "collsched/cost/picoseconds.hpp"
#include "collsched/format/clusters/detail/ibnetdiscover_line.hpp"
#include "collsched/format/files/text_file.hpp"
#include "collsched/format/text.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

class ibnetdiscover_reader {
  public:
    explicit ibnetdiscover_reader(const text_file& file) : file_(file) {}

    topology::network read(picoseconds latency) {
        file_.refuse_zero_bytes("output of ibnetdiscover");
        if (latency < 0 || latency > most_latency)
            throw input_error({"latency", fmt::format("{}", latency), "0 to 10^18 ps"});
        int line = 0;
        for (std::string_view rest = file_.text; !rest.empty();) read_line(take_line(rest), ++line);
        number_vertices();
        if (ranks_ == 0) file_.refuse(1, "Ca", "none", "one or more");
        std::vector<topology::network::link> links;
        for (const listed_port& one : ports_) {
            const listed_port& other = peer_of(one);
            const rank_t from = nodes_[one.node].vertex, to = nodes_[other.node].vertex;
            if (from >= 0 && to >= 0) links.push_back({from, to, std::min(one.bandwidth, other.bandwidth), latency});
        }
        const topology::network made(ranks_, static_cast<rank_t>(names_.size()) - ranks_, links, name_pointers());
        if (const argument_error error = made.check()) file_.refuse(1, error);
        return made;
    }

  private:
    static constexpr picoseconds most_latency = 1'000'000'000'000'000'000;
    static constexpr std::size_t most_nodes = std::size_t{1} << 20, most_links = std::size_t{1} << 22;
    struct listed_node {
        ib_node_line line;
        rank_t vertex = -1;  // -1: not in the network
    };
    struct listed_port {
        std::size_t node;
        int number;
        std::string_view peer;
        int peer_number;
        std::int64_t bandwidth;
        int line;
    };

    void read_line(std::string_view text, int line) {
        const line_cursor at(text);
        const std::string_view word = at.rest().substr(0, at.rest().find_first_of(" \t\r="));
        if (at.rest().empty() || at.rest().front() == '#') return;
        if (at.rest().front() == '[') return read_port(text, line);
        if (word == "Switch" || word == "Ca" || word == "Rt") return read_node(text, line);
        const bool is_property = at.rest().substr(word.size()).starts_with('=');
        if (!is_property && word != "Chassis" && word != "Non-Chassis")
            refuse(text, line, "a line of ibnetdiscover, such as vendid=0x2c9 or Switch 36 \"S-...\"");
        is_open_ = false;
    }
    [[noreturn]] void refuse(std::string_view text, int line, std::string_view expected) const {
        file_.refuse(line, json_text(text.substr(0, 100)), expected);
    }

    void read_node(std::string_view text, int line) {
        const std::optional<ib_node_line> found = ib_node_line::parse(text);
        if (!found)
            refuse(text, line, "TYPE PORTS \"ID\", such as Switch 36 \"S-...\" or Ca 1 \"H-...\", 1 to 254 ports");
        if (nodes_.size() == most_nodes) file_.refuse(line, "too many nodes", "at most 2^20");
        if (!index_of_.try_emplace(found->id, nodes_.size()).second)
            file_.refuse(line, "node " + json_text(found->id) + " twice", "once");
        nodes_.push_back({*found});
        is_open_ = true;
    }
    void read_port(std::string_view text, int line) {
        const std::optional<ib_port_line> found = ib_port_line::parse(text);
        if (!found) refuse(text, line, "[PORT] \"ID\"[PORT] # ..., ports 1 to 254");
        if (!is_open_) file_.refuse(line, "a port of no node", "a line Switch or Ca before it");
        const std::size_t at = nodes_.size() - 1;
        if (found->port > nodes_[at].line.ports)
            file_.refuse(line, "port", fmt::format("{}", found->port), fmt::format("1 to {}", nodes_[at].line.ports));
        const std::optional<std::int64_t> bandwidth = ib_bandwidth(found->rate);
        if (!bandwidth)
            file_.refuse(line, "rate", found->rate,
                         "lanes and rate such as 4xHDR: SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR");
        if (ports_.size() == most_links) file_.refuse(line, "too many ports", "at most 2^22");
        if (!port_of_.try_emplace(key(at, found->port), ports_.size()).second)
            file_.refuse(line, fmt::format("port {} twice", found->port), "once");
        ports_.push_back({at, found->port, found->peer, found->peer_port, *bandwidth, line});
    }
    static std::uint64_t key(std::size_t node, int number) {
        return std::uint64_t{node} << 8 | static_cast<std::uint64_t>(number);
    }

    /// Returns the port at the other end. Rejects a cable of which the other end has no line.
    const listed_port& peer_of(const listed_port& one) const {
        const auto node = index_of_.find(one.peer);
        const auto end = [&] { return fmt::format("{}[{}]", json_text(one.peer), one.peer_number); };
        if (node == index_of_.end()) file_.refuse(one.line, end(), "a node of this file");
        const auto found = port_of_.find(key(node->second, one.peer_number));
        const std::string_view id = nodes_[one.node].line.id;
        if (found == port_of_.end() || ports_[found->second].peer != id ||
            ports_[found->second].peer_number != one.number)
            file_.refuse(one.line, end(), fmt::format("a port with a line for {}[{}]", json_text(id), one.number));
        if (node->second == one.node) file_.refuse(one.line, end(), "a port of another node");
        return ports_[found->second];
    }

    /// Numbers the hosts, then the others. A unit of a switch that combines data is not a host.
    void number_vertices() {
        const auto number = [&](bool hosts) {
            for (listed_node& one : nodes_) {
                const bool is_unit = one.line.description.find("Aggregation Node") != std::string_view::npos;
                if ((one.line.kind == 'H') != hosts || (hosts && is_unit)) continue;
                one.vertex = static_cast<rank_t>(names_.size());
                const bool is_new = taken_.insert(one.line.description).second && !one.line.description.empty();
                names_.emplace_back(is_new ? one.line.description : one.line.id);
            }
        };
        number(true);
        ranks_ = static_cast<rank_t>(names_.size());
        number(false);
    }
    std::vector<const char*> name_pointers() const {
        std::vector<const char*> all;
        for (const std::string& name : names_) all.push_back(name.c_str());
        return all;
    }

    const text_file& file_;
    std::vector<listed_node> nodes_;
    std::vector<listed_port> ports_;
    std::unordered_map<std::string_view, std::size_t> index_of_;  // node of an id
    std::unordered_map<std::uint64_t, std::size_t> port_of_;      // by node and number
    std::unordered_set<std::string_view> taken_;
    std::vector<std::string> names_;  // by vertex
    rank_t ranks_ = 0;
    bool is_open_ = false;  // whether a port may follow
};

}  // namespace detail

/// Reads the network of an InfiniBand fabric, as `ibnetdiscover` prints it. Each channel adapter (`Ca`) is a rank, in
/// the order of the text, and each switch and router is a switch. Adapters whose description contains
/// "Aggregation Node", which are units of switches, are omitted. Each cable is two links. It must be listed at both
/// ends, and has the lower rate of them.
///
/// The bandwidth is the number of lanes times 2.5 (SDR), 5 (DDR), 10 (QDR, FDR10), 14 (FDR), 25 (EDR), 50 (HDR), 100
/// (NDR) or 200 (XDR) Gbit/s. The name of a vertex is its description, or its id such as "H-0002c903000d7aac" if the
/// description is empty or belongs to an earlier vertex. There are at most 2^20 vertices and 2^22 links. O(size of the
/// text). Throws input_error.
/// @param file     the text
/// @param latency  of each link, which the text lacks, in picoseconds, 0 to 10^18
/// @return the network, without an error
inline topology::network read_ibnetdiscover(const text_file& file, picoseconds latency = 0) {
    return detail::ibnetdiscover_reader(file).read(latency);
}
/// Reads the file of this path. Throws input_error.
/// @param path     path of the file
/// @param latency  of each link, in picoseconds, 0 to 10^18
/// @return the network, without an error
inline topology::network read_ibnetdiscover(const std::filesystem::path& path, picoseconds latency = 0) {
    return read_ibnetdiscover(read_text_file(path), latency);
}

}}  // namespace collsched::COLLSCHED_ABI
