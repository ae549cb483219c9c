#include "benchmarks/studies/study_grouped.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "collsched/format/text.hpp"
#include "benchmarks/studies/grouped_condition.hpp"
#include "examples/programs/collsched/line_plot.hpp"
#include "benchmarks/studies/switch_contention.hpp"
#include "benchmarks/studies/switch_network.hpp"
#include "examples/programs/collsched/terminal.hpp"
#include "examples/programs/collsched/text_output.hpp"
#include "examples/programs/collsched/usage_error.hpp"

using namespace collsched;
using namespace collsched::switch_study;
using namespace grouped_study;

namespace {

constexpr rank_t few_ranks = 16;
constexpr double claimed_least = 2.5, claimed_most = 3;

/// Returns a time in milliseconds with the fewest digits: "0.2 ms".
std::string short_ms(picoseconds time) { return fmt::format("{:g} ms", static_cast<double>(time) / 1e9); }
std::string ms(picoseconds time) { return fmt::format("{:.2f}", static_cast<double>(time) / 1e9); }
const char* name_of(bool skewed) { return skewed ? "skewed" : "uniform"; }

void show_base(const condition& c) {
    const switch_network& n = c.network;
    put_line("Complete exchanges on one switch: grouped communication beside the alternatives of Chen, Na 2005.");
    put_line(
        fmt::format("Repartition of a parallel join: tuples of {} B, {} join values, {} B on average from a node to a "
                    "node; seed {}.",
                    tuple, join_values, c.bytes, c.seed));
    put_line("uniform: values equally frequent; skewed: Zipf with exponent 1, nodes hold 0.5 to 1.5 of the mean.");
    put_line(fmt::format(
        "Base: {} nodes, links of {:.3f} ns per byte, latency {}, packets of {} B, window {} packets, "
        "buffer {} B,",
        c.ranks, static_cast<double>(n.send_byte_fs) / 1e6, short_ms(n.latency_ps), n.packet, n.window, n.buffer));
    put_line(fmt::format("timeout {} without growth, master {} a sub-round, random delays from {} to {} times that.",
                         short_ms(n.timeout_ps), short_ms(c.master_ps), short_ms(c.delay_ps), delay_growth));
    put_line("A conflict is, by reading: loss: a lost packet, all messages at once, the loser withdraws; wait: a busy");
    put_line("receiver, one message at a time, the loser waits; other: the same, the loser tries the next target.");
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

void put_run_json(const condition& c, const study_run& all) {
    const auto put = [&](const std::string& policy, const char* conflict, const contention& x) {
        put_line(fmt::format(R"({{"study":"grouped","data":"{}","ranks":{},"policy":"{}","conflict":"{}",)"
                             R"("completion_us":{},"bound_us":{},"bytes_sent_again":{},"packets_sent_again":{},)"
                             R"("degree":{},"buffered":{}}})",
                             name_of(c.skewed), c.ranks, policy, conflict, microseconds(x.completion),
                             microseconds(all.bound), x.bytes_sent_again, x.packets_sent_again, x.in_degree,
                             x.buffer_used));
    };
    put("all at once", "", all.all_at_once);
    put("shifted pairs", "", all.shifted);
    for (std::size_t k = 0; k < readings.size(); ++k)
        for (std::size_t a = 0; a < alternatives.size(); ++a)
            put(alternatives[a], readings[k].name, all.alternative[k][a]);
    for (std::size_t g = 0; g < all.groups.size(); ++g)
        put(fmt::format("grouped q={}", all.groups[g]), "", all.grouped[g]);
}

struct conditions_tally {
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
void put_search_line(const condition& c, const std::string& what, conditions_tally& count) {
    progress_line progress;
    progress.show(fmt::format("{} repartition, {}", name_of(c.skewed), what));
    const study_run all = run_all(c, false);
    progress.erase();
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

void search(const condition& base, conditions_tally& count) {
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

void print_verdict(const conditions_tally& count) {
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

}  // namespace

int study_grouped(const text_option& ranks, const text_option& seed, const text_option& svg,
                  const grouped_options& options, bool json) {
    condition base = read_condition(ranks, seed, options);
    if (!json) show_base(base);
    std::array<study_run, 2> runs;
    for (const bool skewed : {false, true}) {
        base.skewed = skewed;
        study_run& all = runs[skewed ? 1 : 0];
        all = run_all(base, base.ranks <= few_ranks);
        if (json) put_run_json(base, all);
        else show_run(base, all);
    }
    if (!json) {
        conditions_tally count;
        search(base, count);
        print_verdict(count);
    }
    if (svg.given()) draw(svg.text(), base, runs);
    return success;
}
