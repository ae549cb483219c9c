#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/error.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/shared.hpp"
#include "collsched/cost/picoseconds.hpp"
#include "collsched/topology/machine_tree.hpp"
#include "collsched/topology/placement.hpp"

namespace collsched {

/// What one link adds to a path: latency, and the femtoseconds that it lets pass between two bytes; 0 where it gives no
/// bandwidth, as if it were as fast as all others on the path.
struct link_cost {
    picoseconds latency_ps = 0;
    std::int64_t byte_fs = 0;
    bool operator==(const link_cost&) const = default;
};

/// The heterogeneous (L, o, b) model: computer i needs the overhead o(i) for a message at either end, a message of m bytes
/// leaves it in (m-1) / b(i,j) more, and arrives L(i,j) later. So a message alone takes o(i) + (m-1)/b(i,j) + L(i,j) + o(j),
/// and keeps its sender busy for o(i) + (m-1)/b(i,j). Between ranks on one computer L is 0 and b without limit.
///
/// Latencies and bandwidths come from a tree of equipment, where latencies add up along the path and the narrowest link gives
/// the bandwidth, or from matrices. Held in common by all copies. Wrong values are told by check(); nothing else may be asked
/// then. Source: the model of the MGO scheduler.
class lob_model {
  public:
    constexpr lob_model() = default;

    /// overheads[c] and own[c] of every computer, uplinks[e] of every piece of equipment (the root's counts for nothing).
    constexpr lob_model(const topology::machine_tree& tree, std::span<const picoseconds> overheads,
                        std::span<const link_cost> own, std::span<const link_cost> uplinks)
        : held_(tables(tree, overheads, own, uplinks)) {}

    /// n * n numbers each, row i from computer i; the diagonals are not read.
    constexpr lob_model(std::span<const picoseconds> overheads, std::span<const picoseconds> latencies,
                        std::span<const std::int64_t> byte_fs)
        : held_(tables(overheads, latencies, byte_fs)) {}

    /// The model with latencies or bandwidths (femtoseconds a byte) from matrices instead; an empty one changes nothing.
    constexpr lob_model with(std::span<const picoseconds> latencies, std::span<const std::int64_t> byte_fs) const {
        if (!held_) return *this;
        tables changed = *held_;
        if (!latencies.empty()) changed.latency = owned_array<picoseconds>(latencies);
        if (!byte_fs.empty()) changed.byte_fs = owned_array<std::int64_t>(byte_fs);
        changed.find_error();
        lob_model made = *this;
        made.held_ = shared<tables>(static_cast<tables&&>(changed));
        return made;
    }
    /// The model of ranks on these computers.
    constexpr lob_model placed(const topology::placement& where) const {
        lob_model made = *this;
        made.where_ = where;
        made.placed_ = true;
        return made;
    }
    /// Every link the other way round: what many-to-one is planned with.
    constexpr lob_model transposed() const {
        lob_model made = *this;
        made.transposed_ = !transposed_;
        return made;
    }

    /// How many ranks; computers, unless placed.
    constexpr rank_t ranks() const { return placed() ? where_.ranks() : held_ ? held_->overhead.size() : 0; }
    /// o(i).
    constexpr picoseconds overhead(rank_t i) const { return held_->overhead[seat(i)]; }
    /// L(i, j).
    constexpr picoseconds latency(rank_t i, rank_t j) const {
        const rank_t from = seat(transposed_ ? j : i), to = seat(transposed_ ? i : j);
        return from == to ? 0 : held_->latency_of(from, to);
    }
    /// 1 / b(i, j), in femtoseconds a byte.
    constexpr std::int64_t byte_fs(rank_t i, rank_t j) const {
        const rank_t from = seat(transposed_ ? j : i), to = seat(transposed_ ? i : j);
        return from == to ? 0 : held_->byte_fs_of(from, to);
    }
    /// floor((m-1) / b(i, j)); 0 for a signal.
    constexpr picoseconds stream(rank_t i, rank_t j, bytes_t m) const {
        return m <= 1 ? 0 : time_at(m - 1, byte_fs(i, j)).value();
    }

    /// For simulate(): a message keeps its sender's processor until it has left. Copies and combinations are free.
    constexpr checked sending(rank_t i, rank_t j, bytes_t m, bool) const {
        return checked(overhead(i)) + (m <= 1 ? checked(0) : time_at(m - 1, byte_fs(i, j)));
    }
    constexpr checked connection(bool) const { return 0; }
    constexpr checked stream(bytes_t) const { return 0; }
    constexpr checked gap() const { return 0; }
    constexpr checked flight(rank_t i, rank_t j) const { return latency(i, j); }
    constexpr checked receiving(rank_t, rank_t j, bool) const { return overhead(j); }
    constexpr checked copy(bytes_t) const { return 0; }
    constexpr checked combine(bytes_t) const { return 0; }

    /// The first thing wrong.
    constexpr error check() const {
        if (!held_) return {"computers", 0, "1 or more"};
        if (held_->wrong) return held_->wrong;
        if (!placed()) return {};
        if (error wrong = where_.check()) return wrong;
        if (where_.computers() != held_->overhead.size())
            return {"computers", where_.computers(), "as many in the placement as in the model"};
        return {};
    }
    /// As check(); and whether n messages of m bytes, one after another over the slowest links, end before 2^62 ps.
    constexpr error check(std::int64_t n, bytes_t m) const {
        if (error wrong = check()) return wrong;
        if (m < 0) return {"bytes", m, "0 bytes or more"};
        const checked stream = m <= 1 ? checked(0) : time_at(m - 1, held_->largest_fs);
        const checked all =
            (stream + held_->largest_overhead + held_->largest_overhead + held_->largest_latency) * n * 2;
        if (!all.ok()) return {"bytes", m, "a size for which all times are below 2^62 ps"};
        return {};
    }
    constexpr bool operator==(const lob_model&) const = default;

  private:
    struct tables {
        topology::machine_tree tree;
        owned_array<picoseconds> overhead;
        owned_array<link_cost> own, uplink;
        owned_array<picoseconds> to_root;  ///< latencies of equipment, added up to the root
        owned_array<picoseconds> latency;  ///< empty: of the tree
        owned_array<std::int64_t> byte_fs;
        picoseconds largest_overhead = 0, largest_latency = 0;
        std::int64_t largest_fs = 0;
        error wrong;

        constexpr tables(const topology::machine_tree& machines, std::span<const picoseconds> overheads,
                         std::span<const link_cost> links, std::span<const link_cost> uplinks)
            : tree(machines), overhead(overheads), own(links), uplink(uplinks) {
            find_error();
        }
        constexpr tables(std::span<const picoseconds> overheads, std::span<const picoseconds> latencies,
                         std::span<const std::int64_t> rates)
            : overhead(overheads), latency(latencies), byte_fs(rates) {
            find_error();
        }

        constexpr picoseconds latency_of(rank_t i, rank_t j) const {
            if (!latency.empty()) return latency[i * overhead.size() + j];
            const rank_t a = tree.home(i), b = tree.home(j);
            return own[i].latency_ps + own[j].latency_ps + to_root[a] + to_root[b] - 2 * to_root[tree.meeting_of(a, b)];
        }
        constexpr std::int64_t byte_fs_of(rank_t i, rank_t j) const {
            if (!byte_fs.empty()) return byte_fs[i * overhead.size() + j];
            std::int64_t slowest = own[i].byte_fs < own[j].byte_fs ? own[j].byte_fs : own[i].byte_fs;
            for (rank_t a = tree.home(i), b = tree.home(j); a != b;) {
                rank_t& lower = tree.level(a) < tree.level(b) ? b : a;
                if (uplink[lower].byte_fs > slowest) slowest = uplink[lower].byte_fs;
                lower = tree.parent(lower);
            }
            return slowest;
        }

        constexpr void find_error() {
            wrong = {};
            largest_overhead = largest_latency = largest_fs = 0;
            const rank_t n = overhead.size();
            if (n < 1) wrong = {"computers", 0, "1 or more"};
            for (rank_t i = 0; i < n && !wrong; ++i)
                if (note(overhead[i], largest_overhead)) wrong = {"overhead", overhead[i], "0 ps to 2^60 ps", i};
            if (!wrong) check_latencies(n);
            if (!wrong) check_rates(n);
        }
        /// Keeps the largest; whether the value is out of range.
        static constexpr bool note(std::int64_t value, std::int64_t& largest) {
            if (value > largest) largest = value;
            return value < 0 || value > std::int64_t{1} << 60;
        }
        constexpr bool has_tree() const { return !own.empty(); }
        constexpr void check_tree(rank_t n) {
            wrong = tree.check();
            if (wrong) return;
            if (tree.computers() != n) wrong = {"computers", tree.computers(), "as many in the tree as overheads"};
            else if (own.size() != n) wrong = {"links", own.size(), "one for each computer"};
            else if (uplink.size() != tree.equipment())
                wrong = {"uplinks", uplink.size(), "one for each piece of equipment"};
        }
        constexpr void check_latencies(rank_t n) {
            if (has_tree() || latency.empty()) check_tree(n);
            if (wrong) return;
            if (!latency.empty()) {
                if (latency.size() / n != n || latency.size() % n != 0)
                    wrong = {"latency", latency.size(), "a number for each pair of computers"};
                for (rank_t k = 0; k < latency.size() && !wrong; ++k)
                    if (k % n != k / n && note(latency[k], largest_latency))
                        wrong = {"latency", latency[k], "0 ps to 2^60 ps", k};
                return;
            }
            to_root = owned_array<picoseconds>(tree.equipment());
            picoseconds deepest = 0, longest = 0;
            for (rank_t e = 1; e < tree.equipment() && !wrong; ++e) {
                const checked sum = checked(to_root[tree.parent(e)]) + uplink[e].latency_ps;
                to_root[e] = sum.value();
                if (uplink[e].latency_ps < 0 || !sum.ok() || note(sum.value(), deepest))
                    wrong = {"latency", uplink[e].latency_ps, "0 ps or more, at most 2^60 ps along a path", e};
            }
            for (rank_t i = 0; i < n && !wrong; ++i)
                if (note(own[i].latency_ps, longest)) wrong = {"latency", own[i].latency_ps, "0 ps to 2^60 ps", i};
            largest_latency = 2 * (deepest + longest);
        }
        constexpr void check_rates(rank_t n) {
            if (!byte_fs.empty()) {
                if (byte_fs.size() / n != n || byte_fs.size() % n != 0)
                    wrong = {"bandwidth", byte_fs.size(), "a number for each pair of computers"};
                for (rank_t k = 0; k < byte_fs.size() && !wrong; ++k)
                    if (k % n != k / n && note(byte_fs[k], largest_fs))
                        wrong = {"bandwidth", byte_fs[k], "0 to 2^60 fs a byte", k};
                return;
            }
            if (!has_tree()) check_tree(n);
            // Computers whose ways up to here have no bandwidth: two that meet here are joined by a path without any.
            owned_array<rank_t> bare(tree.equipment());
            for (rank_t i = 0; i < n && !wrong; ++i) {
                if (note(own[i].byte_fs, largest_fs)) wrong = {"bandwidth", own[i].byte_fs, "0 to 2^60 fs a byte", i};
                bare[tree.home(i)] += own[i].byte_fs == 0 ? 1 : 0;
            }
            for (rank_t e = tree.equipment(); e-- > 0 && !wrong;) {
                if (bare[e] > 1) wrong = {"bandwidth", bare[e], "a link with a bandwidth on every path", e};
                if (e == 0) break;
                if (note(uplink[e].byte_fs, largest_fs))
                    wrong = {"bandwidth", uplink[e].byte_fs, "0 to 2^60 fs a byte", e};
                if (uplink[e].byte_fs == 0) bare[tree.parent(e)] += bare[e];
            }
        }
        constexpr bool operator==(const tables& other) const {
            return tree == other.tree && overhead == other.overhead && own == other.own && uplink == other.uplink &&
                   latency == other.latency && byte_fs == other.byte_fs;
        }
    };

    constexpr bool placed() const { return placed_; }
    constexpr rank_t seat(rank_t r) const { return placed() ? where_.computer(r) : r; }

    shared<tables> held_;
    topology::placement where_;
    bool placed_ = false, transposed_ = false;
};

}  // namespace collsched
