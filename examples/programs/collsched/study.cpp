#include <optional>
#include <string>

#include <fmt/format.h>
#include <range/v3/view/iota.hpp>

#include "collsched/format.hpp"
#include "collsched/schedule/metrics.hpp"
#include "commands.hpp"
#include "shape_options.hpp"
#include "study_ccsim.hpp"
#include "study_gatherv.hpp"
#include "study_grouped.hpp"
#include "study_timing.hpp"
#include "text_output.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

/// Compared exactly, printed to six decimals.
struct ratio {
    std::int64_t above = 0, below = 1;

    bool equals(const ratio& other) const { return above * other.below == other.above * below; }
    std::string text() const { return fmt::format("{:.6f}", static_cast<double>(above) / static_cast<double>(below)); }
};

/// The statements of Chen, Zhang, Zhang and Yuan (2006) about an algorithm on p ranks.
struct paper_row {
    const char* name;
    const char* alcd_text;
    step_t (*rounds)(rank_t p);
    std::optional<ratio> (*alcd)(rank_t p);
};

ratio ring_alcd(rank_t p) { return {2 * p - 2, p}; }

std::optional<ratio> doubling_alcd(rank_t p) {
    if (!is_power_of_two(p)) return {};
    return ratio{p - 1, floor_log2(p)};
}

std::optional<ratio> bruck_alcd(rank_t p) {
    ratio sum{0, p * ceil_log2(p)};
    for (int k = 0; k < ceil_log2(p); ++k) sum.above += 2 * (rank_t{1} << k) * (p - (rank_t{1} << k));
    return sum;
}

std::optional<ratio> neighbor_alcd(rank_t p) {
    if (p % 2 == 1) return {};
    return p % 4 == 0 ? ring_alcd(p) : ratio{2 * p * p - 4 * p + 4, p * p};
}

constexpr paper_row paper_rows[] = {
    {"ring", "2 - 2/p", [](rank_t p) -> step_t { return p - 1; },
     [](rank_t p) -> std::optional<ratio> { return ring_alcd(p); }},
    {"recursive-doubling", "(p-1)/log2 p for powers of two",
     [](rank_t p) -> step_t { return floor_log2(p) + (is_power_of_two(p) ? 0 : 2); }, doubling_alcd},
    {"bruck", "sum over k < ceil(log2 p) of 2 * 2^k * (p - 2^k), over p * ceil(log2 p)",
     [](rank_t p) -> step_t { return ceil_log2(p); }, bruck_alcd},
    {"neighbor-exchange", "2 - 2/p where 4 divides p, 2 - 4/p + 4/p^2 for other even p",
     [](rank_t p) -> step_t { return p % 2 == 0 ? p / 2 : (p + 3) / 2; }, neighbor_alcd},
};

struct tally {
    int equal = 0, different = 0, unknown = 0;
};

/// The counted values of an algorithm on p ranks beside the paper's formulas.
struct compared {
    rank_t ranks;
    metrics_report counted;
    step_t rounds;              ///< by the formula
    std::optional<ratio> alcd;  ///< by the formula
    const char* verdict;        ///< equal, DIFFERS, or empty if there is no formula

    std::string counted_alcd() const { return ratio{counted.distance, counted.messages}.text(); }
};

compared compare(const paper_row& row, rank_t p, tally& count) {
    const listed_schedule& which = find_schedule(fmt::format("allgather/{}", row.name));
    compared made{p, metrics(which.entry->make({.ranks = p, .block = 1})), row.rounds(p), row.alcd(p), ""};
    const ratio here{made.counted.distance, made.counted.messages};
    const bool differs = made.counted.rounds != made.rounds || (made.alcd && !here.equals(*made.alcd));
    ++(differs ? count.different : made.alcd ? count.equal : count.unknown);
    made.verdict = differs ? "DIFFERS" : made.alcd ? "equal" : "";
    return made;
}

void put_compared(const paper_row& row, const compared& one) {
    put_line(fmt::format(R"({{"study":"allgather","algorithm":"{}","ranks":{},"rounds":{},"messages":{},"alcd":{},)"
                         R"("formula_rounds":{},"formula_alcd":{},"equal":{}}})",
                         row.name, one.ranks, one.counted.rounds, one.counted.messages, one.counted_alcd(), one.rounds,
                         one.alcd ? one.alcd->text() : "null", *one.verdict != 'D'));
}

/// Prints the table of an algorithm: counted values beside the paper's formulas.
void put_table(const paper_row& row, rank_t first, rank_t last, tally& count) {
    const listed_schedule& which = find_schedule(fmt::format("allgather/{}", row.name));
    put_line(fmt::format("\n{}\n  rounds: {}\n  ALCD: {}", which.name, which.entry->info.rounds, row.alcd_text));
    put_line(fmt::format("{:>5}{:>9}{:>9}{:>10}{:>14}{:>14}", "p", "rounds", "formula", "messages", "ALCD", "formula"));
    for (const rank_t p : ranges::views::closed_iota(first, last)) {
        const compared one = compare(row, p, count);
        put_line(fmt::format("{:>5}{:>9}{:>9}{:>10}{:>14}{:>14}  {}", p, one.counted.rounds, one.rounds,
                             one.counted.messages, one.counted_alcd(), one.alcd ? one.alcd->text() : "-", one.verdict));
    }
}

/// Returns the paper's choice by the total size of all blocks.
const char* paper_choice(rank_t p, bytes_t total) {
    constexpr bytes_t medium = 80 * 1024, large = 512 * 1024;
    if (total < medium) return is_power_of_two(p) ? "recursive-doubling" : "bruck";
    if (total <= large) return "ring";
    return p % 2 == 0 ? "neighbor-exchange" : "ring";
}

void show_choices(rank_t first, rank_t last) {
    put_line("\nThe choice by total size: below 80 KB (81,920 bytes) short, to 512 KB (524,288) medium, above long");
    put_line(fmt::format("{:>10}  {:<20}{:<20}{}", "bytes", "p a power of two", "other even p", "odd p"));
    for (const bytes_t total : {1024, 81919, 81920, 262144, 524288, 524289, 8 << 20})
        put_line(fmt::format("{:>10}  {:<20}{:<20}{}", total, paper_choice(16, total), paper_choice(12, total),
                             paper_choice(13, total)));
    put_line("\nThe sizes of the study, 8 B, 8 KB and 120 KB a block: total bytes and choice");
    for (const rank_t p : ranges::views::closed_iota(first, last)) {
        std::string line = fmt::format("{:>5}", p);
        for (const bytes_t block : {8, 8 * 1024, 120 * 1024})
            line += fmt::format("{:>10}  {:<20}", p * block, paper_choice(p, p * block));
        put_line(line);
    }
}

struct study_options {
    explicit study_options(CLI::App& command)
        : subject(command, "SUBJECT", "allgather, gatherv, ccsim or grouped"),
          ranks(command, option_group::shape, "--ranks", "P|A..B|A,B,...",
                "numbers of ranks: allgather A..B (default 2..64), or P (64) with --cluster; gatherv A,B,... "
                "(default 64,1024,32768); ccsim A,B,... (default 4,8,...,512); grouped P (default 16)"),
          seed(command, option_group::other, "--seed", "N",
               "gatherv, ccsim, grouped: seed of random displacements, clusters or data (default 1)"),
          gatherv(command),
          ccsim(command),
          grouped(command),
          cluster(command, option_group::cluster, "--cluster", "FILE",
                  "allgather: cluster for times in place of counts; its links are shared by messages"),
          json(command, option_group::output, "--json", "one JSON object per result, without the comparison") {}
    text_option subject, ranks, seed;
    gatherv_options gatherv;
    ccsim_options ccsim;
    grouped_options grouped;
    text_option cluster;
    flag_option json;

    /// Rejects options of other subjects.
    void refuse(std::initializer_list<const text_option*> others) const {
        for (const text_option* other : others)
            if (other->given()) throw usage_error::conflict(other->name(), fmt::format("study {}", subject.text()));
    }
};

rank_range read_allgather_ranks(const text_option& ranks) {
    constexpr rank_t most = 4096;
    const rank_range range = read_rank_range(ranks, 2, 64);
    if (range.first < 2 || range.last > most) throw usage_error("--ranks", ranks.text(), fmt::format("2 to {}", most));
    return range;
}

int study_allgather(const study_options& options) {
    const auto [first, last] = read_allgather_ranks(options.ranks);
    tally count;
    if (options.json.given()) {
        for (const paper_row& row : paper_rows)
            for (const rank_t p : ranges::views::closed_iota(first, last)) put_compared(row, compare(row, p, count));
        return count.different == 0 ? success : refused;
    }
    put_line("Allgather as counted here beside the closed forms of Chen, Zhang, Zhang, Yuan 2006.");
    put_line(
        "ALCD, the average logical communication distance: the sum of |src - dst| over messages, by their number.");
    put_line("The comparison is exact; - where the paper has no closed form.");
    for (const paper_row& row : paper_rows) put_table(row, first, last, count);
    show_choices(first, last);
    put_line(fmt::format("\n{} equal, {} different, {} without a closed form of the ALCD", count.equal, count.different,
                         count.unknown));
    return count.different == 0 ? success : refused;
}

/// Rejects options of other subjects.
void check_options(const study_options& options) {
    const std::string subject = options.subject.text();
    const gatherv_options& gatherv = options.gatherv;
    const grouped_options& g = options.grouped;
    if (subject != "gatherv") options.refuse({&gatherv.model, &gatherv.connection_bytes, &gatherv.connection_us});
    if (subject != "ccsim") options.refuse({&options.ccsim.clusters});
    if (subject != "ccsim" && subject != "grouped") options.refuse({&options.ccsim.svg});
    if (subject != "grouped")
        options.refuse(
            {&g.bytes, &g.bandwidth, &g.latency, &g.packet, &g.buffer, &g.window, &g.timeout, &g.master, &g.delay});
    if (subject != "allgather") options.refuse({&options.cluster});
    if (subject == "allgather") options.refuse({&options.seed});
}

int study(const study_options& options) {
    const std::string subject = options.subject.text();
    const bool json = options.json.given();
    check_options(options);
    if (subject == "allgather")
        return options.cluster.given() ? study_allgather_timing(options.ranks, options.cluster, json)
                                       : study_allgather(options);
    if (subject == "gatherv") return study_gatherv(options.ranks, options.seed, options.gatherv, json);
    if (subject == "ccsim") return study_ccsim(options.ranks, options.seed, options.ccsim, json);
    if (subject == "grouped")
        return study_grouped(options.ranks, options.seed, options.ccsim.svg, options.grouped, json);
    throw usage_error("SUBJECT", subject, "allgather, gatherv, ccsim, grouped");
}

}  // namespace

command add_study(CLI::App& program) {
    return make_command<study_options>(
        program,
        {.name = "study",
         .phrase = "results of published papers, computed again",
         .sentence = "Computes the results of a published paper and prints them beside the published figures.",
         .usage = {"study allgather [--ranks A..B | --cluster FILE [--ranks P]] [--json]",
                   "study gatherv [--ranks A,B,...] [--model MODEL] [OPTION...] [--seed N] [--json]",
                   "study ccsim [--ranks A,B,...] [--clusters N] [--seed N] [--svg FILE] [--json]",
                   "study grouped [--ranks P] [OPTION...] [--seed N] [--svg FILE] [--json]"},
         .examples = {"study allgather --ranks 2..8", "study gatherv --ranks 64"},
         .notes = {"A description that begins with subjects applies to these subjects only.",
                   "docs/ccsim.md and docs/grouped_study.md describe ccsim and grouped."}},
        study);
}
