#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "collsched/format.hpp"
#include "collsched/simulate.hpp"
#include "commands.hpp"
#include "limits.hpp"
#include "shape_options.hpp"
#include "text_output.hpp"
#include "texts/write_c_table.hpp"
#include "texts/write_chakra.hpp"
#include "texts/write_dot.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

/// Returns the options that change the size that exceeds a limit of a GPU library.
std::string remedy(std::string_view what, const any_schedule& s, const shape_request& shape) {
    constexpr std::string_view chunks[] = {"parts", "steps", "XML nodes", "offsets", "chunks", "operations"};
    if (shape.file) return "";
    if (std::ranges::find(chunks, what) == std::end(chunks))
        return shape.network ? "; --trees makes fewer trees" : "; fewer --ranks have fewer";
    const bool pipelined = find_schedule(shape.name).entry->takes(&shape::segment);
    return fmt::format(
        "; a chunk is the largest size that divides all edges: pass a larger --element that divides the {}{}",
        moves_blocks(s.contract().collective) ? "block" : "message",
        pipelined ? ", and a larger --segment that divides it too" : "");
}

/// Attributes limits of GPU libraries to the schedule's name.
template <class Write>
void write_for_gpus(const std::string& name, const any_schedule& s, const shape_request& shape, Write write) {
    try {
        write();
    } catch (const bad_argument& wrong) {
        const argument_error& why = wrong.error();
        const std::string_view what = why.argument;
        if (what == "collective") throw usage_error("NAME", name, fmt::format("one of {}", why.expected));
        constexpr std::string_view limits[] = {"parts",   "steps",  "thread blocks", "XML nodes", "channels", "awaited",
                                               "offsets", "chunks", "operations",    "peers",     "buffers"};
        if (std::ranges::find(limits, what) == std::end(limits)) throw;
        const std::string owner = why.index < 0 ? "this" : fmt::format("rank {}", why.index);
        throw usage_error(
            "NAME", name,
            fmt::format("one of {}; {} has {}{}", why.expected, owner, why.value, remedy(what, s, shape)));
    }
}

/// A file format for whole schedules.
struct file_format {
    const char* option;
    const char* what;     ///< phrase in the help text: "a picture of the schedule"
    const char* article;  ///< phrase in error messages: "a picture"
    int log2_cells;       ///< largest number of (rank, step) pairs
    rank_t most_ranks;
    void (*write)(text_output::iterator, const any_schedule&, const std::string& name, binding how);
    bool per_rank = false;  ///< a file PREFIX.RANK.et per rank, by write_traces()
    bool for_gpus = false;  ///< for a library with limits
};

constexpr rank_t any_ranks = std::numeric_limits<rank_t>::max();

constexpr file_format formats[] = {
    {"--svg", "a picture of the schedule", "a picture", 17, 1024,
     [](text_output::iterator out, const any_schedule& s, const std::string& name, binding how) {
         write_svg(out, materialize(s), name, how);
     }},
    {"--html", "a page that steps through the schedule", "a page", 14, 128,
     [](text_output::iterator out, const any_schedule& s, const std::string& name, binding how) {
         const stored_schedule stored = materialize(s);
         refuse_crowded_page(stored);
         write_html(out, stored, name, how);
     }},
    {"--goal", "a GOAL program, for LogGOPSim", "a GOAL program", 22, any_ranks,
     [](text_output::iterator out, const any_schedule& s, const std::string&, binding how) {
         write_goal(out, goal_program(execution_graph(s, how)));
     }},
    {"--dot", "a directed graph, for Graphviz", "a graph", 20, any_ranks,
     [](text_output::iterator out, const any_schedule& s, const std::string& name, binding) {
         texts::write_dot(out, materialize(s), name);
     }},
    {"--msccl", "an XML program for MSCCL", "an MSCCL program", 20, 1024,
     [](text_output::iterator out, const any_schedule& s, const std::string& name, binding how) {
         write_msccl(out, msccl_program(s, how, msccl_program::loader::msccl), name, how);
     },
     false, true},
    {"--rccl", "an XML program for RCCL", "an MSCCL program", 20, 1024,
     [](text_output::iterator out, const any_schedule& s, const std::string& name, binding how) {
         write_msccl(out, msccl_program(s, how, msccl_program::loader::rccl), name, how);
     },
     false, true},
    {"--mscclpp", "an execution plan for MSCCL++", "an MSCCL++ plan", 20, 1024,
     [](text_output::iterator out, const any_schedule& s, const std::string& name, binding how) {
         write_mscclpp(out, s, name, how);
     },
     false, true},
    {"--c", "a header of C11 with the edges as tables", "a table", 24, any_ranks,
     [](text_output::iterator out, const any_schedule& s, const std::string& name, binding) {
         texts::write_c_table(out, materialize(s), name);
     }},
    {"--chakra", "Chakra execution traces PREFIX.RANK.et, for ASTRA-sim", "traces", 22, 65'536, nullptr, true},
};

struct show_options {
    explicit show_options(CLI::App& command)
        : shape(command, shape_options::takes::one_p),
          json(command, option_group::output, "--json", "JSON Lines: a header, then one JSON object per edge"),
          rank(command, option_group::output, "--rank", "R",
               "one rank's edges only, for any number of ranks (default: all ranks)") {
        for (const file_format& one : formats)
            files.emplace_back(command, option_group::output, one.option, one.per_rank ? "PREFIX" : "FILE",
                               fmt::format("file{} for {}", one.per_rank ? "s" : "", one.what));
    }

    shape_options shape;
    flag_option json;
    text_option rank;
    std::vector<text_option> files;  ///< one per format
};

/// Reads the rank before anything is made for so many ranks.
rank_t read_rank(const text_option& option, rank_t ranks) {
    const rank_t rank = option.number(0, 0);
    if (rank >= ranks) throw usage_error("--rank", option.text(), fmt::format("0 to {}", ranks - 1));
    return rank;
}

void show_rank(const show_options& options, const std::string& name, const any_schedule& s, rank_t rank,
               const edge_path::names& paths) {
    if (options.json.given()) write_json_lines(standard_output().out(), s, name, rank, paths);
    else write_text(standard_output().out(), s, name, rank);
}

void write_traces(const std::string& argument, const std::string& prefix, const any_schedule& s, binding how) {
    const goal_program program{execution_graph(s, how)};
    for (rank_t r = 0; r < program.ranks(); ++r)
        write_file(argument, fmt::format("{}.{}.et", prefix, r),
                   [&](text_output::iterator out) { texts::write_chakra(out, program, r); });
}

/// Writes a page that shows the messages on the network, too.
void write_network_page(text_output::iterator out, const named_any_schedule& one, const shape_request& shape) {
    const stored_schedule stored = materialize(one.schedule);
    refuse_crowded_page(stored);
    const link_queue_model links = shape.network->model(shape.paths_of(one.schedule));
    if (const argument_error error = check_routes(stored, links, shape.how)) throw shape.network->file().mistake(error);
    write_html(out, stored, one.name, shape.how, {}, &links);
}

void write(const file_format& format, const std::string& path, const named_any_schedule& one,
           const shape_request& shape) {
    if (one.schedule.ranks > format.most_ranks)
        throw usage_error("--ranks", std::to_string(one.schedule.ranks),
                          fmt::format("1 to {} for {}", format.most_ranks, format.article));
    refuse_beyond(one.schedule, format.log2_cells, fmt::format(", for {}", format.article).c_str());
    if (format.per_rank) return write_traces(format.option, path, one.schedule, shape.how);
    const bool on_network = shape.network && shape.network_serves_model;
    const auto write_all = [&] {
        write_file(format.option, path, [&](text_output::iterator out) {
            if (on_network) write_network_page(out, one, shape);
            else format.write(out, one.schedule, one.name, shape.how);
        });
    };
    if (format.for_gpus) write_for_gpus(one.name, one.schedule, shape, write_all);
    else write_all();
}

/// Returns the given one of --json and the file options; null if none is given. With --rank no file is allowed.
const text_option* chosen_file(const show_options& options) {
    const text_option* chosen = nullptr;
    std::string all = "--json";
    for (const text_option& one : options.files) all += ", " + one.name();
    for (const text_option& one : options.files) {
        if (!one.given()) continue;
        if (chosen != nullptr || options.json.given()) throw usage_error(one.name(), one.text(), "one of " + all);
        if (options.rank.given()) throw usage_error::conflict("--rank", one.name());
        chosen = &one;
    }
    return chosen;
}

/// Also prints the blocks that every rank holds after each step.
void show_text(const stored_schedule& stored, const named_any_schedule& one, binding how) {
    refuse_large_replay(one.schedule);
    write_text(standard_output().out(), stored, one.name, how);
}

int show(const show_options& options) {
    const text_option* const file = chosen_file(options);
    shape_request shape = options.shape.read();
    shape.network_serves_model = shape.network && file != nullptr && file->name() == "--html";
    const rank_t rank = read_rank(options.rank, shape.ranks.first);
    const named_any_schedule one = shape.make_one();
    const auto paths = [&] { return shape.path_names(one.schedule); };
    if (options.rank.given()) {
        show_rank(options, one.name, one.schedule, rank, paths());
    } else if (file != nullptr) {
        write(formats[file - options.files.data()], file->text(), one, shape);
    } else {
        refuse_beyond(one.schedule, 26, "; --rank R prints one rank's edges for any number of ranks");
        const stored_schedule stored = materialize(one.schedule);
        if (options.json.given()) write_json_lines(standard_output().out(), stored, one.name, paths());
        else show_text(stored, one, shape.how);
    }
    return success;
}

}  // namespace

command add_show(CLI::App& program) {
    return make_command<show_options>(
        program,
        {.name = "show",
         .phrase = "edges of a schedule, as text, JSON, a picture or a program",
         .sentence = "Shows the edges of a schedule, step by step, or writes them to a file.",
         .usage = {"show NAME SHAPE... [--rank R] [--json | --svg FILE | --html FILE | --goal FILE | --dot FILE | "
                   "--msccl FILE | --rccl FILE | --mscclpp FILE | --c FILE | --chakra PREFIX]"},
         .examples = {"show allgather/ring --ranks 4", "show allreduce/ring --ranks 8 --bytes 1024 --svg ring.svg"}},
        show);
}
