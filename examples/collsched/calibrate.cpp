#include "collsched/execute/calibrate.hpp"

#include <memory>
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
        : on(command, "--on", "TRANSPORT", "threads or processes; MPI: the example mpi_calibrate"),
          file(command, "--file", "FILE", "the model to this file too, for --model @FILE") {}
    text_option on, file;
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
    if (on != "threads" && on != "processes") throw usage_error("--on", on, "threads, processes");
    const measurement made = on == "threads" ? between_threads() : between_processes();
    if (made.error != 0) {
        std::fputs(fmt::format("collsched: {}: error {} of the transport\n", on, made.error).c_str(), stderr);
        return refused;
    }
    const std::string text = model_text(made.model);
    if (options.file.given())
        write_file("--file", options.file.text(),
                   [&](text_output::iterator out) { fmt::format_to(out, "# two {} of this machine\n{}\n", on, text); });
    put_line(text);
    return success;
}

}  // namespace

command add_calibrate(CLI::App& program) {
    CLI::App* parser = add_command(program, "calibrate", "a LogGP model of a transport on this machine, measured");
    const auto options = std::make_shared<calibrate_options>(*parser);
    return {parser, [options] { return calibrate_one(*options); }};
}
