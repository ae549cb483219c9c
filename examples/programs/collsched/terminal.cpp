#include "terminal.hpp"

#include <cstdio>
#include <cstdlib>

#include <unistd.h>

#include <fmt/color.h>
#include <fmt/format.h>

namespace {

std::string_view environment(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

bool shows_colors() {
    static const bool shows = isatty(STDOUT_FILENO) != 0 && !environment("TERM").empty() &&
                              environment("TERM") != "dumb" && environment("NO_COLOR").empty();
    return shows;
}

fmt::text_style style_of(text_style style) {
    switch (style) {
        case text_style::heading: return fmt::emphasis::bold;
        case text_style::best: return fmt::fg(fmt::terminal_color::green);
        case text_style::failure: return fmt::fg(fmt::terminal_color::red);
        case text_style::plain: break;
    }
    return {};
}

}  // namespace

std::string styled(std::string_view text, text_style style) {
    if (style == text_style::plain || text.empty() || !shows_colors()) return std::string(text);
    return fmt::format(style_of(style), "{}", text);
}

progress_line::progress_line(bool quiet) : shows_(!quiet && isatty(STDERR_FILENO) != 0) {}

void progress_line::show(std::string_view text) {
    if (!shows_) return;
    std::fputs(fmt::format("\r\x1b[K{}", text.substr(0, 78)).c_str(), stderr);
    visible_ = true;
}

void progress_line::erase() {
    if (visible_) std::fputs("\r\x1b[K", stderr);
    visible_ = false;
}
