#include "printable.hpp"

#include <cstdint>

#include <fmt/format.h>

namespace {

/// Returns the number of bytes of a character of UTF-8, by its first byte; 0 if no character begins with it.
std::size_t bytes_of_character(unsigned char lead) {
    if (lead < 0x80) return 1;
    if (lead < 0xc2 || lead > 0xf4) return 0;
    return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
}

bool changes_direction(std::uint32_t code) {
    return code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

bool is_shown(std::uint32_t code) {
    const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029;
    return !control && !changes_direction(code);
}

/// Returns the number of bytes at the beginning of a text that are one character to show; 0 if they are escaped.
std::size_t shown_character(std::string_view text) {
    constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const auto lead = static_cast<unsigned char>(text[0]);
    const std::size_t size = bytes_of_character(lead);
    if (size == 0 || size > text.size()) return 0;
    std::uint32_t code = size == 1 ? lead : lead & (0x7fU >> size);
    for (const char c : text.substr(1, size - 1)) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte & 0xc0U) != 0x80) return 0;
        code = code << 6 | (byte & 0x3fU);
    }
    const bool valid = code >= least[size] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return valid && is_shown(code) ? size : 0;
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
    std::string line;
    std::string_view rest = text;
    while (!rest.empty() && text.size() - rest.size() < limit) {
        const std::size_t size = shown_character(rest);
        if (size > 0) line += rest.substr(0, size);
        else line += fmt::format("\\x{:02x}", static_cast<unsigned char>(rest[0]));
        rest.remove_prefix(size > 0 ? size : 1);
    }
    return rest.empty() ? line : line + "...";
}
