#include <memory>
#include <string>

#include <fmt/format.h>

#include "collsched/format.hpp"
#include "collsched/simulate.hpp"
#include "commands.hpp"
#include "limits.hpp"
#include "shape_options.hpp"
#include "text_output.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

struct show_options {
    explicit show_options(CLI::App& command)
        : name(command, "NAME", "", "a schedule of 'collsched list'"),
          shape(command, shape_options::takes::one_p),
          json(command, "--json", "as JSON Lines: a header, then a line an edge"),
          svg(command, "--svg", "FILE", "draw it to FILE"),
          goal(command, "--goal", "FILE", "as a GOAL program, which LogGOPSim reads, to FILE"),
          rank(command, "--rank", "R", "only what rank R does, whatever the number of ranks") {}

    text_option name;
    shape_options shape;
    flag_option json;
    text_option svg, goal, rank;
};

void show_rank(const show_options& options, const std::string& name, const any_schedule& s) {
    const rank_t rank = options.rank.number(0, 0);
    if (rank >= s.ranks) throw usage_error("--rank", options.rank.text(), fmt::format("0 to {}", s.ranks - 1));
    if (options.json.given()) write_json_lines(standard_output().out(), s, name, rank);
    else write_text(standard_output().out(), s, name, rank);
}

void draw(const show_options& options, const std::string& name, const any_schedule& s, binding how) {
    constexpr rank_t most_rows = 1024;
    if (s.ranks > most_rows)
        throw usage_error("--ranks", std::to_string(s.ranks), fmt::format("1 to {} for a picture", most_rows));
    refuse_beyond(s, 17, " and this is a picture");
    const stored_schedule stored = materialise(s);
    write_file("--svg", options.svg.text(), [&](text_output::iterator out) { write_svg(out, stored, name, how); });
}

void write_program(const show_options& options, const any_schedule& s, binding how) {
    refuse_beyond(s, 22, " and this is a GOAL program");
    const goal_program program(execution_graph(s, how));
    write_file("--goal", options.goal.text(), [&](text_output::iterator out) { write_goal(out, program); });
}

/// At most one of these, and beside --rank only the first.
void refuse_together(const show_options& options) {
    if (options.json.given() && options.svg.given())
        throw usage_error("--svg", options.svg.text(), "one of --json and --svg");
    if (options.goal.given() && (options.json.given() || options.svg.given()))
        throw usage_error("--goal", options.goal.text(), "one of --json, --svg and --goal");
    if (options.rank.given() && options.svg.given())
        throw usage_error("--rank", options.rank.text(), "no --svg beside it: pictures show all ranks");
    if (options.rank.given() && options.goal.given())
        throw usage_error("--rank", options.rank.text(), "no --goal beside it: a program is of all ranks");
}

int show(const show_options& options) {
    const listed_schedule& which = find_schedule(options.name.text());
    refuse_together(options);
    const shape_request shape = options.shape.read();
    const any_schedule s = shape.as_bound(shape.make_one(which));
    if (options.rank.given()) {
        show_rank(options, which.name, s);
    } else if (options.svg.given()) {
        draw(options, which.name, s, shape.how);
    } else if (options.goal.given()) {
        write_program(options, s, shape.how);
    } else {
        refuse_beyond(s, 26, "; --rank R shows one rank of any number");
        const stored_schedule stored = materialise(s);
        if (options.json.given()) write_json_lines(standard_output().out(), stored, which.name);
        else refuse_large_replay(s), write_text(standard_output().out(), stored, which.name, shape.how);
    }
    return success;
}

}  // namespace

command add_show(CLI::App& program) {
    CLI::App* parser = program.add_subcommand("show", "the edges of a schedule: as text, as JSON Lines, as a picture");
    const auto options = std::make_shared<show_options>(*parser);
    return {parser, [options] { return show(*options); }};
}
