#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

// Its header takes seconds to compile; options.cpp and main.cpp alone need more of it.
namespace CLI {
class App;
class Option;
}  // namespace CLI

/// A command of the program, and a line about it.
CLI::App* add_command(CLI::App& program, const std::string& name, const std::string& help);

/// A whole number of 64 bits, least .. 2^63-1; anything else is a mistake in `argument`.
std::int64_t read_number(std::string_view argument, std::string_view text, std::int64_t least);

/// "4,0,7"; a mistake names the place: "--counts[1]".
std::vector<std::int64_t> read_numbers(std::string_view argument, std::string_view text, std::int64_t least);

/// One option of a command with one value, which stays a text until it is asked for: so every mistake is told
/// alike.
class text_option {
  public:
    /// `name` as "--ranks", or with a short one as "-p,--ranks".
    text_option(CLI::App& command, const std::string& name, const std::string& unit, const std::string& help);

    const std::string& name() const { return name_; }
    bool given() const;
    /// Empty if not given; given twice is a mistake.
    std::string text() const;
    std::int64_t number(std::int64_t least, std::int64_t otherwise) const;

  private:
    std::string name_;
    CLI::Option* option_;
};

/// An option without a value.
class flag_option {
  public:
    flag_option(CLI::App& command, const std::string& name, const std::string& help);

    const std::string& name() const { return name_; }
    /// A value, as in --json=maybe, is a mistake.
    bool given() const;

  private:
    std::string name_;
    CLI::Option* option_;
};

/// At most one of these may be given.
void at_most_one(std::initializer_list<const text_option*> options);
