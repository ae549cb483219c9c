#include "collsched/select.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/transform.hpp>

#include "algorithms/algorithms.hpp"
#include "collsched/format.hpp"
#include "collsched/format/rules/read_decisions.hpp"
#include "collsched/topology/rank_cycle.hpp"
#include "bits_option.hpp"
#include "commands.hpp"
#include "decision_output.hpp"
#include "model_option.hpp"
#include "model_price.hpp"
#include "path_report.hpp"
#include "search_options.hpp"
#include "search_time.hpp"
#include "shape_options.hpp"
#include "starts_option.hpp"
#include "terminal.hpp"
#include "text_output.hpp"
#include "text_table.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

struct choose_options {
    explicit choose_options(CLI::App& command)
        : shape(command, shape_options::takes::collective),
          model(command, option_group::model, "--model", "MODEL", model_help),
          starts(command),
          table(command, option_group::model, "--table", "FILE", "decision table to look up instead of a model"),
          keep_order(command, option_group::shape, "--keep-order",
                     "operation of a reduction that is not commutative (default: commutative)"),
          bits(command),
          every_setting(command, option_group::parameters, "--every-setting",
                        "price of every combination of parameters (default: a search, one parameter at a time)"),
          explain(command, option_group::output, "--explain",
                  "all candidates, the reasons against other algorithms, and why the cheapest wins"),
          save(command, option_group::output, "--save", "FILE",
               "decision table that receives the choice as a row; the file may exist"),
          json(command, option_group::output, "--json", "one JSON object per candidate, the cheapest first"),
          search(command) {}

    shape_options shape;
    text_option model;
    starts_option starts;
    text_option table;
    flag_option keep_order;
    bits_option bits;
    flag_option every_setting, explain;
    text_option save;
    flag_option json;
    search_options search;
};

/// Calls f(name, value) for each parameter that was chosen.
template <class F>
void for_each_chosen(const choice::candidate& one, const shape& given, F f) {
    for (const decision::free_parameter& parameter : free_parameters) {
        const std::int64_t value = one.parameters.*parameter.value;
        if (!one.entry->takes(parameter.value) || value == shape::as_it_is) continue;
        if (given.*parameter.value != value) f(parameter.name, value);
    }
}

/// Returns whether the ranks of a candidate are numbered along the cycle of the network, by the choice.
bool is_numbered(const choice::candidate& one, const shape& given) {
    return !(one.parameters.numbering == given.numbering);
}

/// Returns the chosen values, such as "segment=4096 radix=4".
std::string chosen_values(const choice::candidate& one, const shape& given) {
    std::string text = is_numbered(one, given) ? fmt::format("numbering={}", cycle_numbering) : "";
    for_each_chosen(one, given, [&](const char* name, std::int64_t value) {
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
    });
    return text;
}
std::string chosen_json(const choice::candidate& one, const shape& given) {
    std::string text = is_numbered(one, given) ? fmt::format(R"("numbering":"{}")", cycle_numbering) : "";
    for_each_chosen(one, given, [&](const char* name, std::int64_t value) {
        text += fmt::format("{}{}:{}", text.empty() ? "" : ",", json_text(name), value);
    });
    return "{" + text + "}";
}

std::size_t unpriced_algorithms(const choice& made) {
    return static_cast<std::size_t>(std::ranges::count(made.unfinished, false, &choice::unfinished_search::priced));
}

/// Schedules with more edges are not priced.
constexpr std::int64_t most_edges = std::int64_t{1} << 22;

/// Returns the number of algorithms whose schedules have too many edges.
std::size_t too_large(const choice& made) {
    return static_cast<std::size_t>(std::ranges::count_if(
        made.refused, [](const choice::refusal& one) { return one.error.argument == std::string_view("edges"); }));
}
std::string counted(std::size_t n, const char* one, const char* more) {
    return fmt::format("{} {}", n, n == 1 ? one : more);
}

std::string reason(const choice& made, const choice::candidate& one, const shape& given) {
    const choice::candidate& first = made.candidates.front();
    std::string text;
    if (&one == &first) {
        text = made.unfinished.empty()
                   ? "final"
                   : fmt::format("best so far, {} unfinished", counted(made.unfinished.size(), "search", "searches"));
        text += fmt::format(": the cheapest of {}", made.candidates.size() + static_cast<std::size_t>(made.left_out));
    } else if (one.cost == first.cost) {
        text = "as cheap as the first";
    } else {
        text = first.cost == 0 ? "the first costs nothing"
                               : fmt::format("{:.3f} times the cheapest",
                                             static_cast<double>(one.cost) / static_cast<double>(first.cost));
    }
    const std::string values = chosen_values(one, given);
    if (one.trials > 1)
        text += fmt::format("; {}, {} settings tried", values.empty() ? "default parameters" : values, one.trials);
    else if (!values.empty()) text += "; " + values;
    if (one.is_estimate) text += "; estimated, since the time was over";
    if (&one == &first && unpriced_algorithms(made) > 0)
        text += fmt::format("; {} not priced in time", counted(unpriced_algorithms(made), "algorithm", "algorithms"));
    if (&one == &first && too_large(made) > 0)
        text += fmt::format("; {} with more than {} edges not priced",
                            counted(too_large(made), "algorithm", "algorithms"), most_edges);
    return text;
}

/// A price that shows the number of priced schedules, since some models take seconds per schedule.
struct watched_price {
    const schedule_price& price;
    progress_line& progress;
    mutable std::mutex lock{};
    mutable int count = 0;

    picoseconds operator()(const any_schedule& s, picoseconds limit) const {
        show();
        return price(s, limit);
    }
    bool has_estimates() const { return price.has_estimates(); }
    picoseconds estimate(const any_schedule& s, picoseconds limit, picoseconds bound) const {
        show();
        return price.estimate(s, limit, bound);
    }
    void show() const {
        const std::lock_guard guard(lock);
        progress.show(fmt::format("{} schedules priced", count++));
    }
    picoseconds bound(const any_schedule& s) const { return price.bound(s); }
};

/// Rejects options that have no effect beside --table.
void check_look_up(const choose_options& options, const shape_request& shape) {
    if (options.model.given()) throw usage_error::conflict("--model", "--table");
    if (options.starts.given()) throw usage_error::conflict("--starts", "--table");
    for (const auto& [name, value] : {std::pair{"--segment", shape.segment},
                                      {"--radix", shape.radix},
                                      {"--group", shape.group},
                                      {"--aggregate", shape.aggregate},
                                      {"--window", shape.window}})
        if (value) throw usage_error::conflict(name, "--table");
    for (const flag_option* other : {&options.every_setting, &options.explain})
        if (other->given()) throw usage_error::conflict(other->name(), "--table");
    for (const text_option* other : {&options.search.threads, &options.search.budget, &options.save})
        if (other->given()) throw usage_error::conflict(other->name(), "--table");
}

std::vector<algorithm_entry> entries_of(const std::vector<listed_schedule>& listed) {
    return listed | ranges::views::transform([](const listed_schedule& one) { return *one.entry; }) |
           ranges::to<std::vector>();
}

/// Returns the schedules of the collective. Throws usage_error if there are none.
std::vector<listed_schedule> candidates_of(const shape_request& shape) {
    std::vector<listed_schedule> listed = shape.select();
    if (const auto option = shape.untaken_option()) throw usage_error::conflict(*option, shape.name);
    if (listed.empty())
        throw usage_error("COLLECTIVE", shape.name, "a collective with algorithms that take these options");
    return listed;
}

choice::request request_of(const choose_options& options, const shape_request& shape, const listed_schedule& first) {
    const rank_t p = shape.ranks.first;
    choice::request request{.collective = first.entry->info.collective,
                            .parameters = shape.shape_for(first, p),
                            .binding = shape.how,
                            .keeps_order = options.keep_order.given(),
                            .bits = options.bits.read_for(first.entry->info.collective),
                            .has_cluster = shape.cluster.has_value(),
                            .every_setting = options.every_setting.given(),
                            .best_only = !options.explain.given() && !options.json.given(),
                            .edge_limit = most_edges};
    if (!shape.segment) request.parameters.segment = collsched::shape::as_it_is;
    if (!shape.cluster) return request;
    request.parameters.cluster = shape.cluster->on(p);
    request.parameters.placement = shape.cluster->groups(p);
    return request;
}

/// Returns the largest number of ranks on one node.
rank_t ranks_per_node(const shape_request& shape, const choice::request& request) {
    if (shape.cluster) return shape.cluster->place(request.parameters.ranks).ranks_per_node();
    return request.parameters.placement.ranks_per_node();
}

/// Prints the row of a table for a shape.
int look_up(const choose_options& options, const shape_request& shape) {
    check_look_up(options, shape);
    const std::vector<listed_schedule> listed = candidates_of(shape);
    const std::vector<algorithm_entry> entries = entries_of(listed);
    const std::vector<decision> rows = read_or_refuse("--table", [&] {
        return read_decisions(std::filesystem::path(options.table.text()), compiled::whole_registry());
    });
    choice::request request = request_of(options, shape, listed.front());
    if (shape.network) shape.network->plan(request, entries);
    request.ranks_per_node = ranks_per_node(shape, request);
    const decision::result found = decide(rows, request, entries);
    if (found.row == nullptr)
        throw usage_error(
            "--table", options.table.text(),
            "a table with a row for this collective and shape, whose algorithm supports it" +
                (options.bits.given() ? fmt::format(" and has the class {}", name_of(request.bits)) : ""));
    if (options.json.given()) put_decision_json(*found.row);
    else put_decisions({found.row, 1});
    return success;
}

/// The run of a candidate, which explains its cost.
struct explained_run {
    const choice::candidate* candidate;
    path_report report;
};

/// Returns the runs of the first candidate and of the next one with another cost; none under loggops, and none of a
/// candidate whose cost is an estimate.
std::vector<explained_run> explained_runs(const choice& made, const any_model& model, const shape_request& shape,
                                          const price_conditions& when) {
    std::vector<explained_run> runs;
    if (std::holds_alternative<loggops_model>(model)) return runs;
    for (const choice::candidate& one : made.candidates) {
        if (runs.size() == 2 || one.is_estimate) break;
        if (!runs.empty() && one.cost == runs.front().candidate->cost) continue;
        const any_schedule s = one.entry->make(one.parameters);
        const execution_graph graph(s, shape.how);
        const auto paths = shape.network ? shape.network->paths(s) : link_queue_model::router();
        runs.push_back({&one, report_path(model, shape.cluster, shape.network, s, graph, paths,
                                          {.start = when.starts, .binding = shape.how})});
    }
    return runs;
}

/// Prints why the first candidate is cheaper than the next one, and where the time of the first goes.
void put_causes(std::span<const explained_run> runs, bool irregular) {
    const auto name = [&](std::size_t i) { return schedule_name(runs[i].candidate->entry->info, irregular); };
    if (!runs.empty()) put_line("");
    if (runs.size() > 1) put_line(difference_text(runs[0].report, name(1), runs[1].report));
    if (!runs.empty()) put_line(fmt::format("{} takes {}", name(0), time_text(runs[0].report)));
}

void put_choice_json(const choice& made, const shape& given, bool irregular, std::span<const explained_run> runs) {
    const std::string ended = made.unfinished.empty() ? ""
                                                      : fmt::format(R"(,"unfinished":{},"unpriced":{})",
                                                                    made.unfinished.size(), unpriced_algorithms(made));
    for (const choice::candidate& one : made.candidates) {
        const auto run = std::ranges::find(runs, &one, &explained_run::candidate);
        put_line(fmt::format(R"({{"schedule":{},"parameters":{},"cost_us":{},"reason":{}{}{}}})",
                             json_text(schedule_name(one.entry->info, irregular)), chosen_json(one, given),
                             microseconds(one.cost), json_text(reason(made, one, given)), ended,
                             run != runs.end() ? "," + path_json(run->report) : ""));
    }
}

std::string refusal_text(const argument_error& error) {
    if (error.argument == std::string_view("edges")) return fmt::format("not priced: more than {} edges", most_edges);
    if (error.argument == std::string_view("--save"))
        return "refused: lacks the class for other sizes or numbers of ranks, for which the saved row is too";
    return fmt::format("refused: {}", text_of_refusal(error));
}

/// Prints the cheapest candidate; with `explain` all candidates, then the algorithms that are none.
void put_choice(const choice& made, const shape& given, bool irregular, bool explain) {
    text_table table({{"schedule"}, {"cost_us", text_table::side::right}, {"reason"}});
    for (const choice::candidate& one : made.candidates) {
        const bool best = &one == &made.candidates.front();
        if (best || explain)
            table.add({schedule_name(one.entry->info, irregular), microseconds(one.cost), reason(made, one, given)},
                      best ? text_style::best : text_style::plain);
    }
    if (explain) {
        for (const choice::unfinished_search& one : made.unfinished)
            if (!one.priced)
                table.add({schedule_name(one.entry->info, irregular), "-",
                           one.bound > 0
                               ? fmt::format("not priced in time; at least {} by default", microseconds(one.bound))
                               : "not priced in time"});
        for (const choice::refusal& one : made.refused)
            table.add({schedule_name(one.entry->info, irregular), "-", refusal_text(one.error)});
    }
    table.print();
}

/// Returns the search with the least lower bound, or null.
const choice::unfinished_search* least_bound(const choice& made) {
    const choice::unfinished_search* least = nullptr;
    for (const choice::unfinished_search& one : made.unfinished)
        if (one.bound > 0 && (least == nullptr || one.bound < least->bound)) least = &one;
    return least;
}

/// Prints an algorithm that was not priced in time.
void put_unpriced(const choice::unfinished_search& least, std::size_t unfinished, bool irregular, bool json) {
    const std::string name = schedule_name(least.entry->info, irregular);
    const std::string why =
        fmt::format("best so far by lower bounds, {} unfinished: takes at least {} us; nothing was priced in time",
                    counted(unfinished, "search", "searches"), microseconds(least.bound));
    if (json)
        return put_line(fmt::format(
            R"({{"schedule":{},"parameters":{{}},"cost_us":null,"reason":{},"unfinished":{},"unpriced":{}}})",
            json_text(name), json_text(why), unfinished, unfinished));
    text_table table({{"schedule"}, {"cost_us", text_table::side::right}, {"reason"}});
    table.add({name, "-", why});
    table.print();
}

/// Returns the error of a search that has priced no schedule in time, with the least lower bound.
usage_error not_in_time(const choice& made, const choose_options& options) {
    std::string expected = "more seconds: no schedule was priced in time";
    const choice::unfinished_search* const least = least_bound(made);
    if (least != nullptr) expected += fmt::format(", each takes at least {} us", microseconds(least->bound));
    return {"--budget", options.search.budget.given() ? options.search.budget.text() : "the default", expected};
}

/// Returns the error of schedules with too many edges.
usage_error edge_limit_error(const shape_request& shape) {
    if (!shape.segment)
        return {"--ranks", std::to_string(shape.ranks.first), fmt::format("schedules of at most {} edges", most_edges)};
    return {"--segment", std::to_string(*shape.segment), fmt::format("segments for at most {} edges", most_edges)};
}

/// Returns the error of a request without candidates.
usage_error no_candidate(const choice& made, const choice::request& request, const shape_request& shape) {
    const argument_error& error = made.refused.front().error;
    const rank_t p = shape.ranks.first;
    if (error.argument == std::string_view("path") && shape.network) return shape.network->file().mistake(error);
    if (request.bits != association_class::any) {
        const auto has = [](const char* argument) {
            return [=](const choice::refusal& one) { return one.error.argument == std::string_view(argument); };
        };
        for (const char* size : {"price", "bytes", "block"})
            if (const auto found = std::ranges::find_if(made.refused, has(size)); found != made.refused.end())
                return usage_error(found->error, p);
        if (too_large(made) == 0 && std::ranges::any_of(made.refused, has("association")))
            return {"--bits", name_of(request.bits), "a class that a schedule of this shape has"};
        if (too_large(made) > 0) return edge_limit_error(shape);
    }
    return error.argument == std::string_view("edges") ? edge_limit_error(shape) : usage_error(error, p);
}

/// Counts algorithms whose plans the end of the time left out as unfinished searches.
void keep_unplanned(choice& made, const std::vector<const algorithm_entry*>& unplanned) {
    for (const algorithm_entry* const entry : unplanned) {
        std::erase_if(made.refused, [&](const choice::refusal& one) { return one.entry == entry; });
        made.unfinished.push_back({.entry = entry});
    }
}

/// Takes the algorithms that cannot be rows of a table with this class out of a list. Returns them.
std::vector<algorithm_entry> take_no_rows(std::vector<algorithm_entry>& entries, association_class bits) {
    const auto others =
        std::ranges::stable_partition(entries, [&](const algorithm_entry& entry) { return may_be_row(entry, bits); });
    std::vector<algorithm_entry> taken(others.begin(), others.end());
    entries.erase(others.begin(), others.end());
    return taken;
}

/// Returns the time of a row's choice for the ranks and bytes of a request, whose operation is commutative.
picoseconds time_of(const decision& row, choice::request request, const schedule_price& price) {
    request.keeps_order = false;
    request.bits = row.association;
    const decision::result made = decide(std::span(&row, 1), request, compiled::whole_registry());
    return made.row == nullptr ? unpriced : price(made.entry->make(made.parameters), unpriced);
}

/// Adds the choice to the table --save, as the row from these ranks and bytes on.
void save_choice(const choose_options& options, const shape_request& shape, const choice::request& request,
                 const choice::candidate& best, const schedule_price& price) {
    decision row = row_of(best, table_bytes(request));
    row.ranks_per_node = ranks_per_node(shape, request);
    row.association = request.bits;
    save_decision("--save", options.save.text(), row, request.keeps_order,
                  [&](const decision& other) { return time_of(other, request, price); });
}

/// Returns the numbering along a cycle of the network, or the identity if no cycle is found or it is in the order of the
/// ranks.
permutation other_numbering(const given_network& network) {
    const topology::network::rank_cycle cycle = topology::find_rank_cycle(network.file().net);
    return std::ranges::is_sorted(cycle.order) ? permutation() : permutation(cycle.order);
}

/// Returns the algorithms whose messages go between neighbors of the ranks, in order.
std::vector<algorithm_entry> along_ranks(const std::vector<algorithm_entry>& entries, const choice::request& request) {
    std::vector<algorithm_entry> found;
    for (const algorithm_entry& entry : entries)
        if (takes_numbering(entry) && is_along_ranks(entry.make(request.parameters))) found.push_back(entry);
    return found;
}

/// Adds the candidates of another choice, whose ranks are numbered in another way.
void add_candidates(choice& made, const choice& numbered) {
    for (const choice::candidate& one : numbered.candidates)
        made.candidates.insert(std::ranges::upper_bound(made.candidates, one.cost, {}, &choice::candidate::cost), one);
    made.unfinished.insert(made.unfinished.end(), numbered.unfinished.begin(), numbered.unfinished.end());
    made.left_out += numbered.left_out;
}

int choose_one(const choose_options& options) {
    shape_request shape = options.shape.read();
    shape.cluster_serves_model = shape.network_serves_model = true;
    if (options.table.given()) return look_up(options, shape);
    choice::resources use = options.search.read();
    const any_model model = read_model("--model", model_text(options.model, shape.network));
    check_cluster(model, shape.cluster, shape.network);
    occupy_latencies(model, shape.network);
    check_overheads(model, shape.cluster);
    const std::vector<listed_schedule> listed = candidates_of(shape);
    const rank_t p = shape.ranks.first;
    const search_time time(options.search.read_budget(p));
    constexpr rank_t most_ranks = 65'536;
    if (p > most_ranks) throw usage_error("--ranks", std::to_string(p), fmt::format("1 to {}", most_ranks));
    if (shape.network) shape.network->end_plans(time.is_over());
    choice::request request = request_of(options, shape, listed.front());
    request.least_segment = least_segment(model);
    std::vector<algorithm_entry> entries = entries_of(listed);
    const std::vector<algorithm_entry> no_rows =
        options.save.given() ? take_no_rows(entries, request.bits) : std::vector<algorithm_entry>();
    given_network::left_out unplanned;
    // Plans are for the ranks as the network numbers them.
    if (shape.network && !shape.numbering) unplanned = shape.network->plan(request, entries);
    const price_conditions when{shape.how, options.starts.read(shape.ranks, model), time.is_over(), time.is_late()};
    const schedule_price price = price_of(model, shape.cluster, shape.network, p, when);
    progress_line progress(options.json.given());
    const watched_price watched{price, progress};
    use.is_over = price.has_estimates() ? time.is_over() : time.is_late();
    choice made = choose(request, std::span(entries), watched, use);
    keep_unplanned(made, unplanned.late);
    choice::request along = request;
    if (std::holds_alternative<model_of_network>(model) && !shape.numbering && !options.save.given())
        along.parameters.numbering = other_numbering(*shape.network);
    const bool numbers = !(along.parameters.numbering == request.parameters.numbering);
    const std::vector<algorithm_entry> numbered = numbers ? along_ranks(entries, request) : entries_of({});
    if (numbers) add_candidates(made, choose(along, std::span(numbered), watched, use));
    progress.erase();
    if (made.candidates.empty() && !made.unfinished.empty()) {
        const choice::unfinished_search* const least = least_bound(made);
        if (least == nullptr || options.save.given()) throw not_in_time(made, options);
        put_unpriced(*least, made.unfinished.size(), listed.front().irregular, options.json.given());
        return success;
    }
    if (made.candidates.empty() && unplanned.failure) std::rethrow_exception(unplanned.failure);
    if (made.candidates.empty()) throw no_candidate(made, request, shape);
    const bool irregular = listed.front().irregular;
    if (options.save.given() && irregular) throw usage_error("--save", shape.name, "a collective with a table");
    if (options.save.given()) {
        if (made.candidates.front().is_estimate) throw not_in_time(made, options);
        save_choice(options, shape, request, made.candidates.front(), price);
        for (const algorithm_entry& entry : no_rows)
            made.refused.push_back({&entry, {"--save", 0, "a row of a table"}});
    }
    const std::vector<explained_run> runs =
        options.explain.given() ? explained_runs(made, model, shape, when) : std::vector<explained_run>();
    if (options.json.given()) {
        put_choice_json(made, request.parameters, irregular, runs);
    } else {
        put_choice(made, request.parameters, irregular, options.explain.given());
        put_causes(runs, irregular);
    }
    return success;
}

}  // namespace

command add_choose(CLI::App& program) {
    return make_command<choose_options>(
        program,
        {.name = "choose",
         .phrase = "cheapest algorithm for a shape under a cost model",
         .sentence = "Finds the cheapest algorithm of a collective for a shape, by simulation under a cost model.",
         .usage = {"choose COLLECTIVE SHAPE... --model MODEL [--cluster FILE | --network FILE] [--starts FILE] "
                   "[--keep-order] [--bits CLASS] "
                   "[--every-setting] [--explain] [--save FILE] [--json] [--threads N] [--budget SECONDS]",
                   "choose COLLECTIVE SHAPE... --table FILE [--keep-order] [--bits CLASS] [--json]"},
         .examples = {"choose allreduce --ranks 16 --bytes 65536 --model loggp:L_us=1,o_us=0.5,g_us=0.5,G_ns=0.1",
                      "choose reduce --ranks 12 --bytes 8192 --model hockney:alpha_us=1,beta_ns=0.1 --bits canonical",
                      "choose broadcast --cluster cluster.json --bytes 4096 --model lob --explain",
                      "choose allgather --network network.json --bytes 1000000"},
         .notes = model_notes},
        choose_one);
}
