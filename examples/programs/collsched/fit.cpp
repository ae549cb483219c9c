#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "collsched/format.hpp"
#include "measured/read_measurements.hpp"
#include "commands.hpp"
#include "fit_cases.hpp"
#include "options.hpp"
#include "text_table.hpp"
#include "usage_error.hpp"

using namespace collsched;
using namespace collsched::measured;

namespace {

struct fit_options {
    explicit fit_options(CLI::App& command)
        : from(command, option_group::other, "--from", "FILE",
               "measured times: CSV, or output of the OSU benchmarks or IMB-MPI1"),
          machine(command, option_group::other, "--machine", "NAME",
                  "one cluster of the files, by column machine (default: all)"),
          algorithm(command, option_group::other, "--algorithm", "NAME", "algorithm that the benchmark ran"),
          ranks(command, option_group::other, "-p,--ranks", "P", "number of ranks of the OSU benchmark"),
          choose(command, option_group::other, "--choose", "FILE",
                 "CSV of cases, with the algorithms among which to choose"),
          out(command, option_group::output, "--out", "FILE",
              "CSV of the choices (default: standard output, without the fit)"),
          csv(command, option_group::output, "--csv", "FILE", "additional file for the measurements in CSV"),
          json(command, option_group::output, "--json", "one JSON object per cluster and line") {}

    text_option from, machine, algorithm, ranks, choose, out, csv;
    flag_option json;
};

constexpr rank_t most_measured_ranks = rank_t{1} << 30;

/// Returns whether a text may be a field of CSV without quotes, on one line.
bool is_plain_field(std::string_view text) {
    return std::ranges::none_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f || c == ',' || c == '"'; });
}

/// Returns the rows of the selected cluster.
std::vector<measured_row> selected(const fit_options& options, std::vector<measured_row> rows) {
    if (!options.machine.given()) return rows;
    const std::string machine = options.machine.text();
    std::erase_if(rows, [&](const measured_row& row) { return row.machine != machine; });
    return rows;
}

measured_file read_rows(const fit_options& options) {
    if (!options.from.given()) throw usage_error::missing("--from", "a file of measured times");
    const text_file file = read_or_refuse("--from", [&] { return read_text_file(options.from.text()); });
    const bool described = options.algorithm.given() || options.ranks.given();
    if (is_benchmark_output(file.text)) {
        if (!options.algorithm.given())
            throw usage_error::missing("--algorithm", "the algorithm that the benchmark ran");
        if (const std::string name = options.algorithm.text(); name.empty() || !is_plain_field(name))
            throw usage_error("--algorithm", json_text(name), "a name without commas, quotes and control characters");
    } else if (described) {
        throw usage_error::conflict(options.algorithm.given() ? "--algorithm" : "--ranks", "a CSV file");
    }
    const rank_t ranks = options.ranks.given() ? options.ranks.number(1, 0) : 0;
    if (ranks > most_measured_ranks) throw usage_error("--ranks", options.ranks.text(), "1 to 2^30");
    measured_file read = read_or_refuse(
        "--from", [&] { return read_measurements(file, {.algorithm = options.algorithm.text(), .ranks = ranks}); });
    read.rows = selected(options, std::move(read.rows));
    if (read.rows.empty() && options.machine.given())
        throw usage_error("--machine", options.machine.text(),
                          fmt::format("a name in column machine of {}", file.name));
    if (read.rows.empty()) throw usage_error("--from", file.name, "one measured time or more");
    return read;
}

std::vector<measured_row> read_choices(const fit_options& options, const std::vector<measured_machine>& machines) {
    const std::string path = options.choose.text();
    const std::vector<measured_row> rows =
        selected(options, read_or_refuse("--choose", [&] { return read_cases(std::filesystem::path(path)); }));
    for (const measured_row& row : rows)
        if (std::ranges::find(machines, row.machine, &measured_machine::name) == machines.end())
            throw usage_error("--choose", input_error::mistake{.argument = "machine",
                                                               .value = json_text(row.machine),
                                                               .expected = "a name in column machine of --from",
                                                               .file = path,
                                                               .line = row.line});
    return rows;
}

std::map<std::string, measured_times> fit(const std::vector<measured_machine>& machines) {
    std::map<std::string, measured_times> made;
    for (const measured_machine& one : machines) {
        if (one.times.size() > measured_times::most_measurements)
            throw usage_error("--from", fmt::format("{} times of {}", one.times.size(), json_text(one.name)),
                              fmt::format("at most {}", measured_times::most_measurements));
        made.emplace(one.name, measured_times(one.times));
    }
    return made;
}

void put_fit(const measured_machine& machine, const measured_times& times) {
    constexpr auto right = text_table::side::right;
    const std::string name = machine.name.empty() ? "" : machine.name + ": ";
    put_line(styled(fmt::format("{}{} times", name, machine.times.size()), text_style::heading));
    text_table rates({{"rate"}, {"value", right}, {"usual", right}, {"unit"}});
    for (const measured_times::rate& one : times.rates())
        rates.add({one.name, fmt::format("{:.3g}", one.value), fmt::format("{:.3g}", one.usual), one.unit});
    rates.print();
    put_line("");
    text_table corrections({{"collective"}, {"algorithm"}, {"times", right}, {"factor", right}, {"error", right}});
    for (const measured_times::correction& one : times.corrections())
        corrections.add({name_of(one.collective), one.algorithm, std::to_string(one.measurements),
                         fmt::format("{:.2f}", one.factor), fmt::format("{:.2f}", one.error)});
    corrections.print();
}

void put_fit_json(const measured_machine& machine, const measured_times& times) {
    std::vector<std::string> rates, corrections;
    for (const measured_times::rate& one : times.rates())
        rates.push_back(fmt::format(R"({{"rate":{},"value":{:.6g},"usual":{:.6g},"unit":{}}})", json_text(one.name),
                                    one.value, one.usual, json_text(one.unit)));
    for (const measured_times::correction& one : times.corrections())
        corrections.push_back(fmt::format(
            R"({{"collective":{},"algorithm":{},"times":{},"factor":{:.6g},"error":{:.6g}}})",
            json_text(name_of(one.collective)), json_text(one.algorithm), one.measurements, one.factor, one.error));
    put_line(fmt::format(R"({{"machine":{},"times":{},"rates":[{}],"corrections":[{}]}})", json_text(machine.name),
                         machine.times.size(), fmt::join(rates, ","), fmt::join(corrections, ",")));
}

void put_fits(const std::vector<measured_machine>& machines, const std::map<std::string, measured_times>& fitted,
              bool json) {
    const char* gap = "";
    for (const measured_machine& machine : machines) {
        if (json) {
            put_fit_json(machine, fitted.at(machine.name));
            continue;
        }
        standard_output().write(gap);
        put_fit(machine, fitted.at(machine.name));
        gap = "\n";
    }
}

int fit_times(const fit_options& options) {
    if (options.out.given() && !options.choose.given()) throw usage_error::alone("--out", "--choose");
    if (options.json.given() && options.choose.given() && !options.out.given())
        throw usage_error::alone("--json with --choose", "--out");
    const measured_file measured = read_rows(options);
    const std::vector<measured_machine> machines = machines_of(measured.rows);
    std::vector<measured_row> cases;
    if (options.choose.given()) cases = read_choices(options, machines);
    if (options.csv.given())
        write_file("--csv", options.csv.text(),
                   [&](text_output::iterator to) { write_measurements(to, measured.rows); });
    const std::map<std::string, measured_times> fitted = fit(machines);
    for (const measured_file::unread_lines& lines : measured.unread)
        put_note(fmt::format("--from: {}", lines.text(options.from.text())));
    if (options.choose.given()) {
        const std::vector<chosen_algorithm> choices = choose_algorithms(cases, fitted);
        if (!options.out.given()) {
            write_choices(standard_output().out(), choices);
            return success;
        }
        write_file("--out", options.out.text(), [&](text_output::iterator to) { write_choices(to, choices); });
    }
    put_fits(machines, fitted, options.json.given());
    return success;
}

}  // namespace

command add_fit(CLI::App& program) {
    return make_command<fit_options>(
        program,
        {.name = "fit",
         .phrase = "choice of algorithms from measured times",
         .sentence = "Estimates times of collectives on a cluster from measured ones, and chooses algorithms for cases "
                     "that were not measured.",
         .usage = {"fit --from FILE [--machine NAME] [--json] [--csv FILE]",
                   "fit --from FILE [--machine NAME] --choose FILE [--out FILE]",
                   "fit --from FILE --algorithm NAME [--ranks P] --csv FILE"},
         .examples = {"fit --from measured.csv", "fit --from measured.csv --choose cases.csv --out choices.csv",
                      "fit --from osu_allreduce.txt --algorithm ring_ompi --ranks 64 --csv ring.csv"},
         .notes =
             {"CSV has the columns collective, nodes or ranks, bytes, algorithm, median_us, and optionally machine,",
              "ranks_per_node, gpu, mpi. Algorithms whose names begin with 'default' are neither fitted nor chosen."}},
        fit_times);
}
