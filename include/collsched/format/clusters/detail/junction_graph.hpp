#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "collsched/core/checked.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/cost/concepts.hpp"
#include "collsched/format/clusters/detail/cluster_builder.hpp"
#include "collsched/format/text.hpp"
#include "collsched/format/files/text_file.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Builds a network from links whose ends are vertices, and from links that are known only by the vertices and links
/// before and after them, as in routes. A link of the second kind has an entry and an exit, two vertices of its own, and
/// all its data passes from the entry to the exit. Junctions connect vertices, and have no capacity of their own.
///
/// network() removes entries and exits that a junction makes equal to another vertex: an entry with a single arc into
/// it, and an exit with a single arc out of it. Neither removal changes a cut between ranks.
class junction_graph {
  public:
    struct ends {
        rank_t entry, exit;
    };

    /// @param line  line of the text for errors that concern the whole graph
    junction_graph(const text_file& file, int line) : file_(file), line_(line) {}

    /// Adds a vertex that is never removed if it has links. The ranks are the first vertices.
    rank_t add_vertex(std::string name) { return add(std::move(name), kind::named); }
    /// Adds a link between two vertices.
    /// @param bandwidth  bytes per second; 0: messages do not share it, so that it does not limit their sum
    void add_link(rank_t from, rank_t to, std::int64_t bandwidth, picoseconds latency) {
        add_arc({from, to, bandwidth, latency, true});
    }
    /// Adds a link with an entry and an exit, which receive its name and its name with the suffix "_out".
    ends add_bus(const std::string& name, std::int64_t bandwidth, picoseconds latency) {
        const rank_t entry = add(name, kind::entry), exit = add(name + "_out", kind::exit);
        add_link(entry, exit, bandwidth, latency);
        bandwidth_[at(entry)] = bandwidth_[at(exit)] = bandwidth;
        return {entry, exit};
    }
    /// Connects two vertices. Several junctions between the same vertices are one.
    void join(rank_t from, rank_t to) {
        const bool is_turn = kinds_[at(from)] == kind::exit && to == from - 1;  // from a link back to itself
        if (from != to && !is_turn && joined_.insert(std::uint64_t(from) << 32 | std::uint64_t(to)).second)
            add_arc({from, to, 0, 0, false});
    }

    /// Returns the network. Throws input_error for too many vertices or links, and if links without limit lead from a
    /// rank to a rank. Links without limit receive the sum W of all limited bandwidths. That changes no bound: the
    /// vertices from which they lead to a rank are on one side of a cut of limited links, which has W or less.
    /// O(links log(links)).
    topology::network network(rank_t ranks) {
        merge();
        refuse_unlimited(ranks);
        const std::int64_t unlimited = sum_of_limits();
        number(ranks);
        std::vector<topology::network::link> links;
        links.reserve(arcs_.size());
        for (const arc& connection : arcs_) {
            const rank_t from = numbers_[at(root(connection.from))], to = numbers_[at(root(connection.to))];
            const std::int64_t limit = limit_of(connection);
            if (from != to) links.push_back({from, to, limit > 0 ? limit : unlimited, connection.latency});
        }
        if (links.size() > most_links) file_.refuse(line_, "too many links", "at most 2^22");
        return named_network(file_, line_, ranks, final_names_, links);
    }

  private:
    static constexpr std::size_t most_vertices = std::size_t{1} << 20, most_links = std::size_t{1} << 22;
    enum class kind : std::uint8_t { named, entry, exit };
    struct arc {
        rank_t from, to;
        std::int64_t bandwidth;
        picoseconds latency;
        bool is_link;  ///< else a junction
    };

    static std::size_t at(rank_t i) { return static_cast<std::size_t>(i); }

    rank_t add(std::string name, kind of) {
        if (names_.size() == 4 * most_vertices) file_.refuse(line_, "too many vertices", "at most 2^20");
        names_.push_back(std::move(name));
        kinds_.push_back(of);
        bandwidth_.push_back(0);
        in_.push_back(0);
        out_.push_back(0);
        return static_cast<rank_t>(names_.size()) - 1;
    }
    void add_arc(const arc& connection) {
        if (arcs_.size() == 4 * most_links) file_.refuse(line_, "too many links", "at most 2^22");
        arcs_.push_back(connection);
        ++out_[at(connection.from)];
        ++in_[at(connection.to)];
    }

    /// Merges entries with the only vertex before them, and exits with the only vertex after them.
    void merge() {
        root_.resize(names_.size());
        std::iota(root_.begin(), root_.end(), rank_t{0});
        for (const arc& connection : arcs_) {
            if (connection.is_link) continue;
            const rank_t from = root(connection.from), to = root(connection.to);
            if (kinds_[at(connection.to)] == kind::entry && in_[at(connection.to)] == 1) root_[at(to)] = from;
            else if (kinds_[at(connection.from)] == kind::exit && out_[at(connection.from)] == 1) root_[at(from)] = to;
        }
    }
    rank_t root(rank_t v) {
        while (root_[at(v)] != v) v = root_[at(v)] = root_[at(root_[at(v)])];
        return v;
    }

    /// Returns the smaller bandwidth of the links at a junction, or the bandwidth of a link. 0: no limit.
    std::int64_t limit_of(const arc& connection) const {
        if (connection.is_link) return connection.bandwidth;
        const std::int64_t a = kinds_[at(connection.from)] == kind::exit ? bandwidth_[at(connection.from)] : 0;
        const std::int64_t b = kinds_[at(connection.to)] == kind::entry ? bandwidth_[at(connection.to)] : 0;
        return a == 0 || (b > 0 && b < a) ? b : a;
    }
    /// Throws if links without limit lead from a rank to a rank.
    void refuse_unlimited(rank_t ranks) {
        std::vector<std::pair<rank_t, rank_t>> steps;
        for (const arc& connection : arcs_)
            if (limit_of(connection) == 0 && root(connection.from) != root(connection.to))
                steps.emplace_back(root(connection.from), root(connection.to));
        has_unlimited_ = !steps.empty();
        std::sort(steps.begin(), steps.end());
        std::vector<bool> is_reached(names_.size());
        std::vector<rank_t> open(at(ranks));
        std::iota(open.begin(), open.end(), rank_t{0});
        while (!open.empty()) {
            const rank_t from = open.back();
            open.pop_back();
            for (auto step = std::lower_bound(steps.begin(), steps.end(), std::pair(from, rank_t{-1}));
                 step != steps.end() && step->first == from; ++step) {
                if (step->second < ranks)
                    file_.refuse(line_,
                                 fmt::format("a path to {} without a limit", json_text(names_[at(step->second)])),
                                 "a SPLITDUPLEX or SHARED link on each path between hosts: FATPIPE links do not limit "
                                 "the sum of messages");
                if (is_reached[at(step->second)]) continue;
                is_reached[at(step->second)] = true;
                open.push_back(step->second);
            }
        }
    }
    std::int64_t sum_of_limits() const {
        if (!has_unlimited_) return 0;
        checked sum = 0;
        for (const arc& connection : arcs_)
            if (connection.is_link) sum = sum + connection.bandwidth;
        if (!sum.ok()) file_.refuse(line_, "links of 2^63 bytes per second or more together", "less");
        return sum.value();
    }

    /// Numbers the vertices that have links, after the ranks, and makes their names different.
    void number(rank_t ranks) {
        numbers_.assign(names_.size(), -1);
        std::vector<bool> has_links(names_.size());
        for (const arc& connection : arcs_) {
            const rank_t from = root(connection.from), to = root(connection.to);
            if (from != to) has_links[at(from)] = has_links[at(to)] = true;
        }
        std::unordered_set<std::string> used_names;
        for (rank_t v = 0; v < static_cast<rank_t>(names_.size()); ++v) {
            if (v >= ranks && (root(v) != v || !has_links[at(v)])) continue;
            numbers_[at(v)] = static_cast<rank_t>(final_names_.size());
            if (final_names_.size() == most_vertices) file_.refuse(line_, "too many vertices", "at most 2^20");
            while (!used_names.insert(names_[at(v)]).second) names_[at(v)] += '_';
            final_names_.push_back(names_[at(v)]);
        }
    }

    const text_file& file_;
    int line_;
    std::vector<std::string> names_;
    std::vector<kind> kinds_;
    std::vector<std::int64_t> bandwidth_;  ///< of the link of an entry or exit
    std::vector<std::int32_t> in_, out_;   ///< numbers of arcs
    std::vector<arc> arcs_;
    std::unordered_set<std::uint64_t> joined_;
    bool has_unlimited_ = false;
    std::vector<rank_t> root_, numbers_;
    std::vector<std::string> final_names_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
