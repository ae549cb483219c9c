#include "benchmarks/studies/grouped_runs.hpp"

#include <algorithm>

#include "collsched/core/detail/splitmix64.hpp"

using namespace collsched;

namespace grouped_study {

namespace {

/// Returns the block sizes when every node hashes the join value of each of its tuples. Uniform: values are equally
/// frequent and nodes hold equally many tuples. Skewed: the n-th value has frequency 1/n (Zipf), and a node holds
/// between half and one and a half of the mean.
block_matrix repartition(const condition& c) {
    detail::splitmix64 random(c.seed);
    std::vector<std::int64_t> below;
    std::vector<rank_t> home;
    std::int64_t sum = 0;
    for (std::int64_t value = 1; value <= join_values; ++value) {
        below.push_back(sum += c.skewed ? (std::int64_t{1} << 40) / value : 1);
        home.push_back(random.between(0, c.ranks - 1));
    }
    std::vector<bytes_t> counts(static_cast<std::size_t>(c.ranks * c.ranks));
    for (rank_t i = 0; i < c.ranks; ++i) {
        const std::int64_t mean = c.bytes * c.ranks / tuple;
        const std::int64_t tuples = c.skewed ? mean / 2 + random.between(0, mean) : mean;
        for (std::int64_t t = 0; t < tuples; ++t) {
            const auto value = std::upper_bound(below.begin(), below.end(), random.between(0, sum - 1)) - below.begin();
            counts[static_cast<std::size_t>(i * c.ranks + home[static_cast<std::size_t>(value)])] += tuple;
        }
    }
    return block_matrix(counts);
}

/// Returns the lower bound for any exchange: the time of the busiest link.
picoseconds bound(const block_matrix& block, const condition& c) {
    picoseconds longest = 0;
    for (rank_t i = 0; i < c.ranks; ++i) {
        const bytes_t own = block.count(i, i);
        longest = std::max({longest, time_at(block.sent(i, c.ranks) - own, c.network.send_byte_fs).value(),
                            time_at(block.received(i, c.ranks) - own, c.network.receive_byte_fs).value()});
    }
    return longest;
}

std::vector<rank_t> group_sizes(rank_t ranks, bool all) {
    std::vector<rank_t> sizes;
    for (rank_t q = 1; q <= ranks; q = all ? q + 1 : 2 * q) sizes.push_back(q);
    if (sizes.back() != ranks) sizes.push_back(ranks);
    return sizes;
}

}  // namespace

study_run run_all(const condition& c, bool all_groups) {
    const block_matrix block = repartition(c);
    const auto run = [&](const auto& policy) { return simulate_exchange(block, c.ranks, c.network, policy); };
    study_run made;
    made.bound = bound(block, c);
    made.all_at_once = run(all_at_once{});
    made.shifted = run(shifted_exchange{});
    for (std::size_t k = 0; k < readings.size(); ++k) {
        const auto [on, order, name] = readings[k];
        made.alternative[k][0] = run(priority_exchange{.on = on, .by_volume = false, .order = order, .master_ps = 0});
        made.alternative[k][1] =
            run(priority_exchange{.on = on, .by_volume = true, .order = order, .master_ps = c.master_ps});
        made.alternative[k][2] = run(random_delay_exchange{
            .on = on, .range_ps = c.delay_ps, .limit_ps = delay_growth * c.delay_ps, .order = order, .seed = c.seed});
    }
    made.groups = group_sizes(c.ranks, all_groups);
    for (const rank_t q : made.groups)
        made.grouped.push_back(run(grouped_exchange{.group = q, .master_ps = c.master_ps, .order = {}}));
    return made;
}

}  // namespace grouped_study
