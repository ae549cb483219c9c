#pragma once

#include <functional>

namespace CLI {
class App;
}

/// A command of the program: its options and its action. run() returns the exit status.
struct command {
    CLI::App* parser;
    std::function<int()> run;
};

command add_list(CLI::App& program);
command add_show(CLI::App& program);
command add_verify(CLI::App& program);
command add_metrics(CLI::App& program);
command add_simulate(CLI::App& program);
command add_choose(CLI::App& program);
command add_table(CLI::App& program);
command add_calibrate(CLI::App& program);
command add_plan(CLI::App& program);
command add_run(CLI::App& program);
command add_study(CLI::App& program);
command add_gallery(CLI::App& program);
