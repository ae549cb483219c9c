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
#include <range/v3/algorithm/find.hpp>
#include <range/v3/algorithm/find_if.hpp>
#include <range/v3/algorithm/reverse.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/transform.hpp>

#include "collsched/core/config.hpp"
#include "commands.hpp"
#include "text_output.hpp"
#include "usage_error.hpp"

namespace {

int print(const std::string& text) {
    standard_output().write(text);
    standard_output().flush();
    return success;
}

/// Rejects words that belong to no option: the first one, with the next word if that looks like its value.
void refuse_extras(const CLI::App& parser) {
    const std::vector<std::string> extras = parser.remaining();
    if (extras.empty()) return;
    const std::string& word = extras.front();
    std::vector<std::string> options;
    for (const CLI::Option* option : parser.get_options())
        if (!option->get_positional()) options.push_back(option->get_name());
    throw usage_error(word.starts_with("-") ? "option" : "argument", word, fmt::format("{}", fmt::join(options, ", ")));
}

/// Reads the command line. Errors of the parser become usage errors like all others.
void read(CLI::App& program, std::vector<std::string> words) {
    ranges::reverse(words);
    try {
        program.parse(words);
    } catch (const CLI::ArgumentMismatch& wrong) {  // "--ranks: 1 required TEXT missing"
        const std::string text = wrong.what();
        throw usage_error::missing(fmt::format("value of {}", text.substr(0, text.find(':'))), "one after the option");
    } catch (const CLI::ParseError& wrong) {
        if (wrong.get_exit_code() == 0) throw;  // request for help
        throw usage_error("command line", wrong.what(), "the options that 'collsched --help' lists");
    }
}

int run(int argc, char** argv) {
    CLI::App program("Schedules of collective communication: listed, shown, proved, measured, drawn and run",
                     "collsched");
    program.set_version_flag("--version", fmt::format("collsched {}.{}.{}", COLLSCHED_VERSION_MAJOR,
                                                      COLLSCHED_VERSION_MINOR, COLLSCHED_VERSION_PATCH));
    program.allow_extras();
    program.require_subcommand(0, 1);
    std::vector<command> commands;
    for (const auto add : {add_list, add_show, add_verify, add_metrics, add_plan, add_simulate, add_choose, add_table,
                           add_calibrate, add_run, add_study, add_gallery}) {
        commands.push_back(add(program));
        commands.back().parser->allow_extras();
    }
    const std::vector<std::string> words(argv + 1, argv + argc);
    try {
        read(program, words);
    } catch (const CLI::CallForHelp&) {
        return print(program.help());
    } catch (const CLI::CallForVersion& version) {
        return print(fmt::format("{}\n", version.what()));
    }
    const auto chosen = ranges::find_if(commands, [](const command& one) { return one.parser->parsed(); });
    if (chosen == commands.end()) {
        const auto names = commands |
                           ranges::views::transform([](const command& one) { return one.parser->get_name(); }) |
                           ranges::to<std::vector>();
        const std::string expected = fmt::format("{}", fmt::join(names, ", "));
        throw words.empty() ? usage_error::missing("command", expected)
                            : usage_error("command", words.front(), expected);
    }
    refuse_extras(program);
    refuse_extras(*chosen->parser);
    written_files files;
    const int status = chosen->run();
    standard_output().flush();
    files.publish();
    return status;
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
    constexpr auto no_memory =
        "memory: got not enough on this machine, expected fewer ranks, smaller blocks or smaller files";
    occupy_closed_streams();
    std::signal(SIGXFSZ, SIG_IGN);  // a file that exceeds the size limit is reported like a full disk
    try {
        return run(argc, argv);
    } catch (const collsched::bad_argument& wrong) {  // found while a schedule was in use
        return fail(usage_error(wrong.which()).what());
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
