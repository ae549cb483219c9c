#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "catalogue.hpp"
#include "collsched/tree/planners/all.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "text_output.hpp"
#include "usage_error.hpp"

namespace {

struct completion_options {
    explicit completion_options(CLI::App& command) : shell(command, "SHELL", "shell of the script: bash") {}
    text_option shell;
};

constexpr std::string_view script_begin = R"(# Completion of collsched in bash: source <(collsched completion bash)
_collsched_files() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$1")
}
_collsched() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=
    COMPREPLY=()
    if [[ $word == @* || $before == @ ]]; then  # a file with a schedule or a model; @ may be a word
        _collsched_files "${word#@}"
        [[ $word != @?* ]] || COMPREPLY=("${COMPREPLY[@]/#/@}")
        return
    fi
    if ((COMP_CWORD == 1)); then
)";

constexpr std::string_view script_middle = R"(        return
    fi
    case ${COMP_WORDS[1]} in
)";

constexpr std::string_view script_end = R"(    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -F _collsched collsched
)";

/// Returns the words separated by blanks.
std::string words_of(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

/// Returns the values that an argument may have: of a positional by its name, of an option by its unit with bars.
std::string values_of(const std::string& term) {
    if (term == "COLLECTIVE")
        return fmt::format("{} bcast reduce_scatter_block {}", words_of(collectives()), words_of(mpi_collectives()));
    if (term == "SUBJECT") return "allgather gatherv ccsim grouped";
    if (term == "SHELL") return "bash";
    if (term == "PLACE") return "block cyclic";
    if (term == "MODEL") return "loggp: hockney: loggops lob contention";
    std::vector<std::string> names;
    if (term == "NAME")
        for (const listed_schedule& one : catalogue()) names.push_back(one.name);
    if (term == "PLANNER")
        for (const auto& one : collsched::planners::all::entries) names.emplace_back(one.name);
    if (!names.empty()) return words_of(names);
    std::string values = term;
    std::ranges::replace(values, '|', ' ');
    return values != term && values.find_first_of("ABP") == values.npos ? values : "";
}

/// Returns the words that complete a positional argument.
std::string values_of_argument(const CLI::Option& argument) {
    const bool all = argument.get_description().ends_with("or all");
    return fmt::format("{}{} ", values_of(argument.get_name(true)), all ? " all" : "");
}

/// Returns a case of $before: the words or files that complete the value of an option.
std::string value_case(const CLI::Option& option) {
    std::string names = option.get_name(false, true);  // "-p,--ranks"
    std::ranges::replace(names, ',', '|');
    if (option.get_type_name() == "FILE")
        return fmt::format("            {}) _collsched_files \"$word\"; return ;;\n", names);
    return fmt::format("            {}) words=\"{}\" ;;\n", names, values_of(option.get_type_name()));
}

/// Returns the case of a command: the values of its options, else its options and arguments.
std::string command_case(const CLI::App& parser) {
    std::string cases, words;
    for (const CLI::Option* option : parser.get_options()) {
        if (option->get_positional()) {
            words += values_of_argument(*option);
            continue;
        }
        words += option->get_name() + " ";
        if (option->get_items_expected_max() > 0) cases += value_case(*option);
    }
    if (parser.get_option_no_throw("DIR") != nullptr)
        cases += fmt::format(
            "            {}) words=\"{}\"; [[ $word == -* ]] || {{ _collsched_files \"$word\"; return; }} ;;\n",
            parser.get_name(), words);
    return fmt::format("    {})\n        case $before in\n{}            *) words=\"{}\" ;;\n        esac ;;\n",
                       parser.get_name(), cases, words);
}

/// Returns the script for the commands of the program.
std::string bash_script(CLI::App& program) {
    std::vector<std::string> names;
    std::string cases;
    for (const CLI::App* parser : program.get_subcommands({})) {
        names.push_back(parser->get_name());
        cases += command_case(*parser);
    }
    return fmt::format(
        "{}        mapfile -t COMPREPLY < <(compgen -W \"{} help --help --version\" -- \"$word\")\n{}{}{}",
        script_begin, words_of(names), script_middle, cases, script_end);
}

}  // namespace

command add_completion(CLI::App& program) {
    const command_text text{
        .name = "completion",
        .phrase = "script that completes commands and options in bash",
        .sentence = "Prints a script that completes commands, options, names and files in bash.",
        .usage = {"completion bash"},
        .examples = {"completion bash"},
        .notes = {"source <(collsched completion bash)    completes in this shell, or in every shell from ~/.bashrc"}};
    CLI::App* const parser = add_command(program, text);
    const auto options = std::make_shared<completion_options>(*parser);
    const auto print_script = [options, &program] {
        if (options->shell.text() != "bash") throw usage_error("SHELL", options->shell.text(), "bash");
        standard_output().write(bash_script(program));
        return int{success};
    };
    return {parser, print_script, text};
}
