// Groups over networks that do their worst, all ranks in one thread.

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "collsched/execute/mock.hpp"
#include "collsched/group/group.hpp"
#include "collsched/group/table_policies.hpp"
#include "support/brief.hpp"
#include "support/group_cases.hpp"
#include "support/layouts.hpp"
#include "support/registry.hpp"

using namespace collsched;
using support::random_source;

namespace {

mock_network::options drawn_options(std::uint64_t seed) {
    random_source random(seed);
    return {.seed = seed,
            .eager = random.below(2) == 0,
            .at_once = random.below(2) == 0,
            .reorder = random.below(2) == 0,
            .noise = true,
            .delay = random.below(3) * 100,
            .pair_window = random.below(3),
            .rank_window = 0,
            .faults = {}};
}

/// The groups of all ranks of a mock network.
class mock_groups {
  public:
    using member = group<mock_network::endpoint>;

    mock_groups(rank_t ranks, const mock_network::options& options, const group_options& how)
        : network_(ranks, options) {
        for (rank_t r = 0; r < ranks; ++r) ends_.push_back(network_.at(r));
        for (rank_t r = 0; r < ranks; ++r) all_.emplace_back(ends_[static_cast<std::size_t>(r)], ranks, r, how);
    }
    member& at(rank_t rank) { return all_[static_cast<std::size_t>(rank)]; }
    mock_network& network() { return network_; }

    /// Lets the ranks take turns until all operations have ended.
    bool drive(std::vector<group<mock_network::endpoint>::operation>& operations) {
        for (int turns = 0; turns < 100000; ++turns) {
            bool ended = true;
            for (auto& one : operations) ended = !one.test().running() && ended;
            if (ended) return true;
            network_.skip();
        }
        return false;
    }

  private:
    mock_network network_;
    std::deque<mock_network::endpoint> ends_;
    std::deque<member> all_;
};

/// Runs all collectives, `together` of them at once. Returns the first fault, or "".
std::string run_all(mock_groups& groups, rank_t ranks, std::int64_t n, rank_t root, std::size_t together) {
    std::vector<std::vector<support::group_case>> cases;
    for (rank_t r = 0; r < ranks; ++r) cases.push_back(support::group_cases(ranks, r, n, root).all());
    for (std::size_t first = 0; first < cases[0].size(); first += together) {
        const std::size_t last = std::min(first + together, cases[0].size());
        std::vector<group<mock_network::endpoint>::operation> running;
        for (rank_t r = 0; r < ranks; ++r)
            for (std::size_t i = first; i < last; ++i)
                running.push_back(groups.at(r).start(cases[static_cast<std::size_t>(r)][i].call()));
        if (!groups.drive(running)) return cases[0][first].name + ": does not end";
        for (const auto& one : running)
            if (!one.result().ok()) return cases[0][first].name + ": " + one.result().text();
        for (auto& own : cases)
            for (std::size_t i = first; i < last; ++i)
                if (!own[i].is_right() && !own[i].name.ends_with("rank 0")) return own[i].name + ": wrong values";
    }
    return "";
}

}  // namespace

TEST_CASE("group: all collectives over a thousand adversarial networks, one or several at once") {
    const group_options how{.policy = policies::built_in(compiled::whole_registry())};
    for (std::uint64_t seed = 1; seed <= 1000; seed += support::one_of()) {
        const auto ranks = static_cast<rank_t>(seed % 9 + 1);
        mock_groups groups(ranks, drawn_options(seed), how);
        const std::string fault = run_all(groups, ranks, static_cast<std::int64_t>(seed % 4),
                                          static_cast<rank_t>(seed) % ranks, seed % 3 == 0 ? 6 : 1);
        CAPTURE(seed);
        CHECK(fault == "");
    }
}
