#pragma once

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "collsched/format/files/text_file.hpp"
#include "openmpi_findings.hpp"

namespace collsched::foreign {

/// Reads the numbers of a text file, line by line. A # begins a comment.
class openmpi_text {
  public:
    explicit openmpi_text(const text_file& file) : file_(file), rest_(file.text) {}

    /// Skips blanks, lines and comments. Returns false at the end of the text.
    bool more() {
        while (!rest_.empty() &&
               (std::isspace(static_cast<unsigned char>(rest_.front())) != 0 || rest_.front() == '#')) {
            if (rest_.front() == '#') rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
            else {
                if (rest_.front() == '\n') ++line_;
                rest_.remove_prefix(1);
            }
        }
        return !rest_.empty();
    }
    /// Returns whether another number follows on this line.
    bool more_here() {
        while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
        return !rest_.empty() && std::isdigit(static_cast<unsigned char>(rest_.front())) != 0;
    }
    std::int64_t number(std::string_view name, std::int64_t most = std::numeric_limits<std::int32_t>::max()) {
        const std::string expected =
            most == std::numeric_limits<std::int64_t>::max() ? "0..2^63-1" : fmt::format("0..{}", most);
        if (!more()) file_.refuse(line_, name, "the end of the file", expected);
        const std::string_view token = rest_.substr(0, std::min(rest_.find_first_of(" \t\r\n\v\f#"), rest_.size()));
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
        // Open MPI reads a leading zero as octal.
        const bool octal = token.size() > 1 && token.front() == '0';
        if (error != std::errc() || end != token.data() + token.size() || octal || value < 0 || value > most)
            file_.refuse(line_, name, token.substr(0, 40), expected);
        rest_.remove_prefix(token.size());
        return value;
    }
    /// Returns the N of a leading rule-file-version-N; else 1.
    int format() {
        constexpr std::string_view lead = "rule-file-version-";
        if (!rest_.starts_with(lead)) return 1;
        rest_.remove_prefix(lead.size());
        return static_cast<int>(number("rule-file-version", 2));
    }
    int line() const { return line_; }

  private:
    const text_file& file_;
    std::string_view rest_;
    int line_ = 1;
};

class openmpi_text_reader {
  public:
    explicit openmpi_text_reader(const text_file& file) : file_(file), text_(file) {}

    openmpi_rules read() {
        constexpr std::string_view heading = "# Open MPI ";
        if (file_.text.starts_with(heading)) made_.version = find_openmpi_version(file_.text.substr(heading.size(), 3));
        made_.format = text_.format();
        const std::int64_t collectives = text_.number("number of collectives", 22);
        for (std::int64_t i = 0; i < collectives; ++i) read_collective();
        if (text_.more()) made_.findings.push_back({text_.line(), "Open MPI ignores all from here on"});
        return std::move(made_);
    }

  private:
    void read_collective() {
        const std::int64_t id = text_.number("collective", 21);
        const std::optional<openmpi_rules::collective> collective = find_openmpi_collective(id);
        if (!collective)
            made_.findings.push_back(
                {text_.line(),
                 fmt::format("collective {} has no algorithms in tuned: Open MPI ignores its rules", id)});
        for (const openmpi_rules::rule& rule : made_.rules)
            if (collective && rule.collective == *collective) {
                made_.findings.push_back({text_.line(), fmt::format("{} is there twice: Open MPI uses the later rules",
                                                                    info_of(*collective).name)});
                break;
            }
        const std::size_t first = made_.rules.size();
        const std::int64_t sizes = text_.number("number of communicator sizes");
        for (std::int64_t i = 0; i < sizes; ++i) {
            const std::int64_t ranks = text_.number("communicator size");
            const std::int64_t messages = text_.number("number of message sizes");
            for (std::int64_t k = 0; k < messages; ++k) {
                openmpi_rules::rule rule = read_rule(ranks);
                if (!collective) continue;
                rule.collective = *collective;
                if (made_.rules.size() == openmpi_rules::most_rules)
                    file_.refuse(rule.line, "too many rules", fmt::format("at most {}", openmpi_rules::most_rules));
                made_.rules.push_back(rule);
            }
        }
        end_rules(std::span(made_.rules).subspan(first));
    }
    openmpi_rules::rule read_rule(std::int64_t ranks) {
        openmpi_rules::rule rule;
        rule.ranks = ranks;
        rule.bytes = text_.number("message size", std::numeric_limits<std::int64_t>::max());
        rule.line = text_.line();
        rule.number = text_.number("algorithm");
        rule.fan = text_.number("fan");
        rule.segment = text_.number("segment size");
        if (made_.format > 1 && text_.more_here()) rule.requests = text_.number("requests");
        return rule;
    }

    const text_file& file_;
    openmpi_text text_;
    openmpi_rules made_;
};

/// Reads the rules of a text file of Open MPI 4.0, 4.1 or 5.0, including format version 2. Throws input_error with the
/// line if the text is not such a file or if a count differs from its content. openmpi_findings() reports numbers that
/// Open MPI does not have.
/// @param file  the text
/// @return rules in the order of the file
inline openmpi_rules read_openmpi_rules(const text_file& file) {
    file.refuse_zero_bytes("a rules file of Open MPI");
    return openmpi_text_reader(file).read();
}

}  // namespace collsched::foreign
