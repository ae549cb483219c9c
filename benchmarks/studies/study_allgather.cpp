#include "benchmarks/studies/study_allgather.hpp"

#include <optional>
#include <string>

#include <fmt/format.h>
#include <range/v3/view/iota.hpp>

#include "collsched/core/bits.hpp"
#include "collsched/schedule/metrics.hpp"
#include "examples/programs/collsched/catalogue.hpp"
#include "examples/programs/collsched/text_output.hpp"
#include "examples/programs/collsched/usage_error.hpp"

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

rank_range read_allgather_ranks(const text_option& ranks) {
    constexpr rank_t most = 4096;
    const rank_range range = read_rank_range(ranks, 2, 64);
    if (range.first < 2 || range.last > most) throw usage_error("--ranks", ranks.text(), fmt::format("2 to {}", most));
    return range;
}

}  // namespace

int study_allgather(const text_option& ranks, bool json) {
    const auto [first, last] = read_allgather_ranks(ranks);
    tally count;
    if (json) {
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
