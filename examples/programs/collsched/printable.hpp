#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Returns the text on one line, truncated to `limit` bytes. Bytes are escaped as \xNN if they are control characters
/// (of ASCII, of Unicode or of bidirectional text) or not valid UTF-8.
std::string printable(std::string_view text, std::size_t limit);
