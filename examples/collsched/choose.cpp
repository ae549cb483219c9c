#include "collsched/select.hpp"

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <range/v3/algorithm/find_if.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/transform.hpp>

#include "algorithms/algorithms.hpp"
#include "collsched/format.hpp"
#include "collsched/format/readers/read_decisions.hpp"
#include "commands.hpp"
#include "model_option.hpp"
#include "model_price.hpp"
#include "shape_options.hpp"
#include "text_output.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

struct choose_options {
    explicit choose_options(CLI::App& command)
        : shape(command, shape_options::takes::collective),
          model(command, "--model", "MODEL", expected_models),
          table(command, "--table", "FILE", "what a table says, instead of a model: lines of `collsched table`"),
          keep_order(command, "--keep-order", "of reductions: the operation is not commutative"),
          every_setting(command, "--every-setting", "all combinations of parameters are priced, not those of a search"),
          explain(command, "--explain", "all candidates, and why others are none"),
          json(command, "--json", "a line of JSON for each candidate, the cheapest first") {}

    shape_options shape;
    text_option model, table;
    flag_option keep_order, every_setting, explain, json;
};

/// Returns the chosen values, such as "segment=4096 radix=4".
std::string chosen_values(const choice::candidate& one, const shape& given) {
    std::string text;
    for (const shape::free_parameter& parameter : free_parameters) {
        const std::int64_t value = one.parameters.*parameter.value;
        if (!one.entry->takes(parameter.name) || value == shape::as_it_is) continue;
        if (given.*parameter.value == value) continue;
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", parameter.name, value);
    }
    return text;
}

std::string reason(const choice& made, const choice::candidate& one, const shape& given) {
    const choice::candidate& first = made.candidates.front();
    std::string text;
    if (&one == &first) {
        text = fmt::format("the cheapest of {}", made.candidates.size());
    } else if (one.cost == first.cost) {
        text = "as cheap as the first";
    } else {
        text = first.cost == 0 ? "the first costs nothing"
                               : fmt::format("{:.3f} times the cheapest",
                                             static_cast<double>(one.cost) / static_cast<double>(first.cost));
    }
    const std::string values = chosen_values(one, given);
    if (one.tried > 1) text += fmt::format("; {}, {} settings tried", values.empty() ? "as it is" : values, one.tried);
    return text;
}

/// Returns a price that shows the number of priced schedules on a terminal, since some models take seconds per
/// schedule.
auto watched_price(const schedule_price& price) {
    const bool watched = isatty(STDERR_FILENO) != 0;
    return [&price, watched, count = std::make_shared<int>(0)](const any_schedule& s) {
        if (watched) std::fputs(fmt::format("\r\x1b[K{} priced", (*count)++).c_str(), stderr);
        const picoseconds cost = price(s);
        if (watched) std::fputs("\r\x1b[K", stderr);
        return cost;
    };
}

/// Returns whether the algorithm of a row supports a shape, which may have a different number of ranks than the row.
bool can_do(const std::vector<algorithm_entry>& entries, const decision& row, const shape& sized) {
    const auto same = [&](const algorithm_entry& one) { return std::string_view(one.info.name) == row.algorithm; };
    const auto found = ranges::find_if(entries, same);
    return found != entries.end() && !found->make(decided(row, sized)).check();
}

/// Prints the row of a table for a shape.
int look_up(const choose_options& options, const shape_request& shape) {
    const std::vector<listed_schedule> listed = shape.select();
    const auto entries = listed | ranges::views::transform([](const listed_schedule& one) { return *one.entry; }) |
                         ranges::to<std::vector>();
    if (options.model.given()) throw usage_error::conflict("--model", "--table");
    if (shape.cluster) throw usage_error::conflict("--cluster", "--table");
    for (const auto& [name, value] : {std::pair{"--segment", shape.segment},
                                      {"--radix", shape.radix},
                                      {"--group", shape.group},
                                      {"--aggregate", shape.aggregate},
                                      {"--window", shape.window}})
        if (value) throw usage_error::conflict(name, "--table");
    for (const flag_option* other : {&options.keep_order, &options.every_setting, &options.explain, &options.json})
        if (other->given()) throw usage_error::conflict(other->name(), "--table");
    std::vector<decision> rows = read_or_refuse("--table", [&] {
        return read_decisions(std::filesystem::path(options.table.text()), compiled::whole_registry());
    });
    if (entries.empty())
        throw usage_error("COLLECTIVE", shape.name, "a collective with algorithms that take these options");
    const collsched::shape sized = shape.shape_for(listed.front(), shape.ranks.first);
    const collective what = entries.front().info.collective;
    const auto find = [&] { return find_decision(rows, what, sized.ranks, detail::total_bytes(sized)); };
    const decision* row = find();
    for (; row != nullptr && !can_do(entries, *row, sized); row = find())
        rows.erase(rows.begin() + (row - rows.data()));
    if (row == nullptr)
        throw usage_error("--table", options.table.text(),
                          "a table with a row for this collective and shape, whose algorithm can do it");
    std::string line = fmt::format("{}/{}", shape.name, row->algorithm);
    detail::for_each_setting(*row,
                             [&](const char* name, std::int64_t value) { line += fmt::format(" {}={}", name, value); });
    put_line(line);
    return success;
}

int choose_one(const choose_options& options) {
    shape_request shape = options.shape.read();
    if (options.table.given()) return look_up(options, shape);
    const any_model model = read_model("--model", options.model.text());
    shape.cluster_serves_model = true;
    if (needs_cluster(model) && !shape.cluster)
        throw usage_error::missing("--cluster", "a file that describes the cluster, for this model");
    const std::vector<listed_schedule> listed = shape.select();
    if (listed.empty())
        throw usage_error("COLLECTIVE", shape.name, "a collective with algorithms that take these options");
    const rank_t p = shape.ranks.first;
    constexpr rank_t most_ranks = 65'536;
    if (p > most_ranks)
        throw usage_error("--ranks", std::to_string(p), fmt::format("1 to {}, to be priced", most_ranks));
    choice::request request{.collective = listed.front().entry->info.collective,
                            .parameters = shape.shape_for(listed.front(), p),
                            .binding = shape.how,
                            .keeps_order = options.keep_order.given(),
                            .has_cluster = shape.cluster.has_value(),
                            .every_setting = options.every_setting.given()};
    if (!shape.segment) request.parameters.segment = collsched::shape::as_it_is;
    if (shape.cluster) {
        request.parameters.cluster = shape.cluster->on(p);
        request.parameters.placement = shape.cluster->place(p);
    }
    const auto entries = listed | ranges::views::transform([](const listed_schedule& one) { return *one.entry; }) |
                         ranges::to<std::vector>();
    const choice made =
        choose(request, std::span(entries), watched_price(price_of(model, shape.cluster, p, shape.how)));
    if (made.candidates.empty()) throw usage_error(made.refused.front().error);
    const bool irregular = listed.front().irregular;
    const auto out = standard_output().out();
    for (const choice::candidate& one : made.candidates) {
        const std::string name = schedule_name(one.entry->info, irregular), why = reason(made, one, request.parameters);
        if (options.json.given())
            fmt::format_to(out, "{{\"schedule\":{},\"cost_us\":{},\"reason\":{}}}\n", json_text(name),
                           microseconds(one.cost), json_text(why));
        else fmt::format_to(out, "{} cost_us={} {}\n", name, microseconds(one.cost), why);
        if (!options.explain.given() && !options.json.given()) break;
    }
    if (options.explain.given() && !options.json.given())
        for (const choice::refusal& one : made.refused)
            fmt::format_to(out, "{} refused: {}\n", schedule_name(one.entry->info, irregular),
                           one.error.text().c_str());
    return success;
}

}  // namespace

command add_choose(CLI::App& program) {
    CLI::App* parser = add_command(program, "choose", "the cheapest algorithm for a machine and a shape, and why");
    const auto options = std::make_shared<choose_options>(*parser);
    return {parser, [options] { return choose_one(*options); }};
}
