#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

// The header of CLI takes seconds to compile; only options.cpp and main.cpp include it.
namespace CLI {
class App;
class Option;
}  // namespace CLI

/// The groups of options in help texts, in this order.
enum class option_group { shape, parameters, cluster, model, output, other };
inline constexpr const char* option_groups[] = {"Shape",  "Algorithm parameters", "Cluster", "Model", "Output",
                                                "Options"};

/// Reads a whole number in least .. 2^63-1. Throws usage_error for `argument` otherwise.
std::int64_t read_number(std::string_view argument, std::string_view text, std::int64_t least);

/// Reads a number of bytes in least .. 2^63-1, such as "65536", "64K" or "64KiB". K, M, G and T are powers of 1024.
/// Throws usage_error for `argument` otherwise.
std::int64_t read_size(std::string_view argument, std::string_view text, std::int64_t least);

/// read_number or read_size.
using number_reader = std::int64_t (*)(std::string_view argument, std::string_view text, std::int64_t least);

/// Reads a list such as "4,0,7". Errors contain the index: "--counts[1]".
std::vector<std::int64_t> read_list(std::string_view argument, std::string_view text, std::int64_t least,
                                    number_reader read = read_number);

/// An option of a command with one value. The value remains text until it is read, so that all errors have the same
/// form.
class text_option {
  public:
    /// `name` is "--ranks", or with a short name "-p,--ranks". `unit` is a word in capitals for the value, or all
    /// values separated by bars. `help` is a noun phrase with the default.
    text_option(CLI::App& command, option_group group, const std::string& name, const std::string& unit,
                const std::string& help);
    /// A positional argument, "NAME".
    text_option(CLI::App& command, const std::string& name, const std::string& help)
        : text_option(command, option_group::other, name, "", help) {}

    const std::string& name() const { return name_; }
    bool given() const;
    /// Returns the value; empty if the option is not given. Throws usage_error if it is given twice.
    std::string text() const;
    std::int64_t number(std::int64_t least, std::int64_t otherwise) const;
    /// Returns the value as a number of bytes.
    std::int64_t size(std::int64_t least, std::int64_t otherwise) const;

  private:
    std::string name_;
    CLI::Option* option_;
};

/// An option without a value.
class flag_option {
  public:
    flag_option(CLI::App& command, option_group group, const std::string& name, const std::string& help);

    const std::string& name() const { return name_; }
    /// Returns whether the option is given. Throws usage_error for a value, as in --json=maybe.
    bool given() const;

  private:
    std::string name_;
    CLI::Option* option_;
};

/// Throws usage_error if more than one of these is given.
void at_most_one(std::initializer_list<const text_option*> options);

/// Reads a list of ascending numbers in least .. most. Throws usage_error otherwise.
std::vector<std::int64_t> read_ascending(const text_option& option, std::int64_t least, std::int64_t most,
                                         number_reader read = read_number);

/// The numbers of ranks first .. last.
struct rank_range {
    std::int64_t first = 1, last = 1;
};

/// Reads "P" or "A..B"; the default is first..last.
rank_range read_rank_range(const text_option& option, std::int64_t first, std::int64_t last);
