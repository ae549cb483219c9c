#include "help.hpp"

#include <algorithm>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.hpp"
#include "options.hpp"
#include "terminal.hpp"

namespace {

constexpr std::size_t line_width = 110, widest_term = 30;

/// A term of a help text, such as an option with its unit, and its description.
struct help_entry {
    std::string term, description;
};

/// Appends words to a text whose last line has `column` characters. Further lines begin at `margin`.
void append_wrapped(std::string& text, std::size_t column, std::string_view words, std::size_t margin) {
    for (bool first = true; !words.empty(); first = false) {
        const std::string_view word = words.substr(0, words.find(' '));
        words.remove_prefix(std::min(word.size() + 1, words.size()));
        if (!first && column + 1 + word.size() > line_width) {
            text += "\n" + std::string(margin, ' ');
            column = margin;
            first = true;
        }
        text += (first ? "" : " ") + std::string(word);
        column += word.size() + (first ? 0 : 1);
    }
    text += "\n";
}

std::string section(const std::string& heading, const std::vector<help_entry>& entries) {
    if (entries.empty()) return {};
    std::size_t width = 0;
    for (const help_entry& one : entries)
        if (one.term.size() <= widest_term) width = std::max(width, one.term.size());
    std::string text = fmt::format("\n{}\n", styled(heading + ":", text_style::heading));
    for (const help_entry& one : entries) {
        text += fmt::format("  {:<{}}  ", one.term, width);
        if (one.term.size() > width) text += fmt::format("\n{:{}}", "", width + 4);
        append_wrapped(text, width + 4, one.description, width + 4);
    }
    return text;
}

std::string lines_section(const std::string& heading, const std::vector<std::string>& lines) {
    if (lines.empty()) return {};
    std::string text = fmt::format("\n{}\n", styled(heading + ":", text_style::heading));
    for (const std::string& line : lines) {
        text += "  ";
        append_wrapped(text, 2, line, 2);
    }
    return text;
}

std::string usage(const std::string& program, const std::vector<std::string>& forms) {
    std::string text = "\n";
    for (const std::string& form : forms) {
        const char* const heading = &form == &forms.front() ? "Usage: " : "       ";
        text += styled(heading, text_style::heading);
        append_wrapped(text, 7, program + " " + form, 17);
    }
    return text;
}

std::vector<std::string> with_program(const std::string& program, std::vector<std::string> examples) {
    for (std::string& example : examples) example = program + " " + example;
    return examples;
}

/// Returns the positional arguments, or the options of a group.
std::vector<help_entry> entries_of(const CLI::App& parser, bool positional, std::string_view group) {
    std::vector<help_entry> entries;
    for (const CLI::Option* option : parser.get_options()) {
        if (option->get_positional() != positional || (!positional && option->get_group() != group)) continue;
        std::string term = option->get_name(positional);
        for (const std::string& alias : option->get_snames()) term = fmt::format("-{}, {}", alias, term);
        const bool has_value = !positional && option->get_items_expected_max() > 0;
        if (has_value) term += " " + option->get_type_name();
        entries.push_back({term, option->get_description()});
    }
    return entries;
}

}  // namespace

CLI::App* add_command(CLI::App& program, const command_text& text) {
    CLI::App* const parser = program.add_subcommand(text.name, text.phrase);
    parser->set_help_flag("-h,--help", "this help");
    return parser;
}

std::string program_help(const std::vector<command>& commands) {
    std::string text =
        "Generates, verifies, measures, draws and runs communication schedules of collective operations.\n";
    text += usage("collsched", {"COMMAND [ARGUMENT...] [OPTION...]"});
    std::vector<help_entry> entries;
    for (const command& one : commands) entries.push_back({one.text.name, one.text.phrase});
    text += section("Commands", entries);
    text += lines_section("Examples", with_program("collsched", {"list allgather", "show allgather/ring --ranks 4",
                                                                 "verify all --ranks 8"}));
    return text +
           "\n'collsched COMMAND --help' describes the options of a command, docs/cli.md all commands and their "
           "output.\n";
}

std::string command_help(const command& one) {
    std::string text = one.text.sentence + "\n";
    text += usage(one.text.program, one.text.usage);
    text += lines_section("Examples", with_program(one.text.program, one.text.examples));
    text += section("Arguments", entries_of(*one.parser, true, ""));
    for (const char* const group : option_groups) text += section(group, entries_of(*one.parser, false, group));
    return text + lines_section("Notes", one.text.notes);
}
