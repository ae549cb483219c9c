#include <csignal>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <range/v3/algorithm/find_if.hpp>
#include <range/v3/algorithm/reverse.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/transform.hpp>

#include "collsched/core/config.hpp"
#include "catalogue.hpp"
#include "commands.hpp"
#include "text_output.hpp"
#include "usage_error.hpp"

namespace {

int print(const std::string& text) {
    standard_output().write(text);
    standard_output().flush();
    return success;
}

/// Rejects words that belong to no option, with the similar options of the command.
void refuse_extras(const CLI::App& parser, const std::string& help) {
    const std::vector<std::string> extras = parser.remaining();
    if (extras.empty()) return;
    const std::string& word = extras.front();
    if (!word.starts_with("-")) throw usage_error("argument", word, fmt::format("the arguments of '{}'", help));
    std::vector<std::string> options;
    for (const CLI::Option* option : parser.get_options())
        if (!option->get_positional()) options.push_back(option->get_name());
    const std::vector<std::string> near = similar(word.substr(0, word.find('=')), options);
    throw usage_error("option", word,
                      near.empty() ? fmt::format("an option of '{}'", help)
                                   : fmt::format("{}, or an option of '{}'", fmt::join(near, ", "), help));
}

/// Reads the command line. Errors of the parser become usage errors like all others.
void read(CLI::App& program, std::vector<std::string> words) {
    ranges::reverse(words);
    try {
        program.parse(words);
    } catch (const CLI::ArgumentMismatch& wrong) {  // "--ranks: 1 required TEXT missing"
        const std::string text = wrong.what();
        throw usage_error::missing(fmt::format("value of {}", text.substr(0, text.find(':'))),
                                   "one word after the option");
    } catch (const CLI::ParseError& wrong) {
        if (wrong.get_exit_code() == 0) throw;  // request for help
        throw usage_error("command line", wrong.what(), "arguments as in 'collsched --help'");
    }
}

std::vector<command> add_commands(CLI::App& program) {
    std::vector<command> commands;
    for (const auto add :
         {add_list, add_show, add_verify, add_metrics, add_bound, add_synthesize, add_plan, add_simulate, add_choose,
          add_table, add_explain, add_calibrate, add_fit, add_run, add_study, add_gallery, add_completion}) {
        commands.push_back(add(program));
        commands.back().parser->allow_extras();
    }
    return commands;
}

/// Returns the command of the parsed command line. Throws usage_error if there is none.
const command& chosen_command(const std::vector<command>& commands, const std::string& word) {
    const auto chosen = ranges::find_if(commands, [](const command& one) { return one.parser->parsed(); });
    if (chosen != commands.end()) return *chosen;
    const auto names = commands | ranges::views::transform([](const command& one) { return one.text.name; }) |
                       ranges::to<std::vector>();
    throw usage_error("command", word, fmt::format("{}", fmt::join(names, ", ")));
}

/// Returns the help of the program, or of the command that was parsed.
std::string requested_help(const std::vector<command>& commands) {
    const auto chosen = ranges::find_if(commands, [](const command& one) { return one.parser->parsed(); });
    return chosen == commands.end() ? program_help(commands) : command_help(*chosen);
}

int run_command(const CLI::App& program, const command& chosen) {
    refuse_extras(program, "collsched --help");
    refuse_extras(*chosen.parser, fmt::format("collsched {} --help", chosen.text.name));
    written_files files;
    const int status = chosen.run();
    standard_output().flush();
    files.publish();
    return status;
}

int run(int argc, char** argv) {
    CLI::App program("", "collsched");
    program.set_version_flag("--version", fmt::format("collsched {}.{}.{}", COLLSCHED_VERSION_MAJOR,
                                                      COLLSCHED_VERSION_MINOR, COLLSCHED_VERSION_PATCH));
    program.allow_extras();
    program.require_subcommand(0, 1);
    const std::vector<command> commands = add_commands(program);
    std::vector<std::string> words(argv + 1, argv + argc);
    if (words.empty()) return print(program_help(commands));
    if (words.front() == "help") {  // "help COMMAND" is "COMMAND --help"
        words.erase(words.begin());
        words.emplace_back("--help");
    }
    try {
        read(program, words);
    } catch (const CLI::CallForHelp&) {
        if (!words.front().starts_with("-")) chosen_command(commands, words.front());
        return print(requested_help(commands));
    } catch (const CLI::CallForVersion& version) {
        return print(fmt::format("{}\n", version.what()));
    }
    return run_command(program, chosen_command(commands, words.front()));
}

/// Opens standard output and standard error if the caller closed them, so that no file receives their descriptors and
/// their text. Writes to them still fail.
void occupy_closed_streams() {
    for (int opened = 0; opened >= 0 && opened <= STDERR_FILENO;) {
        opened = open("/dev/null", O_RDONLY);
        if (opened > STDERR_FILENO) close(opened);
    }
}

int fail(const char* why) {
    std::fputs(fmt::format("collsched: {}\n", why).c_str(), stderr);  // may be closed
    return mistake;
}

}  // namespace

int main(int argc, char** argv) {
    constexpr auto no_memory = "memory: got less than required, expected fewer ranks, smaller blocks or smaller files";
    occupy_closed_streams();
    std::signal(SIGXFSZ, SIG_IGN);  // a file that exceeds the size limit is reported like a full disk
    try {
        return run(argc, argv);
    } catch (const collsched::bad_argument& wrong) {  // found while a schedule was in use
        return fail(usage_error(wrong.error()).what());
    } catch (const std::system_error& wrong) {
        return fail(usage_error("--ranks", "too many", fmt::format("fewer; {}", wrong.code().message())).what());
    } catch (const std::bad_alloc&) {
        return fail(no_memory);
    } catch (const std::length_error&) {  // of a container: exceeds the memory of any node
        return fail(no_memory);
    } catch (const std::exception& wrong) {
        return fail(wrong.what());
    }
}
