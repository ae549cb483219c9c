#pragma once

#include <string>
#include <vector>

// The header of CLI takes seconds to compile.
namespace CLI {
class App;
}

struct command;

/// The texts of a command's help.
struct command_text {
    std::string name;
    std::string phrase;                 ///< its line in the list of commands
    std::string sentence;               ///< the first line of its help
    std::vector<std::string> usage;     ///< arguments, one line per form of the command
    std::vector<std::string> examples;  ///< arguments of commands that work
    std::vector<std::string> notes{};   ///< lines at the end
    std::string program = "collsched";  ///< word before each form and each example
};

/// Adds a command to the program.
CLI::App* add_command(CLI::App& program, const command_text& text);

/// Returns the short help of the program: usage, commands and examples.
std::string program_help(const std::vector<command>& commands);

/// Returns the help of a command: usage, examples, and its options in groups.
std::string command_help(const command& one);
