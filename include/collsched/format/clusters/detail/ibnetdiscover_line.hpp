#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// A position in a line of text. Functions that take something return whether it was there; else the position stays.
class line_cursor {
  public:
    explicit line_cursor(std::string_view text) : rest_(text) { skip_blanks(); }

    std::string_view rest() const { return rest_; }
    /// Takes a prefix, and the blanks after it.
    bool take(std::string_view prefix) {
        if (!rest_.starts_with(prefix)) return false;
        rest_.remove_prefix(prefix.size());
        skip_blanks();
        return true;
    }
    /// Takes a number of at most `most`, without a sign.
    std::optional<int> number(int most) {
        int value = 0;
        const auto [end, code] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (code != std::errc() || rest_.front() == '-' || value > most) return std::nullopt;
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        skip_blanks();
        return value;
    }
    /// Takes a text between two characters.
    std::optional<std::string_view> between(char open, char close) {
        if (rest_.empty() || rest_.front() != open) return std::nullopt;
        const std::size_t end = rest_.find(close, 1);
        if (end == rest_.npos) return std::nullopt;
        const std::string_view text = rest_.substr(1, end - 1);
        rest_.remove_prefix(end + 1);
        skip_blanks();
        return text;
    }

  private:
    void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size())); }

    std::string_view rest_;
};

/// Largest number of a port.
inline constexpr int most_ports = 254;

/// Whether a text is a letter, a dash and the 1 to 16 digits of a GUID.
inline bool is_ib_id(std::string_view text, char letter) {
    return text.size() >= 3 && text.size() <= 18 && text[0] == letter && text[1] == '-' &&
           text.find_first_not_of("0123456789abcdefABCDEF", 2) == text.npos;
}

/// The first line of a node: `Switch 36 "S-0002c9020046c588" # "leaf 1" enhanced port 0 lid 2 lmc 0`.
struct ib_node_line {
    char kind;                     ///< 'S', 'H' or 'R'
    int ports;                     ///< 1 .. most_ports
    std::string_view id;           ///< "S-0002c9020046c588"
    std::string_view description;  ///< may be empty

    static std::optional<ib_node_line> parse(std::string_view line) {
        line_cursor at(line);
        const char kind = at.take("Switch") ? 'S' : at.take("Ca") ? 'H' : at.take("Rt") ? 'R' : '\0';
        const int ports = kind != '\0' ? at.number(most_ports).value_or(0) : 0;
        const auto id = at.between('"', '"');
        if (ports < 1 || !id || !is_ib_id(*id, kind)) return std::nullopt;
        at.take("#");
        return ib_node_line{kind, ports, *id, at.between('"', '"').value_or("")};
    }
};

/// The line of a port: `[22] "H-0008f10403961354"[1](8f10403961355) # "node1 HCA-1" lid 4 4xSDR`.
struct ib_port_line {
    int port;               ///< of this node, 1 .. most_ports
    std::string_view peer;  ///< id of the node at the other end
    int peer_port;          ///< port of that node
    std::string_view rate;  ///< "4xSDR"; empty if the line has none

    static std::optional<ib_port_line> parse(std::string_view line) {
        line_cursor at(line);
        const std::optional<int> port = port_number(at);
        const auto peer = at.between('"', '"');
        const std::optional<int> peer_port = peer ? port_number(at) : std::nullopt;
        if (!port || !peer_port) return std::nullopt;
        if (!is_ib_id(*peer, 'S') && !is_ib_id(*peer, 'H') && !is_ib_id(*peer, 'R')) return std::nullopt;
        if (!at.rest().empty() && !at.rest().starts_with('#')) return std::nullopt;
        return ib_port_line{*port, *peer, *peer_port, rate_in(at.rest())};
    }

  private:
    /// Takes `[3]`, and then `[ext 5]` and `(8f10403961355)` if they are there.
    static std::optional<int> port_number(line_cursor& at) {
        std::optional<int> number;
        if (!at.take("[") || !(number = at.number(most_ports)) || *number < 1 || !at.take("]")) return std::nullopt;
        if (at.rest().starts_with("[ext")) at.between('[', ']');
        at.between('(', ')');
        return number;
    }
    /// Returns the word behind the last quote that begins with a digit and has an `x`.
    static std::string_view rate_in(std::string_view comment) {
        comment.remove_prefix(std::min(comment.rfind('"') + 1, comment.size()));
        for (line_cursor at(comment); !at.rest().empty();) {
            const std::string_view word = at.rest().substr(0, at.rest().find_first_of(" \t\r"));
            if (word.front() >= '0' && word.front() <= '9' && word.find('x') != word.npos) return word;
            at.take(word);
        }
        return {};
    }
};

/// Returns the bytes per second of a number of lanes and their rate: "4xHDR" is 25 * 10^9.
inline std::optional<std::int64_t> ib_bandwidth(std::string_view rate) {
    constexpr std::pair<std::string_view, std::int64_t> lanes[] = {
        {"SDR", 2'500},  {"DDR", 5'000},  {"QDR", 10'000},  {"FDR10", 10'000}, {"FDR", 14'000},
        {"EDR", 25'000}, {"HDR", 50'000}, {"NDR", 100'000}, {"XDR", 200'000}};  // 10^6 bits per second
    line_cursor at(rate);
    const std::optional<int> width = at.number(12);
    if (!width || *width < 1 || !at.take("x")) return std::nullopt;
    for (const auto& [name, megabits] : lanes)
        if (at.rest() == name) return *width * megabits * 125'000;
    return std::nullopt;
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
