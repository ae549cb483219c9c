#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "collsched/core/bits.hpp"
#include "collsched/tree/concepts.hpp"

namespace support {

using namespace collsched;

/// A rooted tree with the least that the concept requires: 0 -> 1 -> the rest.
struct broom {
    static constexpr const char* name = "broom";
    static constexpr const char* rounds = "p-1";
    static constexpr const char* source = "";
    static constexpr bool reverse_keeps_order = false;
    constexpr step_t steps(rank_t p) const { return p - 1; }
    constexpr rank_t parent(rank_t, rank_t v) const { return v > 1 ? 1 : 0; }
    constexpr step_t step(rank_t, rank_t v) const { return v - 1; }
    constexpr rank_t child(rank_t p, rank_t v, step_t k) const {
        return k + 1 < p && ((v == 0 && k == 0) || (v == 1 && k > 0)) ? k + 1 : -1;
    }
    constexpr step_t fanout(rank_t p, rank_t v) const { return v == 0 ? (p > 1) : v == 1 ? p - 2 : 0; }
    constexpr step_t most_sends(rank_t p) const { return p > 2 ? p - 2 : p - 1; }
    constexpr argument_error check(rank_t) const { return {}; }
    static constexpr void parameters(auto&, auto) {}
    bool operator==(const broom&) const = default;
};

/// The law that rank v breaks in the steps first .. last; or null.
template <rooted_tree T>
constexpr const char* broken_law_at(const T& t, rank_t p, rank_t v, step_t first, step_t last) {
    const step_t received = t.step(p, v), end = received + t.fanout(p, v);
    if (v == 0 && received != -1) return "the root receives from no rank";
    if (v > 0) {
        const rank_t up = t.parent(p, v);
        if (up < 0 || up >= p || up == v) return "the parent is another rank";
        if (received <= t.step(p, up)) return "a rank receives before it sends";
        if (received > t.step(p, up) + t.fanout(p, up)) return "sends lie within the fanout of the sender";
        if (received >= t.steps(p)) return "sends lie within the steps";
        if (t.child(p, up, received) != v) return "the child of the parent is the rank";
    }
    for (step_t k = first; k <= last; ++k) {
        const rank_t to = t.child(p, v, k);
        if (to == -1 && k == end && end > received) return "the fanout ends with a send";
        if (to == -1) continue;
        if (to <= 0 || to >= p) return "the child is a rank";
        if (k <= received || k > end) return "nothing is sent outside of the fanout";
        if (t.parent(p, to) != v || t.step(p, to) != k) return "the parent of the child is the rank";
    }
    return nullptr;
}

/// The law about steps and fanouts that the tree breaks, by counting; or null.
template <rooted_tree T>
constexpr const char* broken_total(const T& t, rank_t p) {
    step_t steps = 0, most = 0;
    for (rank_t v = 0; v < p; ++v) {
        steps = std::max(steps, t.step(p, v) + 1);
        most = std::max(most, t.fanout(p, v));
    }
    if (t.steps(p) != steps) return "steps are one more than the last step";
    return t.most_sends(p) != most ? "most_sends is the largest fanout" : nullptr;
}

/// The first law that the tree breaks for p ranks, in all ranks and steps; or null.
template <rooted_tree T>
constexpr const char* broken_law(const T& t, rank_t p) {
    if (t.check(p)) return "the parameters are right";
    for (rank_t v = 0; v < p; ++v)
        if (const char* law = broken_law_at(t, p, v, -2, t.steps(p) + 1)) return law;
    return broken_total(t, p);
}

template <rooted_tree T>
constexpr bool lawful_up_to(const T& t, rank_t most) {
    for (rank_t p = 1; p <= most; ++p)
        if (broken_law(t, p) != nullptr) return false;
    return true;
}

inline std::string fault(const char* law, rank_t p, rank_t v = -1) {
    if (law == nullptr) return "";
    return std::string(law) + ", broken for p = " + std::to_string(p) +
           (v < 0 ? std::string() : " at v = " + std::to_string(v));
}

/// The text of an error; or "".
inline std::string complaint(const argument_error& wrong) { return wrong ? wrong.text().c_str() : ""; }

/// The first fault of any p up to `most`, and of the totals and of some ranks for larger p; or "".
template <rooted_tree T>
std::string first_fault(const T& t, rank_t most = 300) {
    for (rank_t p = 1; p <= most; ++p)
        if (const char* law = broken_law(t, p)) return fault(law, p);
    for (const rank_t p : {1023, 1024, 1025, 50000, 65535, 65537, 1 << 20}) {
        if (const char* law = broken_total(t, p)) return fault(law, p);
        std::uint64_t random = 1;
        for (int i = 0; i < 400; ++i) {
            random = random * 6364136223846793005U + 1442695040888963407U;
            const rank_t far = static_cast<rank_t>(random >> 33) % p;
            const rank_t v = i < 20 ? i : i < 40 ? p - 40 + i : i < 60 ? (rank_t{1} << (i - 40)) % p : far;
            const step_t received = t.step(p, v), end = received + t.fanout(p, v);
            for (const step_t k : {received, end})
                if (const char* law = broken_law_at(t, p, v, k - 20, k + 20)) return fault(law, p, v);
        }
    }
    return "";
}

/// A tree by its definition, without formulas.
struct expected_tree {
    std::vector<rank_t> parent;
    std::vector<step_t> step;

    explicit expected_tree(rank_t p) : parent(static_cast<std::size_t>(p), -1), step(static_cast<std::size_t>(p), -1) {}
    void add(rank_t from, rank_t to, step_t k) {
        parent[static_cast<std::size_t>(to)] = from;
        step[static_cast<std::size_t>(to)] = k;
    }
};

/// Runs step after step: a rank that received in an earlier step sends to the next of its children(v), one per step.
template <class Children>
expected_tree simulated(rank_t p, Children children) {
    expected_tree tree(p);
    struct sender {
        rank_t rank;
        std::vector<rank_t> to;
        std::size_t next = 0;
    };
    std::vector<sender> informed{{0, children(rank_t{0})}};
    for (step_t k = 0; static_cast<rank_t>(informed.size()) < p && k < p; ++k)
        for (std::size_t i = 0, n = informed.size(); i < n; ++i)
            if (informed[i].next < informed[i].to.size()) {
                const rank_t to = informed[i].to[informed[i].next++];
                tree.add(informed[i].rank, to, k);
                informed.push_back({to, children(to)});
            }
    return tree;
}

/// The first p up to `most` and rank where t differs from definition(p); or "".
template <rooted_tree T, class Definition>
std::string first_difference(const T& t, rank_t most, Definition definition) {
    for (rank_t p = 1; p <= most; ++p) {
        const expected_tree expected = definition(p);
        for (rank_t v = 1; v < p; ++v) {
            if (t.parent(p, v) != expected.parent[static_cast<std::size_t>(v)]) return fault("the parent", p, v);
            if (t.step(p, v) != expected.step[static_cast<std::size_t>(v)]) return fault("the step", p, v);
        }
    }
    return "";
}

/// The first p up to 300 and rank whose subtree is not v .. v + extent - 1; or "".
template <contiguous_tree T>
std::string first_wrong_extent(const T& t) {
    std::vector<rank_t> parent(300);
    for (rank_t p = 1; p <= 300; ++p) {
        for (rank_t v = 1; v < p; ++v) parent[static_cast<std::size_t>(v)] = t.parent(p, v);
        for (rank_t v = 0; v < p; ++v) {
            const rank_t end = v + t.extent(p, v);
            for (rank_t w = 0; w < p; ++w) {
                rank_t up = w;
                while (up > v) up = parent[static_cast<std::size_t>(up)];
                if ((up == v) != (v <= w && w < end)) return fault("the extent", p, v);
            }
        }
    }
    return "";
}

/// Whether reverse_keeps_order is correct for p = 1 .. 100: subtrees contiguous, and every rank's sends in descending order.
template <rooted_tree T>
bool reports_operand_order(const T& t) {
    bool keeps = contiguous_tree<T>;
    for (rank_t p = 1; p <= 100; ++p)
        for (rank_t v = 0; v < p; ++v) {
            rank_t before = p;
            for (step_t k = 0; k < t.steps(p); ++k)
                if (const rank_t to = t.child(p, v, k); to >= 0) {
                    keeps = keeps && to < before;
                    before = to;
                }
        }
    return T::reverse_keeps_order == keeps;
}

/// Whether all members of two trees return the same.
template <rooted_tree A, rooted_tree B>
constexpr bool same_answers(const A& a, const B& b, rank_t p) {
    if (a.steps(p) != b.steps(p) || a.most_sends(p) != b.most_sends(p)) return false;
    for (rank_t v = 0; v < p; ++v) {
        if (a.step(p, v) != b.step(p, v) || a.fanout(p, v) != b.fanout(p, v)) return false;
        if (v > 0 && a.parent(p, v) != b.parent(p, v)) return false;
        for (step_t k = -1; k <= a.steps(p); ++k)
            if (a.child(p, v, k) != b.child(p, v, k)) return false;
    }
    return true;
}

/// The messages of each step: "0>2; 0>1 2>3".
template <rooted_tree T>
std::string drawn(const T& t, rank_t p) {
    std::string text;
    for (step_t k = 0; k < t.steps(p); ++k) {
        const char* between = k == 0 ? "" : "; ";
        for (rank_t v = 0; v < p; ++v)
            if (const rank_t to = t.child(p, v, k); to >= 0) {
                text += between + std::to_string(v) + ">" + std::to_string(to);
                between = " ";
            }
    }
    return text;
}

}  // namespace support
