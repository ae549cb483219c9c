#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "algorithms/algorithms.hpp"
#include "call_report.hpp"
#include "cluster_options.hpp"
#include "collsched/format.hpp"
#include "collsched/format/rules/read_decisions.hpp"
#include "collsched/select.hpp"
#include "commands.hpp"
#include "decision_output.hpp"
#include "model_option.hpp"
#include "model_price.hpp"
#include "printable.hpp"
#include "terminal.hpp"
#include "text_output.hpp"
#include "text_table.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

struct explain_options {
    explicit explain_options(CLI::App& command)
        : file(command, "FILE", "report of COLLSCHED_REPORT"),
          cluster(command),
          model(command, option_group::model, "--model", "MODEL", model_help),
          table(command, option_group::model, "--table", "FILE",
                "decision table that chooses in place of the search under the model"),
          json(command, option_group::output, "--json", "one JSON object per row") {}

    text_option file;
    cluster_options cluster;
    text_option model, table;
    flag_option json;
};

/// The source of better choices.
struct adviser {
    std::optional<any_model> model;
    std::optional<placed_cluster> cluster;
    std::optional<std::vector<decision>> table;
};

/// A better algorithm for calls, and times under the model.
struct advice {
    std::string algorithm{};            ///< with parameters; empty: unknown
    std::optional<picoseconds> time{};  ///< of this algorithm
    std::optional<picoseconds> used{};  ///< of the one that ran
};

constexpr rank_t most_advised_ranks = 65'536;
/// Schedules with more edges are not priced, as in `table`.
constexpr std::int64_t most_advised_edges = std::int64_t{1} << 18;
constexpr bytes_t most_advised_bytes = bytes_t{1} << 40;

adviser read_adviser(const explain_options& options) {
    adviser made;
    made.cluster = options.cluster.read();
    if (options.model.given()) {
        made.model = read_model("--model", options.model.text());
        check_cluster(*made.model, made.cluster);
        check_overheads(*made.model, made.cluster);
    } else if (made.cluster) {
        throw usage_error::alone("--cluster", "--model");
    }
    if (options.table.given())
        made.table = read_or_refuse("--table", [&] {
            return read_decisions(std::filesystem::path(options.table.text()), compiled::whole_registry());
        });
    return made;
}

choice::request request_of(const reported_calls& row, const adviser& from) {
    choice::request request = request_for(*row.what, row.ranks, row.table_bytes());
    request.keeps_order = !row.commutative;
    request.best_only = true;
    request.edge_limit = most_advised_edges;
    request.has_cluster = from.cluster.has_value();
    if (from.cluster) {
        request.parameters.cluster = from.cluster->on(row.ranks);
        request.parameters.placement = from.cluster->groups(row.ranks);
    } else {
        const rank_t share = std::min(row.ranks_per_node, row.ranks);
        request.parameters.placement = topology::placement::block(row.ranks, (row.ranks + share - 1) / share);
    }
    return request;
}

/// Returns the price of one algorithm with fixed parameters; nothing if it does not support the request or is too large.
std::optional<picoseconds> price_of_one(choice::request request, const algorithm_entry& entry,
                                        const decision& parameters, const schedule_price& price) {
    request.parameters = decided(parameters, request.parameters);
    if (request.parameters.segment == shape::as_it_is) request.parameters.segment = 0;
    request.keeps_defaults = true;
    const choice made = choose(request, std::span(&entry, 1), price);
    if (made.candidates.empty() || made.candidates.front().cost == unpriced) return {};
    return made.candidates.front().cost;
}

std::string name_with(const decision& row) {
    const std::string values = parameters_text(row);
    return values.empty() ? row.algorithm : fmt::format("{} {}", row.algorithm, values);
}

/// Fills in the choice of the table. Without a model its time is that of the row.
void advise_by_table(choice::request request, const reported_calls& row, const adviser& from,
                     const std::optional<schedule_price>& price, advice& made) {
    request.ranks_per_node = row.ranks_per_node;
    const decision::result found = decide(*from.table, request, compiled::whole_registry());
    if (found.row == nullptr) return;
    made.algorithm = name_with(*found.row);
    if (price) made.time = price_of_one(request, *found.entry, *found.row, *price);
    else if (found.row->time > 0) made.time = found.row->time;
}

advice advise(const reported_calls& row, const adviser& from) {
    advice made;
    if ((!from.model && !from.table) || !row.what || row.ranks < 1 || row.ranks > most_advised_ranks) return made;
    if (!row.from || row.table_bytes() > most_advised_bytes) return made;
    const choice::request request = request_of(row, from);
    std::optional<schedule_price> price;
    if (from.model) price = price_of(*from.model, from.cluster, {}, row.ranks, {});
    if (price && row.entry != nullptr) made.used = price_of_one(request, *row.entry, row.parameters, *price);
    if (from.table) {
        advise_by_table(request, row, from, price, made);
        return made;
    }
    const std::span<const algorithm_entry> list = from.cluster ? compiled::whole_registry() : compiled::registry();
    const choice best = choose(request, list, *price);
    if (best.candidates.empty() || best.candidates.front().cost == unpriced) return made;
    made.algorithm = name_with(row_of(best.candidates.front(), row.table_bytes()));
    made.time = best.candidates.front().cost;
    return made;
}

std::string time_text(const std::optional<picoseconds>& time) { return time ? microseconds(*time) : "-"; }

/// Returns how many times faster the advised algorithm is, under the model.
std::string gain_text(const advice& one) {
    if (!one.time || !one.used || *one.time <= 0) return "-";
    return fmt::format("{:.2f}", static_cast<double>(*one.used) / static_cast<double>(*one.time));
}

std::string used_parameters(const reported_calls& row) {
    decision named = row.parameters;
    return parameters_text(named);
}

std::string used_name(const reported_calls& row) {
    const std::string values = used_parameters(row);
    return printable(values.empty() ? row.algorithm : fmt::format("{} {}", row.algorithm, values), 80);
}

std::string size_text(const reported_calls& row) {
    if (!row.from) return "-";
    return row.to && *row.to != *row.from ? fmt::format("{}..{}", *row.from, *row.to) : fmt::format("{}", *row.from);
}

/// Returns the mean time of a call on the rank that spent the most, in microseconds.
std::string measured_text(const reported_calls& row) {
    if (row.timed_calls == 0) return "-";
    return fmt::format("{:.3f}", row.most_seconds / static_cast<double>(row.most_calls) * 1e6);
}

void put_json(const reported_calls& row, const advice& one) {
    std::string text = fmt::format(R"({{"function":{},"form":{},"ranks":{},"algorithm":{},"reason":{},"calls":{})",
                                   json_text(row.function), json_text(row.form), row.ranks, json_text(row.algorithm),
                                   json_text(row.reason), row.calls);
    if (const std::string values = used_parameters(row); !values.empty())
        text += fmt::format(R"(,"parameters":{})", json_text(values));
    if (row.from) text += fmt::format(R"(,"bytes":{})", row.table_bytes());
    if (row.timed_calls > 0) text += fmt::format(R"(,"time_us":{})", measured_text(row));
    if (one.used) text += fmt::format(R"(,"predicted_us":{})", microseconds(*one.used));
    if (!one.algorithm.empty()) text += fmt::format(R"(,"better":{})", json_text(one.algorithm));
    if (one.time) text += fmt::format(R"(,"better_us":{})", microseconds(*one.time));
    put_line(text + "}");
}

text_table explained_table(bool advised) {
    constexpr auto right = text_table::side::right;
    std::vector<text_table::column> columns{{"function"},  {"form"},         {"ranks", right},  {"bytes", right},
                                            {"algorithm"}, {"calls", right}, {"time_us", right}};
    if (advised)
        columns.insert(columns.end(), {{"predicted_us", right}, {"better"}, {"better_us", right}, {"gain", right}});
    columns.push_back({"reason"});
    return text_table(std::move(columns));
}

int explain_report(const explain_options& options) {
    if (!options.file.given()) throw usage_error::missing("FILE", "a report of COLLSCHED_REPORT");
    const adviser from = read_adviser(options);
    call_report report = read_or_refuse(
        "FILE", [&] { return read_call_report(read_text_file(std::filesystem::path(options.file.text()))); });
    std::ranges::stable_sort(report.rows, std::ranges::greater(), &reported_calls::most_seconds);
    const bool advised = from.model || from.table;
    text_table table = explained_table(advised);
    progress_line progress(options.json.given());
    std::vector<advice> all;
    for (const reported_calls& row : report.rows) {
        progress.show(fmt::format("{}, {} ranks, {} bytes", row.function, row.ranks, size_text(row)));
        all.push_back(advise(row, from));
    }
    progress.erase();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const reported_calls& row = report.rows[i];
        const advice& one = all[i];
        if (options.json.given()) {
            put_json(row, one);
            continue;
        }
        std::vector<std::string> cells{
            row.function,      row.form,       row.ranks > 0 ? std::to_string(row.ranks) : "-",
            size_text(row),    used_name(row), std::to_string(row.calls),
            measured_text(row)};
        if (advised)
            cells.insert(cells.end(), {time_text(one.used), one.algorithm.empty() ? "-" : one.algorithm,
                                       time_text(one.time), gain_text(one)});
        cells.push_back(printable(row.reason, 120));
        table.add(std::move(cells));
    }
    if (!options.json.given()) table.print();
    return success;
}

}  // namespace

command add_explain(CLI::App& program) {
    return make_command<explain_options>(
        program,
        {.name = "explain",
         .phrase = "calls of an MPI program by its report, and better algorithms",
         .sentence = "Prints a report of COLLSCHED_REPORT as a table, and the algorithms that would be faster.",
         .usage = {"explain FILE [--model MODEL [--cluster FILE]] [--table FILE] [--json]"},
         .examples = {"explain report.json", "explain report.json --model loggp:L_us=1,o_us=0.5,g_us=0.5,G_ns=0.1"},
         .notes = model_notes},
        explain_report);
}
