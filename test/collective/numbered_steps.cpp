// The number of steps of a schedule is that of its rounds plus that of its steps of copies alone: every step has an edge.
// Docs: docs/schedule.md. Sizes are positive. Parameters, roots and placements vary.

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "support/brief.hpp"
#include "support/clusters.hpp"
#include "support/layouts.hpp"
#include "support/matched_networks.hpp"
#include "support/neighborhoods.hpp"
#include "support/registry.hpp"

using namespace collsched;

namespace {

/// Returns the steps without edges, for example "1 5 9 ", and where a rank has an edge beyond the last step, "beyond".
std::string steps_without_edges(const any_schedule& s) {
    std::vector<bool> used(static_cast<std::size_t>(s.steps()));
    bool beyond = false;
    const auto see = [&](const edge& e) {
        if (e.step < 0 || e.step >= s.steps()) beyond = true;
        else used[static_cast<std::size_t>(e.step)] = true;
    };
    for (rank_t r = 0; r < s.ranks; ++r)
        for (step_t k = s.next(r, 0); k < s.steps(); k = s.next(r, k + 1)) s.sends(r, k, see);
    std::string list = beyond ? "beyond " : "";
    for (std::size_t k = 0; k < used.size(); ++k)
        if (!used[k]) list += std::to_string(k) + " ";
    return list;
}

/// A shape, and a text of the parameters that vary.
struct variant {
    shape values;
    std::string text;
};

/// Returns all variants with another value of a parameter, if the algorithm has it.
template <class Value>
std::vector<variant> varied(const std::vector<variant>& all, const algorithm_entry& entry, const char* parameter,
                            Value shape::* member, const std::vector<Value>& values) {
    if (!entry.takes(member)) return all;
    std::vector<variant> made;
    for (const variant& each : all)
        for (std::size_t i = 0; i < values.size(); ++i) {
            made.push_back({each.values, each.text + " " + parameter + " " + std::to_string(i)});
            made.back().values.*member = values[i];
        }
    return made;
}

std::vector<topology::placement> placements(rank_t p) {
    std::vector<topology::placement> made{{}};
    for (const rank_t nodes : {rank_t{1}, rank_t{2}, (p + 1) / 2, p})
        if (nodes <= p)
            for (const bool cyclic : {false, true})
                made.push_back(cyclic ? topology::placement::cyclic(p, nodes) : topology::placement::block(p, nodes));
    std::vector<rank_t> scattered;
    for (rank_t r = 0; r < p; ++r) scattered.push_back((r * 7 + r / 3) % (p / 3 + 1));
    made.push_back(topology::placement::list(scattered, p / 3 + 1));
    return made;
}

/// Returns shapes of an algorithm in which every block, part, piece and element has bytes.
std::vector<variant> variants(const algorithm_entry& entry, rank_t p) {
    constexpr std::int64_t standard = shape::as_it_is;
    std::vector<rank_t> groups{standard};
    for (rank_t g = 1; g <= p; ++g)
        if (g < 6 || p % g == 0 || g == p - 1) groups.push_back(g);
    std::vector<neighborhood> graphs;
    for (const auto& [name, lists] : support::neighborhoods(p)) graphs.push_back(lists);
    std::vector<variant> all;
    for (const bytes_t pieces : {1, 3})
        all.push_back({{.ranks = p, .block = 24 * pieces, .bytes = 8 * p * pieces, .element = pieces == 1 ? 1 : 8},
                       "bytes " + std::to_string(8 * p * pieces)});
    all = varied(all, entry, "root", &shape::root, std::vector<rank_t>{0, p / 2, p - 1});
    all = varied(all, entry, "segment", &shape::segment, std::vector<bytes_t>{0, 8, 8 * p, 100'000});
    all = varied(all, entry, "radix", &shape::radix, std::vector<std::int64_t>{standard, 2, 3, 4, 5, 8, p});
    all = varied(all, entry, "group", &shape::group, groups);
    all = varied(all, entry, "aggregate", &shape::aggregate, std::vector<rank_t>{standard, 1, 2, 8});
    all = varied(all, entry, "window", &shape::window, std::vector<step_t>{standard, 0, 1, 2});
    all = varied(all, entry, "order", &shape::order, {permutation(), support::shuffled_ranks(p, 1)});
    all = varied(all, entry, "placement", &shape::placement, placements(p));
    all = varied(all, entry, "neighbors", &shape::neighbors, graphs);
    if (entry.takes(&shape::cluster)) all = varied(all, entry, "cluster", &shape::cluster, support::clusters(p));
    if (entry.takes(&shape::transfers) && p > 1)
        all = varied(all, entry, "transfers", &shape::transfers,
                     {support::matched_ring(p, 1), support::matched_ring(p, 3)});
    return all;
}

/// Tests variants of every algorithm of a list, about 24 of each, others at each p; all in the long run. Over a forest a step is a time
/// slot of the network, which may be empty. Returns the number of tests.
int check_algorithms(std::span<const algorithm_entry> list, rank_t p) {
    int tested = 0;
    for (const algorithm_entry& entry : list) {
        if (entry.takes(&shape::forest)) continue;
        const std::vector<variant> all = variants(entry, p);
        const std::size_t stride = support::long_run() ? 1 : support::one_of() * (1 + all.size() / 24);
        for (std::size_t i = static_cast<std::size_t>(p) % std::min(stride, all.size()); i < all.size(); i += stride) {
            const variant& each = all[i];
            const any_schedule s = entry.make(each.values);
            if (s.check()) continue;
            ++tested;
            const std::string empty = steps_without_edges(s);
            const std::string name = std::string(name_of(entry.info.collective)) + "/" + entry.info.name;
            INFO(name, " p=", p, " ", each.text);
            CHECK(empty == "");
        }
    }
    return tested;
}

}  // namespace

TEST_CASE("numbered steps: every step of every algorithm has an edge, for positive sizes and every p up to 33") {
    for (rank_t p = 1; p <= 33; ++p) {
        CAPTURE(p);
        CHECK(check_algorithms(compiled::registry(), p) > 100 / static_cast<int>(support::one_of()));
    }
}

TEST_CASE("numbered steps: every step of the algorithms planned for a cluster or a network has an edge") {
    const auto beyond_registry = compiled::whole_registry().subspan(compiled::registry().size());
    for (rank_t p = 1; p <= (support::brief() ? 12 : 33); ++p) {
        CAPTURE(p);
        CHECK(check_algorithms(beyond_registry, p) > 0);
    }
}

TEST_CASE("numbered steps: folds and reversals have one step of copies and their rounds") {
    const auto steps = [](const char* name, rank_t p) {
        return compiled::find(collective::allreduce, name)->make({.ranks = p, .bytes = 8 * p}).steps();
    };
    CHECK(steps("rabenseifner", 2) == 1 + 2);
    CHECK(steps("rabenseifner", 8) == 1 + 6);
    CHECK(steps("rabenseifner", 9) == 1 + 8);
    CHECK(steps("recursive-doubling", 8) == 1 + 3);
    CHECK(steps("recursive-doubling", 9) == 1 + 5);
    CHECK(steps("ring", 5) == 1 + 8);
    CHECK(compiled::find(collective::reduce, "rabenseifner")->make({.ranks = 8, .bytes = 64}).steps() == 1 + 6);
}
