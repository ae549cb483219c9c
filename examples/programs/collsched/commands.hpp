#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "help.hpp"

/// A command of the program: its options, its action and its help. run() returns the exit status.
struct command {
    CLI::App* parser;
    std::function<int()> run;
    command_text text;
};

/// Adds a command whose options are an object of type Options.
template <class Options>
command make_command(CLI::App& program, command_text text, int (*run)(const Options&)) {
    CLI::App* const parser = add_command(program, text);
    const auto options = std::make_shared<Options>(*parser);
    return {parser, [options, run] { return run(*options); }, std::move(text)};
}

command add_list(CLI::App& program);
command add_show(CLI::App& program);
command add_verify(CLI::App& program);
command add_metrics(CLI::App& program);
command add_bound(CLI::App& program);
command add_synthesize(CLI::App& program);
command add_simulate(CLI::App& program);
command add_choose(CLI::App& program);
command add_table(CLI::App& program);
command add_explain(CLI::App& program);
command add_calibrate(CLI::App& program);
command add_fit(CLI::App& program);
command add_plan(CLI::App& program);
command add_run(CLI::App& program);
command add_study(CLI::App& program);
command add_gallery(CLI::App& program);
/// Completes the commands that the program has when the command runs.
command add_completion(CLI::App& program);
