#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/detail/shared.hpp"
#include "collsched/cost/concepts.hpp"
#include "collsched/cost/intra_node_links.hpp"
#include "collsched/topology/switch_tree.hpp"
#include "collsched/topology/placement.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Heterogeneous (L, o, b) model: node i has overhead o(i) per message at each end; a message of m bytes leaves it
/// (m-1) / b(i,j) later and arrives after L(i,j). A single message takes o(i) + (m-1)/b(i,j) + L(i,j) + o(j) and
/// occupies its sender for o(i) + (m-1)/b(i,j). Between ranks of one node L and b are those of intra_node_links.
///
/// Latencies and bandwidths come from a switch tree (sum of latencies and smallest bandwidth of the path) or from
/// matrices. A tree is the switches above the ranks; with matrices alone all ranks are on one switch. Planners read both.
/// Memory, shared by all copies: O(nodes + switches), 16 bytes per pair of nodes and matrix, and 16 per pair
/// of up to 256 switches. Methods are O(1); O(levels) with more switches. check() reports wrong values; then no other
/// method may be called. Source: the model of the MGO scheduler.
class lob_model {
  public:
    using link_cost = collsched::link_cost;

    constexpr lob_model() = default;
    /// Model of a switch tree.
    /// @param tree       nodes and switches
    /// @param overheads  picoseconds, one per node
    /// @param links      costs of node links, one per node
    /// @param uplinks    costs of the links to parents, one per switch; uplinks[0] is not used
    constexpr lob_model(const topology::switch_tree& tree, std::span<const picoseconds> overheads,
                        std::span<const link_cost> links, std::span<const link_cost> uplinks)
        : held_(tables(tree, overheads, links, uplinks)) {}
    /// Model of n * n matrices, row i from node i. Diagonals are not read.
    /// @param overheads  picoseconds, one per node
    /// @param latencies  picoseconds, one per pair
    /// @param byte_fs    femtoseconds per byte, one per pair
    constexpr lob_model(std::span<const picoseconds> overheads, std::span<const picoseconds> latencies,
                        std::span<const std::int64_t> byte_fs)
        : lob_model(topology::switch_tree::flat(static_cast<rank_t>(overheads.size())), overheads, latencies, byte_fs) {
    }
    /// Model of a switch tree with costs in n * n matrices, row i from node i. Diagonals are not read.
    /// @param tree       nodes and switches
    /// @param overheads  picoseconds, one per node
    /// @param latencies  picoseconds, one per pair
    /// @param byte_fs    femtoseconds per byte, one per pair
    constexpr lob_model(const topology::switch_tree& tree, std::span<const picoseconds> overheads,
                        std::span<const picoseconds> latencies, std::span<const std::int64_t> byte_fs)
        : held_(tables(tree, overheads, latencies, byte_fs)) {}
    /// Returns the model with other latencies or rates. An empty matrix replaces nothing.
    /// @param latencies  picoseconds, one per pair
    /// @param byte_fs    femtoseconds per byte, one per pair
    constexpr lob_model with_matrices(std::span<const picoseconds> latencies,
                                      std::span<const std::int64_t> byte_fs) const {
        if (!held_) return *this;
        tables changed = *held_;
        if (transposed_) changed.turn();
        if (!latencies.empty()) changed.latency = matrix(latencies);
        if (!byte_fs.empty()) changed.byte_fs = matrix(byte_fs);
        lob_model result = holding(static_cast<tables&&>(changed));
        result.transposed_ = false;
        return result;
    }
    /// Returns the model with other links within nodes.
    /// @param nodes  one for all nodes, or one per node
    constexpr lob_model with_intra_nodes(std::span<const intra_node_links> nodes) const {
        if (!held_) return *this;
        tables changed = *held_;
        changed.inside = owned_array<intra_node_links>(nodes);
        return holding(static_cast<tables&&>(changed));
    }
    /// Returns the model of ranks on nodes; on a placed model, on its ranks. A node with several ranks becomes a switch.
    /// @param where  node of each rank
    constexpr lob_model placed(const topology::placement& where) const {
        lob_model result = *this;
        result.placement_ = detail::shared<rank_placement>(
            rank_placement(placed() ? placement_->where.under(where) : where, switches().placed(where)));
        return result;
    }
    /// Returns the model with the direction of every link reversed. Many-to-one trees are planned with it. O(1).
    constexpr lob_model transposed() const {
        lob_model result = *this;
        result.transposed_ = !transposed_;
        return result;
    }

    /// Returns the number of ranks: nodes, unless placed.
    constexpr rank_t ranks() const { return placed() ? placement_->where.ranks() : held_ ? held_->overhead.size() : 0; }
    /// Returns the switches above the ranks. O(1).
    constexpr topology::switch_tree switches() const {
        if (placed()) return placement_->switches;
        if (held_) return held_->tree;
        return {};
    }
    /// Returns the links within nodes: one for all nodes, or one per node.
    constexpr const owned_array<intra_node_links>& intra_nodes() const { return held_->inside; }
    /// Returns o(i). @param i  rank
    constexpr picoseconds overhead(rank_t i) const { return held_->overhead[node(i)]; }
    /// Returns L(i, j). @param i  sender @param j  receiver
    constexpr picoseconds latency(rank_t i, rank_t j) const {
        const rank_t from = node(i), to = node(j);
        return from == to ? within(i, j).latency_ps : held_->latency_of(from, to, transposed_);
    }
    /// Returns 1 / b(i, j) in femtoseconds per byte. @param i  sender @param j  receiver
    constexpr std::int64_t byte_fs(rank_t i, rank_t j) const {
        const rank_t from = node(i), to = node(j);
        return from == to ? within(i, j).byte_fs : held_->byte_fs_of(from, to, transposed_);
    }
    /// Returns floor((m-1) / b(i, j)) in ps; 0 for a signal. @param i  sender @param j  receiver @param m  bytes
    constexpr picoseconds stream(rank_t i, rank_t j, bytes_t m) const {
        return detail::stream_at(m, byte_fs(i, j)).value();
    }
    // Members of message_cost: a message occupies its sender until it has left. Copies and combinations are free.
    constexpr checked sending(rank_t i, rank_t j, bytes_t m, bool) const {
        return checked(overhead(i)) + detail::stream_at(m, byte_fs(i, j));
    }
    constexpr checked connection(bool) const { return 0; }
    constexpr checked stream(bytes_t) const { return 0; }
    constexpr checked gap() const { return 0; }
    constexpr checked flight(rank_t i, rank_t j) const { return latency(i, j); }
    constexpr checked receiving(rank_t, rank_t j, bool) const { return overhead(j); }
    constexpr checked copy(bytes_t) const { return 0; }
    constexpr checked combine(bytes_t) const { return 0; }

    /// Returns the first error, or no error. O(1).
    constexpr argument_error check() const {
        if (!held_) return {"nodes", 0, "1 or more"};
        if (held_->error) return held_->error;
        if (!placed()) return {};
        if (argument_error error = placement_->where.check()) return error;
        if (placement_->where.nodes() != held_->overhead.size())
            return {"nodes", placement_->where.nodes(), "as many in the placement as in the model"};
        return {};
    }
    /// Returns the error of check(), or of n messages in sequence that take 2^62 ps. @param n  number @param m  bytes
    constexpr argument_error check(std::int64_t n, bytes_t m) const {
        if (argument_error error = check()) return error;
        if (m < 0) return {"bytes", m, "0 bytes or more"};
        picoseconds latency = held_->largest_latency;
        std::int64_t byte_fs = held_->largest_fs;
        if (placed() && placement_->shares_nodes)
            for (const intra_node_links& node : held_->inside) {
                const link_cost path = node.path(node.sockets > 1);
                latency = latency < path.latency_ps ? path.latency_ps : latency;
                byte_fs = byte_fs < path.byte_fs ? path.byte_fs : byte_fs;
            }
        const checked signal = checked(held_->largest_overhead) + held_->largest_overhead + latency;
        if (!(signal * n * 2).ok())
            return {"latency", latency, "latencies and overheads for which all times are below 2^62 ps"};
        const checked stream = detail::stream_at(m, byte_fs);
        if (!((signal + stream) * n * 2).ok()) return {"bytes", m, "a size for which all times are below 2^62 ps"};
        return {};
    }
    /// Compares all numbers. A transposed model equals one of transposed matrices. @param other  model @return equality
    constexpr bool operator==(const lob_model& other) const {
        if (placement_ != other.placement_) return false;
        if (transposed_ == other.transposed_ || !held_ || !other.held_) return held_ == other.held_;
        return held_->equals(*other.held_, true);
    }

  private:
    /// One number per pair of nodes, or empty. Both directions may be stored, so that the pairs of a node are a row.
    struct matrix {
        owned_array<std::int64_t> rows, columns;  ///< columns once the matrix is found to be square

        constexpr matrix() = default;
        constexpr explicit matrix(std::span<const std::int64_t> numbers) : rows(numbers) {}
        constexpr bool empty() const { return rows.empty(); }
        constexpr rank_t size() const { return rows.size(); }
        constexpr const owned_array<std::int64_t>& entries(bool back) const { return back ? columns : rows; }
        constexpr void turn() {
            if (!columns.empty()) std::swap(rows, columns);
        }
        /// Transposes in squares that fit a cache.
        constexpr void add_transposed(rank_t n) {
            constexpr rank_t edge = 32;
            columns = owned_array<std::int64_t>(n * n);
            for (rank_t top = 0; top < n; top += edge)
                for (rank_t column = 0; column < n; column += edge)
                    for (rank_t i = top; i < n && i < top + edge; ++i)
                        for (rank_t j = column; j < n && j < column + edge; ++j) columns[i * n + j] = rows[j * n + i];
        }
    };

    struct tables {
        topology::switch_tree tree;
        owned_array<picoseconds> overhead;
        owned_array<link_cost> links, uplink;
        owned_array<link_cost> paths;  ///< between any two switches, if these are few
        matrix latency, byte_fs;       ///< empty: from the tree
        owned_array<intra_node_links> inside{1};
        picoseconds largest_overhead{}, largest_latency{};
        std::int64_t largest_fs{};
        argument_error error;
        constexpr tables(const topology::switch_tree& switches, std::span<const picoseconds> overheads,
                         std::span<const link_cost> node_links, std::span<const link_cost> uplinks)
            : tree(switches), overhead(overheads), links(node_links), uplink(uplinks) {
            find_error();
        }
        constexpr tables(const topology::switch_tree& switches, std::span<const picoseconds> overheads,
                         std::span<const picoseconds> latencies, std::span<const std::int64_t> rates)
            : tree(switches), overhead(overheads), latency(latencies), byte_fs(rates) {
            find_error();
        }
        /// Returns the latency from i to j, or from j to i; in the tree both are equal.
        constexpr picoseconds latency_of(rank_t i, rank_t j, bool back) const {
            if (!latency.empty()) return latency.entries(back)[i * overhead.size() + j];
            return links[i].latency_ps + links[j].latency_ps + path(tree.home(i), tree.home(j)).latency_ps;
        }
        constexpr std::int64_t byte_fs_of(rank_t i, rank_t j, bool back) const {
            if (!byte_fs.empty()) return byte_fs.entries(back)[i * overhead.size() + j];
            const std::int64_t slower = links[i].byte_fs < links[j].byte_fs ? links[j].byte_fs : links[i].byte_fs;
            const std::int64_t between = path(tree.home(i), tree.home(j)).byte_fs;
            return between < slower ? slower : between;
        }
        constexpr link_cost path(rank_t a, rank_t b) const {
            return paths.empty() ? walk(a, b) : paths[a * uplink.size() + b];
        }
        constexpr link_cost walk(rank_t a, rank_t b) const {
            link_cost all;
            while (a != b) {
                rank_t& lower = tree.level(a) < tree.level(b) ? b : a;
                if (latency.empty()) all.latency_ps += uplink[lower].latency_ps;
                if (uplink[lower].byte_fs > all.byte_fs) all.byte_fs = uplink[lower].byte_fs;
                lower = tree.parent(lower);
            }
            return all;
        }
        constexpr void find_paths() {
            constexpr rank_t limit = 256;
            const rank_t n = has_links() && !error && uplink.size() <= limit ? uplink.size() : 0;
            paths = owned_array<link_cost>(n * n);
            for (rank_t a = 0; a < n; ++a)
                for (rank_t b = 0; b < n; ++b) paths[a * n + b] = walk(a, b);
        }
        constexpr void find_error() {
            error = {};
            largest_overhead = largest_latency = largest_fs = 0;
            const rank_t n = overhead.size();
            if (n < 1) error = {"nodes", 0, "1 or more"};
            for (rank_t i = 0; i < n && !error; ++i)
                if (note(overhead[i], largest_overhead)) error = {"overhead", overhead[i], "0 ps to 2^60 ps", i};
            if (!error) check_tree(n);
            if (!error) check_latencies(n);
            if (!error) check_rates(n);
            if (!error && inside.size() != 1 && inside.size() != n)
                error = {"intra_nodes", inside.size(), "one for all nodes, or one per node"};
            for (rank_t i = 0; i < inside.size() && !error; ++i) error = inside[i].check();
            find_paths();
        }
        /// Records the largest value. Returns whether the value is out of range.
        static constexpr bool note(std::int64_t value, std::int64_t& largest) {
            if (value > largest) largest = value;
            return value < 0 || value > std::int64_t{1} << 60;
        }
        constexpr bool has_links() const { return !links.empty(); }
        constexpr void check_tree(rank_t n) {
            error = tree.check();
            if (error) return;
            if (tree.nodes() != n) error = {"nodes", tree.nodes(), "as many in the tree as overheads"};
            if (error || (!has_links() && !latency.empty() && !byte_fs.empty())) return;
            if (links.size() != n) error = {"links", links.size(), "one for each node"};
            else if (uplink.size() != tree.switches()) error = {"uplinks", uplink.size(), "one for each switch"};
        }
        constexpr void check_matrix(matrix& table, rank_t n, std::int64_t& largest, const char* argument,
                                    const char* range) {
            if (table.size() / n != n || table.size() % n != 0) {
                error = {argument, table.size(), "a number for each pair of nodes"};
                return;
            }
            for (rank_t i = 0, k = 0; i < n; ++i)
                for (rank_t j = 0; j < n && !error; ++j, ++k)
                    if (i != j && note(table.rows[k], largest)) error = {argument, table.rows[k], range, k};
            if (table.columns.empty()) table.add_transposed(n);
        }
        constexpr void check_latencies(rank_t n) {
            if (!latency.empty()) return check_matrix(latency, n, largest_latency, "latency", "0 ps to 2^60 ps");
            owned_array<picoseconds> to_root(tree.switches());
            picoseconds deepest = 0, longest = 0;
            for (rank_t e = 1; e < tree.switches() && !error; ++e) {
                const checked sum = checked(to_root[tree.parent(e)]) + uplink[e].latency_ps;
                to_root[e] = sum.value();
                if (uplink[e].latency_ps < 0 || !sum.ok() || note(sum.value(), deepest))
                    error = {"latency", uplink[e].latency_ps, "0 ps or more, at most 2^60 ps along a path", e};
            }
            for (rank_t i = 0; i < n && !error; ++i)
                if (note(links[i].latency_ps, longest)) error = {"latency", links[i].latency_ps, "0 ps to 2^60 ps", i};
            largest_latency = 2 * (deepest + longest);
        }
        constexpr void check_rates(rank_t n) {
            if (!byte_fs.empty()) return check_matrix(byte_fs, n, largest_fs, "bandwidth", "0 to 2^60 fs per byte");
            // Nodes whose paths up to a switch have no bandwidth: two of them that meet there have a path without
            // bandwidth.
            owned_array<rank_t> bare(tree.switches());
            for (rank_t i = 0; i < n && !error; ++i) {
                if (note(links[i].byte_fs, largest_fs))
                    error = {"bandwidth", links[i].byte_fs, "0 to 2^60 fs per byte", i};
                bare[tree.home(i)] += links[i].byte_fs == 0 ? 1 : 0;
            }
            for (rank_t e = tree.switches(); e-- > 0 && !error;) {
                if (bare[e] > 1) error = {"bandwidth", bare[e], "a link with a bandwidth on every path", e};
                if (e == 0) break;
                if (note(uplink[e].byte_fs, largest_fs))
                    error = {"bandwidth", uplink[e].byte_fs, "0 to 2^60 fs per byte", e};
                if (uplink[e].byte_fs == 0) bare[tree.parent(e)] += bare[e];
            }
        }
        constexpr void turn() {
            latency.turn();
            byte_fs.turn();
        }
        constexpr bool equals(const tables& other, bool back) const {
            return tree == other.tree && overhead == other.overhead && links == other.links && uplink == other.uplink &&
                   inside == other.inside && latency.rows == other.latency.entries(back) &&
                   byte_fs.rows == other.byte_fs.entries(back);
        }
        constexpr bool operator==(const tables& other) const { return equals(other, false); }
    };

    /// The nodes of ranks, and the switches above the ranks.
    struct rank_placement {
        topology::placement where;
        topology::switch_tree switches;
        owned_array<rank_t> local, residents;  ///< local ranks, and numbers of ranks per node
        bool shares_nodes = false;

        constexpr rank_placement(const topology::placement& nodes, const topology::switch_tree& tree)
            : where(nodes), switches(tree) {
            if (where.check()) return;
            local = where.local_ranks();
            residents = where.residents();
            for (const rank_t count : residents) shares_nodes = shares_nodes || count > 1;
        }
        bool operator==(const rank_placement&) const = default;
    };

    constexpr lob_model holding(tables&& changed) const {
        changed.find_error();
        lob_model result = *this;
        result.held_ = detail::shared<tables>(static_cast<tables&&>(changed));
        return result;
    }
    /// Returns the cost between two ranks of one node.
    constexpr link_cost within(rank_t i, rank_t j) const {
        if (i == j) return {};
        const intra_node_links& inside = held_->inside[held_->inside.size() == 1 ? 0 : node(i)];
        const auto socket = [&](rank_t r) {
            return inside.socket(placement_->local[r], placement_->residents[node(r)]);
        };
        return inside.path(socket(i) != socket(j));
    }

    constexpr bool placed() const { return static_cast<bool>(placement_); }
    constexpr rank_t node(rank_t r) const { return placed() ? placement_->where.node(r) : r; }

    detail::shared<tables> held_;
    detail::shared<rank_placement> placement_;
    bool transposed_ = false;
};

}}  // namespace collsched::COLLSCHED_ABI
