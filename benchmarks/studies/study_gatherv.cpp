#include "benchmarks/studies/study_gatherv.hpp"

#include <numeric>
#include <random>
#include <vector>

#include <fmt/format.h>

#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/collective/gather/linear.hpp"
#include "collsched/collective/gather/over_tree.hpp"
#include "collsched/cost.hpp"
#include "collsched/format/text.hpp"
#include "collsched/simulate.hpp"
#include "collsched/tree/binomial.hpp"
#include "examples/programs/collsched/model_option.hpp"
#include "examples/programs/collsched/terminal.hpp"
#include "examples/programs/collsched/text_output.hpp"
#include "examples/programs/collsched/usage_error.hpp"

using namespace collsched;

namespace {

constexpr const char* default_model = "loggp:L_us=1,o_us=0.5,g_us=0.5,G_ns=0.1,copy_ns=0.1";
constexpr rank_t most_gatherv_ranks = 32'768;
constexpr double megabyte = 1 << 20;

using instant = gather::over_tree<trees::binomial, gather::root_receive::instant>;
using chained = gather::over_tree<trees::binomial, gather::root_receive::chained>;

struct settings {
    std::vector<rank_t> ranks;
    std::string model_text;
    loggp_model model;
    bytes_t connection_bytes = default_connection_bytes;
    picoseconds connection_ps = 0;  // of the second table
    std::uint64_t seed = 1;
};

/// A row of a table: an algorithm on a layout at a level.
struct row {
    rank_t ranks;
    bytes_t block;
    const char *layout, *algorithm, *level;
    metrics_report::rank_account root;
    picoseconds time[2];    // without and with the cost of connections
    picoseconds linear[2];  // times of the linear gatherv in the same setting
};

struct named_layout {
    const char* name;
    block_layout blocks;
};

/// Returns layouts of packed blocks of one size: in rank order, in reverse, and in a random order (Fisher-Yates with
/// the seed).
std::vector<named_layout> layouts(rank_t p, bytes_t block, std::uint64_t seed) {
    const auto n = static_cast<std::size_t>(p);
    std::vector<bytes_t> counts(n, block), backwards(n), drawn(n);
    for (std::size_t i = 0; i < n; ++i) {
        drawn[i] = static_cast<bytes_t>(i) * block;
        backwards[n - 1 - i] = drawn[i];
    }
    std::mt19937_64 random(seed);
    for (std::size_t i = n - 1; i > 0; --i) std::swap(drawn[i], drawn[random() % (i + 1)]);
    return {{"contiguous", block_layout(block)},
            {"reversed", block_layout(counts, backwards)},
            {"random", block_layout(counts, drawn)}};
}

/// The rows for one number of ranks and one size.
class comparison {
  public:
    comparison(const settings& chosen, rank_t p, bytes_t block, std::vector<row>& rows)
        : chosen_(chosen), p_(p), block_(block), rows_(rows) {
        const broadcast::over_tree<trees::binomial> metadata{.ranks = p, .bytes = 16 * p + 8};
        const execution_graph graph(metadata, binding::in_place);
        for (int with = 0; with < 2; ++with) ready_[with] = simulate(graph, model(with)).finish;
    }

    void run() {
        for (const auto& [name, blocks] : layouts(p_, block_, chosen_.seed)) {
            layout_ = name;
            add(gather::linear{.ranks = p_, .block = blocks}, "linear", false);
            add(instant{.ranks = p_, .block = blocks}, "binomial", true);
            add(chained{.ranks = p_, .block = blocks}, "binomial-chained", true);
        }
    }

  private:
    loggp_model model(int with) const {
        loggp_model made = chosen_.model;
        if (with == 1) made.connection_ps = chosen_.connection_ps;
        return made;
    }

    template <class A>
    void add(const A& algorithm, const char* name, bool levels) {
        const execution_graph graph(algorithm);
        row made{
            p_, block_, layout_, name, levels ? "aggressive" : "-", account(algorithm, 0, chosen_.connection_bytes),
            {}, {}};
        for (int with = 0; with < 2; ++with) {
            made.time[with] = simulate(graph, model(with)).completion;
            if (!levels) linear_[with] = made.time[with];
            made.linear[with] = linear_[with];
        }
        rows_.push_back(made);
        if (!levels) return;
        made.level = "conservative";
        for (int with = 0; with < 2; ++with) made.time[with] = simulate(graph, model(with), ready_[with]).completion;
        rows_.push_back(made);
    }

    const settings& chosen_;
    rank_t p_;
    bytes_t block_;
    std::vector<row>& rows_;
    const char* layout_ = "";
    owned_array<picoseconds>
        ready_[2];  // per rank: time at which it has the metadata, and time at which it has forwarded them
    picoseconds linear_[2] = {};
};

double speed_up(const row& r, int with) {
    return r.time[with] == 0 ? 1 : static_cast<double>(r.linear[with]) / static_cast<double>(r.time[with]);
}

void show_rows(const std::vector<row>& rows, int with) {
    const row* before = nullptr;
    for (const row& r : rows) {
        if (before == nullptr || before->ranks != r.ranks || before->block != r.block) {
            put_line(fmt::format("\n{} ranks, {} B a rank; from `connections` on: at the root", r.ranks, r.block));
            put_line(fmt::format("{:<12}{:<18}{:<14}{:>16}{:>12}{:>13}{:>11}{:>10}{:>8}{:>9}{:>8}{:>14}", "layout",
                                 "algorithm", "level", "completion_us", "speed-up", "connections", "memory_MB",
                                 "messages", "direct", "scratch", "copies", "copied_bytes"));
        }
        before = &r;
        put_line(fmt::format("{:<12}{:<18}{:<14}{:>16}{:>12.3f}{:>13}{:>11.2f}{:>10}{:>8}{:>9}{:>8}{:>14}", r.layout,
                             r.algorithm, r.level, microseconds(r.time[with]), speed_up(r, with), r.root.connections,
                             static_cast<double>(r.root.context_memory) / megabyte, r.root.messages, r.root.direct,
                             r.root.by_scratch, r.root.copies, r.root.copied_bytes));
    }
}

void put_rows_json(const settings& chosen, const std::vector<row>& rows) {
    const picoseconds connection[] = {chosen.model.connection_ps, chosen.connection_ps};
    for (std::size_t with = 0; with < 2; ++with)
        for (const row& r : rows)
            put_line(fmt::format(R"({{"study":"gatherv","connection_us":{},"ranks":{},"block":{},"layout":"{}",)"
                                 R"("algorithm":"{}","level":"{}","completion_us":{},"connections":{},)"
                                 R"("connection_bytes":{},"messages":{},"direct":{},"scratch":{},"copies":{},)"
                                 R"("copied_bytes":{}}})",
                                 microseconds(connection[with]), r.ranks, r.block, r.layout, r.algorithm, r.level,
                                 microseconds(r.time[with]), r.root.connections, r.root.context_memory, r.root.messages,
                                 r.root.direct, r.root.by_scratch, r.root.copies, r.root.copied_bytes));
}

void show_settings(const settings& chosen) {
    put_line("Gatherv by Sun et al.: linear, binomial with instant copy, binomial with message chains; simulated.");
    put_line(fmt::format("model: {}; root 0; random displacements by seed {}", chosen.model_text, chosen.seed));
    put_line(fmt::format(
        "memory: {} B a connection, MB of 2^20 bytes; messages are counted by sender and step, direct and scratch "
        "by transfer (a chain is one)",
        chosen.connection_bytes));
    put_line(
        "levels: aggressive is the gatherv alone; conservative first broadcasts 16n+8 bytes of metadata, binomially, "
        "and");
    put_line("  every rank begins the gatherv when it has them and has passed them on; linear needs none");
    put_line("speed-up: completion of linear / completion; copies include the root's block");
}

/// Prints the paper's figures if its number of ranks was requested.
void show_paper(const settings& chosen, const std::vector<row>& rows) {
    struct figure {
        bytes_t block;
        int speed_up;
    };
    put_line("\nBeside the paper, n = 32768: binomial-chained, conservative, over linear");
    put_line(fmt::format("{:<34}{:>12}{:>12}{:>34}", "", "paper", "here",
                         fmt::format("here, {} us a connection", microseconds(chosen.connection_ps))));
    const auto find = [&](bytes_t block, const std::string& algorithm) -> const row* {
        for (const row& r : rows)
            if (r.ranks == most_gatherv_ranks && r.block == block && r.algorithm == algorithm &&
                (algorithm == "linear" || std::string(r.level) == "conservative"))
                return &r;
        return nullptr;
    };
    const auto line = [](const std::string& what, const std::string& paper, const row* r, double here, double with) {
        put_line(fmt::format("{:<34}{:>12}{:>12}{:>34}", what, paper, r != nullptr ? fmt::format("{:.2f}", here) : "-",
                             r != nullptr ? fmt::format("{:.2f}", with) : "-"));
    };
    for (const auto& [name, paper] : {std::pair("linear", "1312.12"), std::pair("binomial-chained", "0.60")}) {
        const row* r = find(8, name);
        const double memory = r != nullptr ? static_cast<double>(r->root.context_memory) / megabyte : 0;
        line(fmt::format("memory of connections, MB, {}", std::string(name).substr(0, 8)), paper, r, memory, memory);
    }
    for (const auto& [block, paper] : {figure{8, 41'068}, figure{8'192, 32'709}}) {
        const row* r = find(block, "binomial-chained");
        line(fmt::format("speed-up, {} B a rank", block), std::to_string(paper), r, r != nullptr ? speed_up(*r, 0) : 0,
             r != nullptr ? speed_up(*r, 1) : 0);
    }
}

void explain(const settings& chosen) {
    const double n = most_gatherv_ranks, rounds = ceil_log2(most_gatherv_ranks);
    const double taking_in = static_cast<double>(chosen.model.stream(most_gatherv_ranks * 8'192).value()) / 1e12;
    put_line(
        "\nWhy the model cannot give the paper's speed-ups: in it a message costs the same however many others there "
        "are.");
    put_line(fmt::format(
        "The root takes in {:.0f} messages one by one against {:.0f} rounds of the tree, so for short ones the "
        "speed-up is",
        n - 1, rounds));
    put_line(fmt::format(
        "{:.0f} / {:.0f} = {:.0f} times what a linear message costs the root by what a round costs. For 41068 each "
        "linear message would",
        n - 1, rounds, (n - 1) / rounds));
    put_line(fmt::format(
        "have to cost {:.1f} whole rounds; 41068 is more than there are messages. With 8 KB the root's interface "
        "takes in the",
        41'068 * rounds / (n - 1)));
    put_line(fmt::format("same 256 MB either way, {:.3f} s here; 32709 times that is {:.0f} s for the linear gatherv.",
                         taking_in, 32'709 * taking_in));
    put_line(
        "A cost for each connection, paid by both ends, leads towards the paper but not to it: however high, the "
        "speed-up stays");
    put_line(
        fmt::format("below {:.0f} / {:.0f}, since the root of the tree makes {:.0f} connections itself, and near half "
                    "of that where an "
                    "inner rank first",
                    n, rounds, rounds));
    put_line("connects to its children and then to its parent.");
    put_line("The paper itself names the hot spot at the root and the memory of its connections; how a real network");
    put_line(
        "behaves with 32767 senders to one receiver is no part of LogGP. So the model does not explain the "
        "published figures.");
}

settings read_settings(const text_option& ranks, const text_option& seed, const gatherv_options& options) {
    settings chosen;
    chosen.ranks = ranks.given() ? read_list(ranks.name(), ranks.text(), 2)
                                 : std::vector<rank_t>{64, 1'024, most_gatherv_ranks};
    for (std::size_t i = 0; i < chosen.ranks.size(); ++i)
        if (chosen.ranks[i] > most_gatherv_ranks)
            throw usage_error(fmt::format("{}[{}]", ranks.name(), i), std::to_string(chosen.ranks[i]),
                              fmt::format("2 to {}", most_gatherv_ranks));
    chosen.model_text = options.model.given() ? options.model.text() : default_model;
    chosen.model = read_loggp("--model", chosen.model_text);
    if (!chosen.model.stream(most_gatherv_ranks * 8'192).ok())
        throw usage_error("--model", chosen.model_text, "a G at which 256 MB take less than 2^63 ps");
    chosen.connection_bytes = options.connection_bytes.number(0, default_connection_bytes);
    if (!(checked(chosen.connection_bytes) * most_gatherv_ranks).ok())
        throw usage_error("--connection-bytes", options.connection_bytes.text(), "fewer than 2^63 bytes in all");
    chosen.connection_ps =
        read_decimal("--connection-us", options.connection_us.given() ? options.connection_us.text() : "100");
    chosen.seed = static_cast<std::uint64_t>(seed.number(0, 1));
    return chosen;
}

}  // namespace

int study_gatherv(const text_option& ranks, const text_option& seed, const gatherv_options& options, bool json) {
    const settings chosen = read_settings(ranks, seed, options);
    std::vector<row> rows;
    progress_line progress(json);
    for (const rank_t p : chosen.ranks)
        for (const bytes_t block : {8, 8'192}) {
            progress.show(fmt::format("{} ranks, {} per rank", p, bytes_text(block)));
            comparison(chosen, p, block, rows).run();
        }
    progress.erase();
    if (json) {
        put_rows_json(chosen, rows);
        return success;
    }
    show_settings(chosen);
    put_line(fmt::format("\n=== {} us a connection", microseconds(chosen.model.connection_ps)));
    show_rows(rows, 0);
    put_line(fmt::format(
        "\n=== {} us a connection: the first message of an ordered pair in each phase takes both processors so "
        "much longer",
        microseconds(chosen.connection_ps)));
    show_rows(rows, 1);
    show_paper(chosen, rows);
    explain(chosen);
    return success;
}
