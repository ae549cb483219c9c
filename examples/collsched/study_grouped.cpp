#include "study_grouped.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "collsched/format/text.hpp"
#include "line_plot.hpp"
#include "model_option.hpp"
#include "switch_study/conflict_policies.hpp"
#include "switch_study/exchange_policies.hpp"
#include "switch_study/switch_contention.hpp"
#include "switch_study/switch_network.hpp"
#include "text_output.hpp"
#include "usage_error.hpp"

using namespace collsched;
using namespace collsched::switch_study;

namespace {

constexpr bytes_t tuple = 100;
constexpr std::int64_t join_values = 10'000;
constexpr rank_t most_grouped_ranks = 64, few_ranks = 16;
constexpr std::int64_t most_packets = std::int64_t{1} << 22;
constexpr std::int64_t delay_growth = 1024;
constexpr double claimed_least = 2.5, claimed_most = 3;

/// The parameters of all tables. A table varies one or two of them at a time.
struct condition {
    rank_t ranks = 16;
    bytes_t bytes = 262'144;
    switch_network network;
    picoseconds master_ps = 0, delay_ps = 0;
    bool skewed = false;
    std::uint64_t seed = 1;
};

/// An interpretation of conflicts, which the paper does not define.
struct reading {
    conflict on;
    target_order order;
    const char* name;
};
constexpr std::array readings{reading{conflict::loss, target_order::shifted, "loss"},
                              reading{conflict::wait, target_order::shifted, "wait, shifted"},
                              reading{conflict::wait, target_order::ascending, "wait, ascending"},
                              reading{conflict::other, target_order::shifted, "other, shifted"},
                              reading{conflict::other, target_order::ascending, "other, ascending"}};
constexpr std::array alternatives{"priority", "volume", "random delay"};

struct study_run {
    contention all_at_once, shifted;
    std::array<std::array<contention, alternatives.size()>, readings.size()> alternative;
    std::vector<rank_t> groups;
    std::vector<contention> grouped;
    picoseconds bound = 0;

    std::size_t best() const {
        std::size_t best = 0;
        for (std::size_t g = 1; g < grouped.size(); ++g)
            if (grouped[g].completion < grouped[best].completion) best = g;
        return best;
    }
    double over_best(const contention& other) const {
        return static_cast<double>(other.completion) / static_cast<double>(grouped[best()].completion);
    }
};

/// Returns a time in milliseconds with the fewest digits: "0.2 ms".
std::string short_ms(picoseconds time) { return fmt::format("{:g} ms", static_cast<double>(time) / 1e9); }
std::string ms(picoseconds time) { return fmt::format("{:.2f}", static_cast<double>(time) / 1e9); }
const char* name_of(bool skewed) { return skewed ? "skewed" : "uniform"; }

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

void show_base(const condition& c) {
    const switch_network& n = c.network;
    put_line("Complete exchanges on one switch: grouped communication beside the alternatives of Chen, Na 2005.");
    put_line(
        fmt::format("Repartition of a parallel join: tuples of {} B, {} join values, {} B on average from a node to a "
                    "node; seed {}.",
                    tuple, join_values, c.bytes, c.seed));
    put_line("uniform: values equally frequent; skewed: Zipf with exponent 1, nodes hold 0.5 to 1.5 of the mean.");
    put_line(fmt::format(
        "Base: {} nodes, links of {:.3f} ns a byte, latency {}, packets of {} B, window {} packets, "
        "buffer {} B,",
        c.ranks, static_cast<double>(n.send_byte_fs) / 1e6, short_ms(n.latency_ps), n.packet, n.window, n.buffer));
    put_line(fmt::format("timeout {} without growth, master {} a sub-round, random delays from {} to {} times that.",
                         short_ms(n.timeout_ps), short_ms(c.master_ps), short_ms(c.delay_ps), delay_growth));
    put_line(
        "A conflict is, by reading: loss: a lost packet, all messages at once, who gives way withdraws; wait: a taken");
    put_line(
        "receiver, one message at a time, who gives way waits; other: the same, who gives way tries the next target.");
    put_line("Targets in shifted order (i+1, i+2, ...) or ascending (0, 1, ...).");
}

void show_row(const std::string& name, const char* how, const contention& x, const study_run& all) {
    put_line(fmt::format("{:<16}{:<18}{:>12}{:>9.2f}{:>9.2f}{:>12}{:>9}{:>8}{:>10}", name, how, ms(x.completion),
                         static_cast<double>(x.completion) / static_cast<double>(std::max<picoseconds>(1, all.bound)),
                         all.over_best(x), x.bytes_sent_again, x.packets_sent_again, x.in_degree, x.buffer_used));
}

void show_run(const condition& c, const study_run& all) {
    put_line(fmt::format("\n{} repartition, {} nodes; the busiest link takes {} ms", name_of(c.skewed), c.ranks,
                         ms(all.bound)));
    put_line(fmt::format("{:<16}{:<18}{:>12}{:>9}{:>9}{:>12}{:>9}{:>8}{:>10}", "policy", "conflict", "time_ms",
                         "/ bound", "/ best q", "bytes_again", "packets", "degree", "buffered"));
    show_row("all at once", "", all.all_at_once, all);
    show_row("shifted pairs", "", all.shifted, all);
    for (std::size_t k = 0; k < readings.size(); ++k)
        for (std::size_t a = 0; a < alternatives.size(); ++a)
            show_row(alternatives[a], readings[k].name, all.alternative[k][a], all);
    for (std::size_t g = 0; g < all.groups.size(); ++g)
        show_row(fmt::format("grouped q={}", all.groups[g]), "", all.grouped[g], all);
    const contention* best = &all.alternative[0][0];
    std::string name;
    for (std::size_t k = 0; k < readings.size(); ++k)
        for (std::size_t a = 0; a < alternatives.size(); ++a)
            if (const contention& x = all.alternative[k][a]; name.empty() || x.completion < best->completion) {
                best = &x;
                name = fmt::format("{}, {}", alternatives[a], readings[k].name);
            }
    put_line(fmt::format("best: q={} with {} ms; of the alternatives {} with {} ms, {:.2f} times as long",
                         all.groups[all.best()], ms(all.grouped[all.best()].completion), name, ms(best->completion),
                         all.over_best(*best)));
}

struct tally {
    std::int64_t searched = 0;
    struct of_reading {
        std::int64_t holds = 0, as_printed = 0, behind = 0;  // behind: the best q is slower than one of the three
    };
    std::array<of_reading, readings.size()> by;
};

void put_search_head(const std::string& what) {
    put_line("");
    std::string line = fmt::format("{:<9}{:<40}", "", what);
    for (const reading& r : readings) line += fmt::format("{:>18}", r.name);
    put_line(line + fmt::format("{:>10}{:>10}{:>8}{:>12}{:>9}", "at once", "shifted", "best q", "q_ms", "/ bound"));
}

/// Prints a row of a search: the least and the greatest time of the three alternatives relative to that of the best q.
void put_search_line(const condition& c, const std::string& what, tally& count) {
    const study_run all = run_all(c, false);
    const contention& best = all.grouped[all.best()];
    std::string line = fmt::format("{:<9}{:<40}", name_of(c.skewed), what);
    ++count.searched;
    for (std::size_t k = 0; k < readings.size(); ++k) {
        double least = 1e300, most = 0;
        for (const contention& x : all.alternative[k]) {
            least = std::min(least, all.over_best(x));
            most = std::max(most, all.over_best(x));
        }
        const bool holds = least >= claimed_least, printed = holds && most <= claimed_most;
        count.by[k].holds += holds ? 1 : 0;
        count.by[k].as_printed += printed ? 1 : 0;
        count.by[k].behind += least < 1 ? 1 : 0;
        line += fmt::format("{:>18}", fmt::format("{:.2f}-{:.2f}{}", least, most,
                                                  printed ? "**"
                                                  : holds ? "* "
                                                          : "  "));
    }
    put_line(line + fmt::format("{:>10.2f}{:>10.2f}{:>8}{:>12}{:>9.2f}", all.over_best(all.all_at_once),
                                all.over_best(all.shifted), all.groups[all.best()], ms(best.completion),
                                static_cast<double>(best.completion) /
                                    static_cast<double>(std::max<picoseconds>(1, all.bound))));
}

void search(const condition& base, tally& count) {
    put_line(
        "\nWhere the claim, 2.5 to 3 times as efficient as the three alternatives, holds: least and most time of the");
    put_line(
        "three over that of the best q. * all three are at 2.5 or more; ** all three at 2.5 to 3. q = 1, 2, 4, ..., "
        "p.");
    const auto both = [&](condition c, const std::string& what) {
        for (const bool skewed : {false, true}) {
            c.skewed = skewed;
            put_search_line(c, what, count);
        }
    };
    put_search_head("buffer and timeout");
    const switch_network& n = base.network;
    for (const bytes_t buffer : {n.buffer / 4, n.buffer, n.buffer * 4})
        for (const picoseconds timeout : {n.timeout_ps / 200, n.timeout_ps / 20, n.timeout_ps / 2, n.timeout_ps,
                                          n.timeout_ps / 2 * 5, n.timeout_ps * 5}) {
            condition c = base;
            c.network.buffer = std::max(buffer, n.packet);
            c.network.timeout_ps = c.network.timeout_limit_ps = std::max({timeout, n.latency_ps, picoseconds{1}});
            both(c, fmt::format("buffer {} B, timeout {}", c.network.buffer, short_ms(c.network.timeout_ps)));
        }
    put_search_head("nodes and sizes");
    for (const rank_t ranks : {base.ranks / 2, base.ranks, base.ranks * 2})
        for (const bytes_t bytes : {base.bytes / 64, base.bytes / 16, base.bytes / 4, base.bytes}) {
            condition c = base;
            c.ranks = std::max<rank_t>(2, ranks);
            c.bytes = bytes;
            both(c, fmt::format("{} nodes, {} B", c.ranks, c.bytes));
        }
    put_search_head("one thing more");
    condition c = base;
    c.network.by_chance = true;
    both(c, "packets by chance, not in turn");
    c = base;
    c.network.timeout_limit_ps *= 64;
    both(c, "timeouts that double, up to 64 times");
    for (const std::int64_t window : {2, 4, 128}) {
        c = base;
        c.network.window = window;
        both(c, fmt::format("window {} packets", window));
    }
    c = base;
    c.network.receive_byte_fs *= 2;
    both(c, "receivers half as fast as links");
    c = base;
    c.network.send_byte_fs /= 10;
    c.network.receive_byte_fs /= 10;
    both(c, "links ten times as fast");
    for (const std::int64_t slower : {10, 100}) {
        c = base;
        c.master_ps *= slower;
        both(c, fmt::format("master {}", short_ms(c.master_ps)));
    }
}

void print_verdict(const tally& count) {
    put_line(fmt::format("\nOf {} conditions, by what a conflict is:", count.searched));
    put_line(fmt::format("{:<20}{:>24}{:>24}{:>32}", "", "all three 2.5 or more", "all three 2.5 to 3",
                         "best q slower than one of them"));
    bool ever = false, always = true;
    for (std::size_t k = 0; k < readings.size(); ++k) {
        const auto [holds, as_printed, behind] = count.by[k];
        put_line(fmt::format("{:<20}{:>24}{:>24}{:>32}", readings[k].name, holds, as_printed, behind));
        ever = ever || holds > 0;
        always = always && holds == count.searched;
    }
    put_line(always ? "The claim holds in every condition searched, at 2.5 or more."
             : ever
                 ? "The claim holds under some conditions only, those marked; it is no property of the policies alone."
                 : "The claim does not hold under any condition searched.");
}

void draw(const std::string& path, const condition& c, const std::array<study_run, 2>& runs) {
    std::vector<plotted_line> lines;
    for (const bool skewed : {false, true}) {
        const study_run& all = runs[skewed ? 1 : 0];
        const auto line = [&](const std::string& name, bool dashed) -> plotted_line& {
            lines.push_back({fmt::format("{}, {}", name, name_of(skewed)), {}, {}, dashed});
            return lines.back();
        };
        plotted_line& grouped = line("grouped", false);
        for (std::size_t g = 0; g < all.groups.size(); ++g) {
            grouped.x.push_back(static_cast<double>(all.groups[g]));
            grouped.y.push_back(std::max(1e-9, static_cast<double>(all.grouped[g].completion) / 1e9));
        }
        const auto level = [&](const std::string& name, const contention& x) {
            plotted_line& flat = line(name, true);
            flat.x = {1, static_cast<double>(c.ranks)};
            flat.y.assign(2, std::max(1e-9, static_cast<double>(x.completion) / 1e9));
        };
        level("all at once", all.all_at_once);
        for (std::size_t a = 0; a < alternatives.size(); ++a) level(alternatives[a], all.alternative[0][a]);
    }
    const std::string title =
        fmt::format("A complete exchange of {} nodes; alternatives: a conflict is a {}", c.ranks, readings[0].name);
    const std::string svg = line_plot(title, "nodes in a group", "completion in ms", lines);
    write_file("--svg", path, [&](text_output::iterator out) { std::copy(svg.begin(), svg.end(), out); });
}

picoseconds read_us(const text_option& option, double otherwise, picoseconds least) {
    if (!option.given()) return ps_of_us(otherwise);
    const picoseconds time = read_decimal(option.name(), option.text());
    constexpr picoseconds hour = 3'600'000'000'000'000;
    if (time < least || time > hour)
        throw usage_error(option.name(), option.text(), fmt::format("{} to 3600000000 us", microseconds(least)));
    return time;
}

condition read_condition(const text_option& ranks, const text_option& seed, const grouped_options& options) {
    condition c;
    c.ranks = ranks.number(2, c.ranks);
    if (c.ranks > most_grouped_ranks)
        throw usage_error(ranks.name(), ranks.text(), fmt::format("2 to {}", most_grouped_ranks));
    c.seed = static_cast<std::uint64_t>(seed.number(0, 1));
    c.bytes = options.bytes.number(64 * tuple, c.bytes);
    double rate = 12.5;
    if (options.bandwidth.given()) {
        rate = static_cast<double>(read_decimal(options.bandwidth.name(), options.bandwidth.text())) / 1e6;
        if (rate < 0.001 || rate > 1e6)
            throw usage_error(options.bandwidth.name(), options.bandwidth.text(), "0.001 to 1000000 MB/s");
    }
    switch_network& n = c.network;
    n.send_byte_fs = n.receive_byte_fs = byte_fs_of(rate);
    n.latency_ps = read_us(options.latency, 50, 0);
    n.packet = options.packet.number(1, n.packet);
    constexpr bytes_t most_bytes = bytes_t{1} << 30;
    if (n.packet > most_bytes) throw usage_error(options.packet.name(), options.packet.text(), "1 to 2^30");
    n.buffer = options.buffer.number(n.packet, std::max(n.packet, n.buffer));
    if (n.buffer > most_bytes) throw usage_error(options.buffer.name(), options.buffer.text(), "a packet to 2^30 B");
    n.window = options.window.number(1, n.window);
    n.timeout_ps = n.timeout_limit_ps = read_us(options.timeout, 200'000, std::max<picoseconds>(1, n.latency_ps));
    c.master_ps = read_us(options.master, 200, 0);
    c.delay_ps = read_us(options.delay, 1'000, 1);
    if (c.bytes > most_bytes || 4 * c.ranks * c.ranks * (c.bytes / n.packet + 1) > most_packets)
        throw usage_error(options.bytes.name(), std::to_string(c.bytes),
                          fmt::format("{} to 2^22 packets among twice as many nodes", 64 * tuple));
    return c;
}

}  // namespace

int study_grouped(const text_option& ranks, const text_option& seed, const text_option& svg,
                  const grouped_options& options) {
    condition base = read_condition(ranks, seed, options);
    show_base(base);
    std::array<study_run, 2> runs;
    for (const bool skewed : {false, true}) {
        base.skewed = skewed;
        study_run& all = runs[skewed ? 1 : 0];
        all = run_all(base, base.ranks <= few_ranks);
        show_run(base, all);
    }
    tally count;
    search(base, count);
    print_verdict(count);
    if (svg.given()) draw(svg.text(), base, runs);
    return success;
}
