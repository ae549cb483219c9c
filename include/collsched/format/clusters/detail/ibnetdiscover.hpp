#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "collsched/cost/concepts.hpp"
#include "collsched/format/clusters/detail/cluster_builder.hpp"
#include "collsched/format/files/text_file.hpp"
#include "collsched/format/text.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// A position in a line of text. Functions that take something return whether it was there; else the position stays.
class line_cursor {
  public:
    explicit line_cursor(std::string_view text) : unread_(text) { skip_blanks(); }

    std::string_view unread() const { return unread_; }
    /// Takes a prefix, and the blanks after it.
    bool take(std::string_view prefix) {
        if (!unread_.starts_with(prefix)) return false;
        unread_.remove_prefix(prefix.size());
        skip_blanks();
        return true;
    }
    /// Takes a number of at most `most`, without a sign.
    std::optional<int> number(int most) {
        int value = 0;
        const auto [end, code] = std::from_chars(unread_.data(), unread_.data() + unread_.size(), value);
        if (code != std::errc() || unread_.front() == '-' || value > most) return std::nullopt;
        unread_.remove_prefix(static_cast<std::size_t>(end - unread_.data()));
        skip_blanks();
        return value;
    }
    /// Takes a text between two characters.
    std::optional<std::string_view> between(char open, char close) {
        if (unread_.empty() || unread_.front() != open) return std::nullopt;
        const std::size_t end = unread_.find(close, 1);
        if (end == unread_.npos) return std::nullopt;
        const std::string_view text = unread_.substr(1, end - 1);
        unread_.remove_prefix(end + 1);
        skip_blanks();
        return text;
    }

  private:
    void skip_blanks() { unread_.remove_prefix(std::min(unread_.find_first_not_of(" \t\r"), unread_.size())); }

    std::string_view unread_;
};

/// Largest number of a port.
inline constexpr int most_ports = 254;

/// Whether a text is a letter, a dash and the 1 to 16 digits of a GUID.
inline bool is_ib_id(std::string_view text, char letter) {
    return text.size() >= 3 && text.size() <= 18 && text[0] == letter && text[1] == '-' &&
           text.find_first_not_of("0123456789abcdefABCDEF", 2) == text.npos;
}

/// The first line of a node: `Switch 36 "S-0002c9020046c588" # "leaf 1" enhanced port 0 lid 2 lmc 0`.
struct ib_node_line {
    char kind;                     ///< 'S', 'H' or 'R'
    int ports;                     ///< 1 .. most_ports
    std::string_view id;           ///< "S-0002c9020046c588"
    std::string_view description;  ///< may be empty

    static std::optional<ib_node_line> parse(std::string_view line) {
        line_cursor at(line);
        const char kind = at.take("Switch") ? 'S' : at.take("Ca") ? 'H' : at.take("Rt") ? 'R' : '\0';
        const int ports = kind != '\0' ? at.number(most_ports).value_or(0) : 0;
        const auto id = at.between('"', '"');
        if (ports < 1 || !id || !is_ib_id(*id, kind)) return std::nullopt;
        at.take("#");
        return ib_node_line{kind, ports, *id, at.between('"', '"').value_or("")};
    }
};

/// The line of a port: `[22] "H-0008f10403961354"[1](8f10403961355) # "node1 HCA-1" lid 4 4xSDR`.
struct ib_port_line {
    int port;               ///< of this node, 1 .. most_ports
    std::string_view peer;  ///< id of the node at the other end
    int peer_port;          ///< port of that node
    std::string_view rate;  ///< "4xSDR"; empty if the line has none

    static std::optional<ib_port_line> parse(std::string_view line) {
        line_cursor at(line);
        const std::optional<int> port = port_number(at);
        const auto peer = at.between('"', '"');
        const std::optional<int> peer_port = peer ? port_number(at) : std::nullopt;
        if (!port || !peer_port) return std::nullopt;
        if (!is_ib_id(*peer, 'S') && !is_ib_id(*peer, 'H') && !is_ib_id(*peer, 'R')) return std::nullopt;
        if (!at.unread().empty() && !at.unread().starts_with('#')) return std::nullopt;
        return ib_port_line{*port, *peer, *peer_port, rate_in(at.unread())};
    }

  private:
    /// Takes `[3]`, and then `[ext 5]` and `(8f10403961355)` if they are there.
    static std::optional<int> port_number(line_cursor& at) {
        std::optional<int> number;
        if (!at.take("[") || !(number = at.number(most_ports)) || *number < 1 || !at.take("]")) return std::nullopt;
        if (at.unread().starts_with("[ext")) at.between('[', ']');
        at.between('(', ')');
        return number;
    }
    /// Returns the word behind the last quote that begins with a digit and has an `x`.
    static std::string_view rate_in(std::string_view comment) {
        comment.remove_prefix(std::min(comment.rfind('"') + 1, comment.size()));
        for (line_cursor at(comment); !at.unread().empty();) {
            const std::string_view word = at.unread().substr(0, at.unread().find_first_of(" \t\r"));
            if (word.front() >= '0' && word.front() <= '9' && word.find('x') != word.npos) return word;
            at.take(word);
        }
        return {};
    }
};

/// Returns the bytes per second of a number of lanes and their rate: "4xHDR" is 25 * 10^9.
inline std::optional<std::int64_t> ib_bandwidth(std::string_view rate) {
    constexpr std::pair<std::string_view, std::int64_t> lanes[] = {
        {"SDR", 2'500},  {"DDR", 5'000},  {"QDR", 10'000},  {"FDR10", 10'000}, {"FDR", 14'000},
        {"EDR", 25'000}, {"HDR", 50'000}, {"NDR", 100'000}, {"XDR", 200'000}};  // 10^6 bits per second
    line_cursor at(rate);
    const std::optional<int> width = at.number(12);
    if (!width || *width < 1 || !at.take("x")) return std::nullopt;
    for (const auto& [name, megabits] : lanes)
        if (at.unread() == name) return *width * megabits * 125'000;
    return std::nullopt;
}

/// Returns whether a line of a text begins like one of ibnetdiscover. No line of a Slurm topology does.
inline bool is_ibnetdiscover(std::string_view text) {
    constexpr std::string_view begins[] = {"vendid=", "Switch ", "Switch\t",
                                           "Ca ",     "Ca\t",    "# Topology file: generated"};
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        for (const std::string_view begin : begins)
            if (line.starts_with(begin)) return true;
    }
    return false;
}

/// Reads the network of an InfiniBand fabric, as `ibnetdiscover` prints it. Each channel adapter (`Ca`) is a rank, in
/// the order of the text, and each switch and router is a switch. Adapters whose description contains
/// "Aggregation Node", which are units of switches, are omitted. Each cable is two links. It must be listed at both
/// ends, and has the lower rate of them.
///
/// The bandwidth is the number of lanes times 2.5 (SDR), 5 (DDR), 10 (QDR, FDR10), 14 (FDR), 25 (EDR), 50 (HDR), 100
/// (NDR) or 200 (XDR) Gbit/s. The name of a vertex is its description, or its id such as "H-0002c903000d7aac" if the
/// description is empty or belongs to an earlier vertex. There are at most 2^20 vertices and 2^22 links. O(size of the
/// text). Throws input_error.
class ibnetdiscover_reader {
  public:
    explicit ibnetdiscover_reader(const text_file& file) : file_(file) {}

    /// @param latency  of each link, which the text lacks, in picoseconds, 0 to 10^18
    topology::network read(picoseconds latency) {
        file_.refuse_zero_bytes("output of ibnetdiscover");
        if (latency < 0 || latency > most_latency)
            throw input_error({"latency", fmt::format("{}", latency), "0 to 10^18 ps"});
        int line = 0;
        for (std::string_view unread = file_.text; !unread.empty();) read_line(take_line(unread), ++line);
        number_vertices();
        if (ranks_ == 0) file_.refuse(1, "Ca", "none", "one or more");
        std::vector<topology::network::link> links;
        for (const listed_port& port : ports_) {
            const listed_port& other = peer_of(port);
            const rank_t from = nodes_[port.node].vertex, to = nodes_[other.node].vertex;
            if (from >= 0 && to >= 0) links.push_back({from, to, std::min(port.bandwidth, other.bandwidth), latency});
        }
        return named_network(file_, 1, ranks_, names_, links);
    }

  private:
    static constexpr picoseconds most_latency = 1'000'000'000'000'000'000;
    static constexpr std::size_t most_links = std::size_t{1} << 22;
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
        const std::string_view word = at.unread().substr(0, at.unread().find_first_of(" \t\r="));
        if (at.unread().empty() || at.unread().front() == '#') return;
        if (at.unread().front() == '[') return read_port(text, line);
        if (word == "Switch" || word == "Ca" || word == "Rt") return read_node(text, line);
        const bool is_property = at.unread().substr(word.size()).starts_with('=');
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
        if (nodes_.size() == static_cast<std::size_t>(most_nodes)) file_.refuse(line, "too many nodes", "at most 2^20");
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
    const listed_port& peer_of(const listed_port& port) const {
        const auto node = index_of_.find(port.peer);
        const auto end = [&] { return fmt::format("{}[{}]", json_text(port.peer), port.peer_number); };
        if (node == index_of_.end()) file_.refuse(port.line, end(), "a node of this file");
        const auto found = port_of_.find(key(node->second, port.peer_number));
        const std::string_view id = nodes_[port.node].line.id;
        if (found == port_of_.end() || ports_[found->second].peer != id ||
            ports_[found->second].peer_number != port.number)
            file_.refuse(port.line, end(), fmt::format("a port with a line for {}[{}]", json_text(id), port.number));
        if (node->second == port.node) file_.refuse(port.line, end(), "a port of another node");
        return ports_[found->second];
    }

    /// Numbers the hosts, then the others. A unit of a switch that combines data is not a host.
    void number_vertices() {
        const auto number = [&](bool hosts) {
            for (listed_node& node : nodes_) {
                const bool is_unit = node.line.description.find("Aggregation Node") != std::string_view::npos;
                if ((node.line.kind == 'H') != hosts || (hosts && is_unit)) continue;
                node.vertex = static_cast<rank_t>(names_.size());
                const bool is_new = used_names_.insert(node.line.description).second && !node.line.description.empty();
                names_.emplace_back(is_new ? node.line.description : node.line.id);
            }
        };
        number(true);
        ranks_ = static_cast<rank_t>(names_.size());
        number(false);
    }
    const text_file& file_;
    std::vector<listed_node> nodes_;
    std::vector<listed_port> ports_;
    std::unordered_map<std::string_view, std::size_t> index_of_;  // node of an id
    std::unordered_map<std::uint64_t, std::size_t> port_of_;      // by node and number
    std::unordered_set<std::string_view> used_names_;
    std::vector<std::string> names_;  // by vertex
    rank_t ranks_ = 0;
    bool is_open_ = false;  // whether a port may follow
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
