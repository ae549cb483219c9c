#include "collsched/simulate.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/transform.hpp>

#include "collsched/format.hpp"
#include "commands.hpp"
#include "limits.hpp"
#include "model_option.hpp"
#include "path_report.hpp"
#include "pictures/write_path_svg.hpp"
#include "pictures/write_timeline_svg.hpp"
#include "shape_options.hpp"
#include "starts_option.hpp"
#include "text_output.hpp"
#include "text_table.hpp"
#include "texts/write_trace.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

struct simulate_options {
    explicit simulate_options(CLI::App& command)
        : shape(command, shape_options::takes::range_of_all),
          model(command, option_group::model, "--model", "MODEL", model_help),
          starts(command),
          json(command, option_group::output, "--json", "one JSON object per schedule and number of ranks"),
          path(command, option_group::output, "--path",
               "critical path: the chain of operations that determines the completion time"),
          trace(command, option_group::output, "--trace", "FILE", "file for a trace of one simulation, for Perfetto"),
          svg(command, option_group::output, "--svg", "FILE", "file for a picture of one simulation, ranks over time"),
          path_svg(command, option_group::output, "--path-svg", "FILE",
                   "file for a picture of the critical path of one simulation") {}

    shape_options shape;
    text_option model;
    starts_option starts;
    flag_option json, path;
    text_option trace, svg, path_svg;
};

/// All edges are held in memory, so they are counted first.
void refuse_many_edges(const std::string&, const any_schedule& s) {
    constexpr std::int64_t most = std::int64_t{1} << 22;
    refuse_beyond(s, 34, "");
    if (edges_up_to(s, most) > most)
        throw usage_error("--ranks", std::to_string(s.ranks), "ranks whose schedules have up to 2^22 edges");
}

void put_json(const simulation& run, const std::string& name, const std::string& model) {
    const auto times = run.finish | ranges::views::transform(microseconds) | ranges::to<std::vector>();
    put_line(fmt::format("{{\"schedule\":{},\"model\":{},\"finish_us\":[{}],\"completion_us\":{}}}", json_text(name),
                         json_text(model), fmt::join(times, ","), microseconds(run.completion)));
}

void add_row(text_table& table, const simulation& run, const std::string& name) {
    const picoseconds first = *std::min_element(run.finish.begin(), run.finish.end());
    const auto busiest = std::max_element(run.cpu_busy.begin(), run.cpu_busy.end());
    table.add({name, std::to_string(run.finish.size()), microseconds(run.completion), microseconds(first),
               std::to_string(busiest - run.cpu_busy.begin()), microseconds(*busiest)});
}

text_table time_table(const shape_request& shape) {
    constexpr auto right = text_table::side::right;
    return schedule_table(
        shape,
        {{"completion_us", right, 15}, {"first_us", right, 15}, {"busiest_rank", right}, {"busy_us", right, 15}});
}

simulation simulate_under(const any_model& model, const any_schedule& s, const shape_request& shape,
                          std::span<const picoseconds> starts) {
    const simulation::conditions begun{.start = starts, .binding = shape.how};
    if (const auto* alike = std::get_if<loggp_model>(&model)) return simulate(s, *alike, begun);
    if (const auto* simple = std::get_if<hockney_model>(&model)) return simulate(s, *simple, begun);
    if (const auto* goal = std::get_if<loggops_model>(&model))
        return simulate(goal_program(execution_graph(s, shape.how)), *goal);
    if (const auto* shared = std::get_if<contention_model>(&model))
        return simulate(execution_graph(s, shape.how), shape.cluster->sharing(*shared, s.ranks), starts);
    if (std::holds_alternative<model_of_network>(model)) return shape.network->simulated(s, shape.paths_of(s), begun);
    return simulate(s, shape.cluster->on(s.ranks), begun);
}

/// Repeats the run of a schedule and writes its times in all requested forms.
simulation watch_under(const any_model& model, const any_schedule& s, const std::string& name,
                       const shape_request& shape, const simulate_options& options,
                       std::span<const picoseconds> starts) {
    const execution_graph graph(s, shape.how);
    const auto paths = shape.network ? shape.paths_of(s) : link_queue_model::router();
    const path_report report =
        report_path(model, shape.cluster, shape.network, s, graph, paths, {.start = starts, .binding = shape.how});
    if (options.trace.given())
        write_file("--trace", options.trace.text(), [&](text_output::iterator out) {
            texts::write_trace(out, graph, report.run, report.steps, report.links);
        });
    if (options.svg.given())
        write_file("--svg", options.svg.text(), [&](text_output::iterator out) {
            pictures::write_timeline_svg(out, graph, report.run, report.steps,
                                         fmt::format("{}, {}", name, options.model.text()));
        });
    if (options.path_svg.given())
        write_file("--path-svg", options.path_svg.text(), [&](text_output::iterator out) {
            pictures::write_path_svg(out, graph, report.run.completion, report.steps, report.intervals, report.links,
                                     fmt::format("Critical path of {}, {}", name, options.model.text()),
                                     summary_text(report));
        });
    if (!options.path.given()) return report.run;
    texts::write_path(standard_output().out(), graph, report.run, report.steps, report.intervals, report.links);
    put_line(time_text(report));
    return report.run;
}

/// Returns whether times of every message are requested. Throws usage_error if the model does not provide them.
bool watches(const simulate_options& options, const shape_request& shape, const any_model& model) {
    const bool requested =
        options.path.given() || options.trace.given() || options.svg.given() || options.path_svg.given();
    if (requested && std::holds_alternative<loggops_model>(model))
        throw usage_error("--model", options.model.text(),
                          "loggp, hockney, lob, contention or queue, with --path, --trace, --svg, --path-svg");
    if (options.path.given() && options.json.given()) throw usage_error::conflict("--path", "--json");
    for (const text_option* file : {&options.trace, &options.svg, &options.path_svg})
        if (file->given() && (shape.name == "all" || shape.ranks.first != shape.ranks.last))
            throw usage_error(file->name(), file->text(), "one schedule on one number of ranks");
    return requested;
}

int simulate_all(const simulate_options& options) {
    shape_request shape = options.shape.read();
    const std::string text = model_text(options.model, shape.network);
    const any_model model = read_model("--model", text);
    shape.cluster_serves_model = needs_cluster(model);
    shape.network_serves_model = std::holds_alternative<model_of_network>(model);
    check_cluster(model, shape.cluster, shape.network);
    occupy_latencies(model, shape.network);
    const bool watched = watches(options, shape, model);
    const std::vector<picoseconds> starts = options.starts.read(shape.ranks, model);
    shape.for_each_largest(refuse_many_edges);
    text_table table = time_table(shape);
    shape.for_each([&](const std::string& name, const any_schedule& s) {
        refuse_many_edges(name, s);
        const simulation run =
            watched ? watch_under(model, s, name, shape, options, starts) : simulate_under(model, s, shape, starts);
        if (options.json.given()) return put_json(run, name, text);
        add_row(table, run, name);
        table.print();
    });
    return success;
}

}  // namespace

command add_simulate(CLI::App& program) {
    return make_command<simulate_options>(
        program,
        {.name = "simulate",
         .phrase = "completion time of a schedule under a cost model",
         .sentence = "Simulates a schedule under a cost model and prints the time at which its ranks finish.",
         .usage =
             {"simulate NAME|all SHAPE... --model MODEL [--cluster FILE | --network FILE] [--starts FILE] [--path] "
              "[--trace FILE] [--svg FILE] [--path-svg FILE] [--json]"},
         .examples = {"simulate allgather/ring --ranks 8 --block 1024 --model hockney:alpha_us=1,beta_ns=0.1",
                      "simulate broadcast/binomial --cluster cluster.json --bytes 4096 --model lob --path"},
         .notes = model_notes},
        simulate_all);
}
