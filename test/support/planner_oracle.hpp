#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "collsched/tree/tree_plan.hpp"
#include "support/brief.hpp"
#include "support/random_clusters.hpp"

/// The greedy planners and MGO as in their sources: loops over all candidates without caches.
namespace support::oracle {

using namespace collsched;

constexpr picoseconds never = std::numeric_limits<picoseconds>::max();

struct plan {
    std::vector<trees::tree_edge> edges;
    std::vector<picoseconds> ready;
};

inline std::size_t at(rank_t r) { return static_cast<std::size_t>(r); }

/// The state that all of them share: the ranks that have the message, and when each rank is ready.
struct progress {
    const tree_plan::request& ask;
    std::vector<char> has;
    plan made;

    explicit progress(const tree_plan::request& request) : ask(request), has(at(request.ranks())) {
        made.ready.resize(has.size());
        has[at(ask.root)] = true;
        for (rank_t i = 0; i < ranks(); ++i)
            for (rank_t j = 0; j < ranks(); ++j) {
                latencies_.push_back(ask.cost.latency(i, j));
                streams_.push_back(ask.cost.stream(i, j, ask.bytes));
                costs_.push_back(o(i) + s(i, j) + L(i, j) + o(j));
            }
    }
    rank_t ranks() const { return ask.ranks(); }
    bool complete() const { return std::find(has.begin(), has.end(), char{0}) == has.end(); }
    picoseconds o(rank_t i) const { return ask.cost.overhead(i); }
    picoseconds L(rank_t i, rank_t j) const { return latencies_[at(i) * has.size() + at(j)]; }
    /// (m-1)/b(i,j)
    picoseconds s(rank_t i, rank_t j) const { return streams_[at(i) * has.size() + at(j)]; }
    picoseconds C(rank_t i, rank_t j) const { return costs_[at(i) * has.size() + at(j)]; }
    picoseconds RT(rank_t i) const { return made.ready[at(i)]; }

    void send(rank_t i, rank_t j) {
        made.edges.push_back({i, j});
        made.ready[at(j)] = RT(i) + o(i) + s(i, j) + L(i, j) + o(j);
        made.ready[at(i)] = RT(i) + o(i) + s(i, j);
        has[at(j)] = true;
    }

  private:
    std::vector<picoseconds> latencies_, streams_, costs_;
};

/// All edges, each with the smallest value(progress, i, j) of all i that have the message and j that have not, the first in
/// ascending (i, j).
template <class Value>
plan greedy(const tree_plan::request& request, Value value) {
    progress now(request);
    while (!now.complete()) {
        picoseconds best = never;
        rank_t s = -1, r = -1;
        for (rank_t i = 0; i < now.ranks(); ++i)
            for (rank_t j = 0; j < now.ranks(); ++j) {
                if (!now.has[at(i)] || now.has[at(j)]) continue;
                if (const picoseconds found = value(now, i, j); found < best) best = found, s = i, r = j;
            }
        now.send(s, r);
    }
    return now.made;
}

inline plan fef(const tree_plan::request& request) {
    return greedy(request, [](const progress& p, rank_t i, rank_t j) { return p.L(i, j); });
}
inline plan fef_cost(const tree_plan::request& request) {
    return greedy(request, [](const progress& p, rank_t i, rank_t j) { return p.C(i, j); });
}
inline plan fcef(const tree_plan::request& request) {
    return greedy(request, [](const progress& p, rank_t i, rank_t j) { return p.RT(i) + p.C(i, j); });
}
/// With the smallest C(j, k) of the other k that wait, or with the mean of them, rounded down.
inline plan look_ahead(const tree_plan::request& request, bool mean) {
    const auto ahead = [mean](const progress& p, rank_t j) {
        picoseconds smallest = never, sum = 0, count = 0;
        for (rank_t k = 0; k < p.ranks(); ++k) {
            if (p.has[at(k)] || k == j) continue;
            smallest = std::min(smallest, p.C(j, k));
            sum += p.C(j, k);
            ++count;
        }
        return count == 0 ? 0 : mean ? sum / count : smallest;
    };
    std::vector<picoseconds> known(at(request.ranks()));
    std::size_t step = 0;
    return greedy(request, [&](const progress& p, rank_t i, rank_t j) {
        if (p.made.edges.size() + 1 != step) {  // the first pair of a step
            step = p.made.edges.size() + 1;
            for (rank_t r = 0; r < p.ranks(); ++r) known[at(r)] = ahead(p, r);
        }
        return p.RT(i) + p.C(i, j) + known[at(j)];
    });
}
inline plan la(const tree_plan::request& request) { return look_ahead(request, false); }
inline plan la_mean(const tree_plan::request& request) { return look_ahead(request, true); }
/// The receiver first: the smallest o(j), the first found; then the sender.
inline plan fnf(const tree_plan::request& request) {
    progress now(request);
    while (!now.complete()) {
        rank_t r = -1, s = -1;
        for (rank_t j = 0; j < now.ranks(); ++j)
            if (!now.has[at(j)] && (r < 0 || now.o(j) < now.o(r))) r = j;
        for (rank_t i = 0; i < now.ranks(); ++i)
            if (now.has[at(i)] && (s < 0 || now.RT(i) + now.C(i, r) < now.RT(s) + now.C(s, r))) s = i;
        now.send(s, r);
    }
    return now.made;
}

/// In the blocking model with C'(i,j) = (m-1)/b + L: both ends are busy for all of it. `timed`: R(i) + C'; `looks`: and the
/// smallest C'(j, k). The times of the plan are those of the full model.
inline plan blind(const tree_plan::request& request, bool timed, bool looks) {
    progress now(request);
    const auto C = [&](rank_t i, rank_t j) { return now.s(i, j) + now.L(i, j); };
    std::vector<picoseconds> R(now.has.size());
    while (!now.complete()) {
        picoseconds least = never;
        rank_t s = -1, r = -1;
        for (rank_t i = 0; i < now.ranks(); ++i)
            for (rank_t j = 0; j < now.ranks(); ++j) {
                if (!now.has[at(i)] || now.has[at(j)]) continue;
                picoseconds ahead = never;
                for (rank_t k = 0; looks && k < now.ranks(); ++k)
                    if (!now.has[at(k)] && k != j) ahead = std::min(ahead, C(j, k));
                const picoseconds value = (timed ? R[at(i)] : 0) + C(i, j) + (ahead < never ? ahead : picoseconds{0});
                if (value < least) least = value, s = i, r = j;
            }
        R[at(s)] = R[at(r)] = R[at(s)] + C(s, r);
        now.send(s, r);
    }
    return now.made;
}
inline plan fef_blind(const tree_plan::request& request) { return blind(request, false, false); }
inline plan fcef_blind(const tree_plan::request& request) { return blind(request, true, false); }
inline plan la_blind(const tree_plan::request& request) { return blind(request, true, true); }

/// Subclusters and marks.
struct subclusters {
    const topology::switch_tree& tree;
    std::vector<bool> marked;

    explicit subclusters(const topology::switch_tree& switches) : tree(switches), marked(at(switches.switches())) {}
    bool contains(rank_t e, rank_t node) const {
        for (rank_t up = tree.home(node); up >= 0; up = tree.parent(up))
            if (up == e) return true;
        return false;
    }
    bool any(rank_t e) const {
        for (rank_t c = 0; c < tree.nodes(); ++c)
            if (contains(e, c)) return true;
        return false;
    }
    void mark(rank_t node) {
        for (rank_t e = 0; e < tree.switches(); ++e)
            if (contains(e, node)) marked[at(e)] = true;
    }
    /// The smallest level of an unmarked subcluster, or -1.
    rank_t current_level() const {
        rank_t level = -1;
        for (rank_t e = 0; e < tree.switches(); ++e)
            if (any(e) && !marked[at(e)] && (level < 0 || tree.level(e) < level)) level = tree.level(e);
        return level;
    }
    /// In a current unmarked subcluster.
    std::vector<bool> in_current() const {
        std::vector<bool> in(at(tree.nodes()));
        for (rank_t e = 0; e < tree.switches(); ++e)
            for (rank_t c = 0; c < tree.nodes(); ++c)
                if (!marked[at(e)] && tree.level(e) == current_level() && contains(e, c)) in[at(c)] = true;
        return in;
    }
    /// The largest unmarked subcluster that contains the node; of equally large ones, which hold the same nodes, any.
    rank_t mnc(rank_t node) const {
        rank_t largest = -1;
        for (rank_t e = 0; e < tree.switches(); ++e)
            if (!marked[at(e)] && contains(e, node) && (largest < 0 || tree.population(e) > tree.population(largest)))
                largest = e;
        return largest;
    }
};

/// The published listing, line by line.
inline plan mgo(const tree_plan::request& request) {
    progress now(request);
    subclusters sub(request.switches);
    const rank_t n = now.ranks();
    sub.mark(request.root);                   // [1]
    std::vector<bool> b1 = sub.in_current();  // [2]
    rank_t depth = sub.current_level();
    const auto empty = [&] { return std::find(b1.begin(), b1.end(), true) == b1.end(); };
    const auto b2 = [&](rank_t i) {
        std::vector<rank_t> waiting;
        for (rank_t e = 0; e < sub.tree.switches(); ++e)
            for (rank_t c = 0; c < n; ++c)
                if (sub.tree.level(e) == depth && sub.contains(e, i) && sub.contains(e, c) && !now.has[at(c)])
                    waiting.push_back(c);
        if (waiting.empty()) waiting.push_back(-1);
        return waiting;
    };
    while (!empty()) {  // [3]
        picoseconds RT = never;
        rank_t s = -1, r1 = -1, r2 = -1;
        for (rank_t i = 0; i < n; ++i) {
            if (!now.has[at(i)]) continue;
            const std::vector<rank_t> candidates = b2(i);
            for (rank_t j1 = 0; j1 < n; ++j1)
                for (const rank_t j2 : candidates) {  // [5]
                    if (!b1[at(j1)]) continue;
                    picoseconds rt = now.RT(i) + now.L(i, j1) + now.o(i) + now.o(j1) + now.s(i, j1);  // [7]
                    if (j2 >= 0)
                        rt = now.RT(i) + 2 * now.o(i) + now.s(i, j2) + now.L(i, j1) + now.o(j1) + now.s(i, j1);  // [9]
                    if (rt < RT) s = i, r1 = j1, r2 = j2, RT = rt;  // [8] [10]
                }
        }
        const rank_t gone = sub.mnc(r1);  // [11]
        for (rank_t c = 0; c < n; ++c)
            if (sub.contains(gone, c)) b1[at(c)] = false;
        sub.mark(r1);
        if (r2 >= 0) {  // [12] .. [15]
            sub.mark(r2);
            now.send(s, r2);
        }
        now.send(s, r1);  // [16], [17]
        if (empty()) {    // [18] .. [20]
            b1 = sub.in_current();
            depth = sub.current_level();
        }
    }
    while (!now.complete()) {  // [21] .. [29]
        picoseconds RT = never;
        rank_t s = -1, r1 = -1;
        for (rank_t i = 0; i < n; ++i)
            for (rank_t j1 = 0; j1 < n; ++j1) {
                if (!now.has[at(i)] || now.has[at(j1)]) continue;
                const picoseconds rt = now.RT(i) + now.L(i, j1) + now.o(i) + now.o(j1) + now.s(i, j1);
                if (rt < RT) s = i, r1 = j1, RT = rt;
            }
        now.send(s, r1);
    }
    return now.made;
}

/// Many-to-one: one-to-many from the root with i and j of all matrices exchanged, then backwards. A receiver is ready at
/// max(its ready time, arrival) + o.
template <class Plan>
plan many_to_one(Plan one_to_many, const tree_plan::request& request) {
    const rank_t n = request.ranks();
    std::vector<picoseconds> o, L;
    std::vector<std::int64_t> byte_fs;
    for (rank_t i = 0; i < n; ++i) {
        o.push_back(request.cost.overhead(i));
        for (rank_t j = 0; j < n; ++j) {
            L.push_back(request.cost.latency(j, i));
            byte_fs.push_back(request.cost.byte_fs(j, i));
        }
    }
    plan made = one_to_many({request.switches, lob_model(o, L, byte_fs), request.bytes, request.root});
    std::reverse(made.edges.begin(), made.edges.end());
    made.ready.assign(at(n), 0);
    for (const auto& [to, from] : made.edges) {
        const picoseconds left = made.ready[at(from)] + o[at(from)] + request.cost.stream(from, to, request.bytes);
        const picoseconds arrival = left + request.cost.latency(from, to);
        made.ready[at(from)] = left;
        made.ready[at(to)] = std::max(made.ready[at(to)], arrival) + o[at(to)];
    }
    return made;
}

}  // namespace support::oracle

namespace support {

/// The text of a failed check: "seed 7, 12 ranks: one-to-many edges".
inline std::string fault_text(std::uint64_t seed, rank_t ranks, const char* what) {
    return "seed " + std::to_string(seed) + ", " + std::to_string(ranks) + " ranks: " + what;
}

inline bool same(const tree_plan& ours, const oracle::plan& theirs) {
    return std::equal(ours.edges.begin(), ours.edges.end(), theirs.edges.begin(), theirs.edges.end()) &&
           std::equal(ours.ready.begin(), ours.ready.end(), theirs.ready.begin(), theirs.ready.end());
}

/// The first difference of a planner from its oracle, in both directions, on 1,000 clusters of 2 .. 40 ranks, in
/// short runs on one of 17; or "".
template <planner Planner, class Oracle>
std::string first_difference(const Planner& plan, Oracle oracle, std::uint64_t clusters = 1000) {
    for (std::uint64_t seed = 0; seed < clusters; seed += one_of()) {
        const auto ranks = static_cast<rank_t>(2 + seed % 39);
        const tree_plan::request request = random_request(seed, ranks);
        if (request.check()) return fault_text(seed, ranks, request.check().text().c_str());
        if (!same(plan(request), oracle(request))) return fault_text(seed, ranks, "one-to-many");
        if (!same(many_to_one(plan, request), oracle::many_to_one(oracle, request)))
            return fault_text(seed, ranks, "many-to-one");
    }
    return "";
}

}  // namespace support
