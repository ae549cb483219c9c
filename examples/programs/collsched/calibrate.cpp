#include "collsched/execute/calibrate.hpp"

#include <algorithm>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "collsched/execute/thread_fabric.hpp"
#include "collsched/format.hpp"
#include "commands.hpp"
#include "forked_run.hpp"
#include "options.hpp"
#include "text_output.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

struct calibrate_options {
    explicit calibrate_options(CLI::App& command)
        : on(command, option_group::other, "--on", "threads|processes", "transport to measure"),
          file(command, option_group::output, "--file", "FILE", "additional file for the model, for --model @FILE"),
          intra_node(command, option_group::output, "--intra-node",
                     "options of --cluster for the links within a node, in place of the model"),
          json(command, option_group::output, "--json",
               "one JSON object with the transport, the model, and the links within a node of a cluster file") {}
    text_option on, file;
    flag_option intra_node, json;
};

using measurement = decltype(calibrate(std::declval<process_group::transport&>(), 0, 1));

measurement between_threads() {
    thread_fabric fabric(2);
    measurement made;
    std::jthread other([&] {
        auto end = fabric.at(1);
        calibrate(end, 1, 0);
    });
    auto end = fabric.at(0);
    made = calibrate(end, 0, 1);
    return made;
}

measurement between_processes() {
    const shared_pages page(sizeof(measurement));
    auto& made = *new (page.bytes().data()) measurement();
    made.error = -1;  // until the file is written
    run_forked(2, [&](process_group::transport& over, rank_t rank) {
        const measurement mine = calibrate(over, rank, 1 - rank);
        if (rank == 0) made = mine;
    });
    return made;
}

int calibrate_one(const calibrate_options& options) {
    const std::string on = options.on.text();
    if (options.intra_node.given() && options.json.given())
        throw usage_error::conflict(options.intra_node.name(), options.json.name());
    if (on != "threads" && on != "processes") throw usage_error("--on", on, "threads, processes");
    const measurement made = on == "threads" ? between_threads() : between_processes();
    if (made.error != 0) {
        std::fputs(fmt::format("collsched: {}: error {} of the transport\n", on, made.error).c_str(), stderr);
        return refused;
    }
    const std::string text = model_text(made.model);
    if (options.file.given())
        write_file("--file", options.file.text(),
                   [&](text_output::iterator out) { fmt::format_to(out, "# two {} of one node\n{}\n", on, text); });
    const double latency_us = static_cast<double>(made.model.latency_ps) / 1e6;
    const double MBps = 1e9 / static_cast<double>(std::max<std::int64_t>(made.model.byte_fs, 1));
    if (options.json.given())
        put_line(fmt::format(R"({{"on":"{}","model":{},"intra_node":{{"latency_us":{},"bandwidth_MBps":{:.0f}}}}})", on,
                             json_text(text), latency_us, MBps));
    else if (options.intra_node.given())
        put_line(fmt::format("--intra-node-latency-us {} --intra-node-bandwidth-MBps {:.0f}", latency_us, MBps));
    else put_line(text);
    return success;
}

}  // namespace

command add_calibrate(CLI::App& program) {
    return make_command<calibrate_options>(
        program,
        {.name = "calibrate",
         .phrase = "measured LogGP model of this node",
         .sentence = "Measures a LogGP model between two threads or processes of this node, in the format of --model.",
         .usage = {"calibrate --on threads|processes [--file FILE] [--intra-node | --json]"},
         .examples = {"calibrate --on threads", "calibrate --on processes --file node.model"},
         .notes = {"The example mpi_calibrate measures the same over MPI."}},
        calibrate_one);
}
