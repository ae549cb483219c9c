#include <cstdint>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "collsched/format.hpp"
#include "collsched/verify.hpp"
#include "commands.hpp"
#include "limits.hpp"
#include "shape_options.hpp"
#include "terminal.hpp"
#include "text_output.hpp"
#include "texts/metrics_text.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

struct metrics_options {
    explicit metrics_options(CLI::App& command)
        : shape(command, shape_options::takes::range),
          json(command, option_group::output, "--json", "one JSON object per number of ranks") {}

    shape_options shape;
    flag_option json;
};

/// Rejects pipelines whose edges take minutes to count.
void refuse_many_segments(const any_schedule& s, const shape_request& shape) {
    constexpr std::int64_t most = std::int64_t{1} << 28;
    if (!shape.segment || s.ranks * s.steps() <= most) return;
    throw usage_error("--segment", std::to_string(*shape.segment),
                      fmt::format("segments for at most {} edges, one per rank and step; {} ranks have {} steps", most,
                                  s.ranks, s.steps()));
}

/// Returns the class of a reduction; nothing for other collectives, a wrong schedule, and more than 2^20 transfers.
std::optional<association_class> association_of(const any_schedule& s, const metrics_report& counted, binding how) {
    if (!reduces(s.contract().collective) || counted.transfers > std::int64_t{1} << 20) return std::nullopt;
    const association_report found = association(s, how);
    return found.proof.ok() ? std::optional(found.level) : std::nullopt;
}

int measure(const metrics_options& options) {
    const shape_request shape = options.shape.read();
    progress_line progress(options.json.given());
    shape.for_each([&](const std::string& name, const any_schedule& made) {
        const any_schedule s = shape.as_bound(made);
        refuse_beyond(s, 34, "");  // so that the product of ranks and steps fits
        refuse_many_segments(s, shape);
        progress.show(fmt::format("{}, {} ranks, {} steps", name, s.ranks, s.steps()));
        const metrics_report counted = metrics(s);
        const std::optional<association_class> level = association_of(made, counted, shape.how);
        progress.erase();
        if (options.json.given()) texts::write_metrics_json(standard_output().out(), counted, name, level);
        else texts::write_metrics(standard_output().out(), counted, name, level);
    });
    return success;
}

}  // namespace

command add_metrics(CLI::App& program) {
    return make_command<metrics_options>(
        program,
        {.name = "metrics",
         .phrase = "rounds, messages and bytes of a schedule, beside lower bounds",
         .sentence = "Counts the rounds, messages, bytes and memory of a schedule, and prints lower bounds.",
         .usage = {"metrics NAME SHAPE... [--json]"},
         .examples = {"metrics allgather/ring --ranks 8",
                      "metrics broadcast/binomial --ranks 2..8 --bytes 1024 --json"}},
        measure);
}
