#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace support {

/// The text with `with` in place of the first `what`, which must exist.
inline std::string replaced(std::string text, std::string_view what, std::string_view with) {
    const std::size_t at = text.find(what);
    REQUIRE(at != text.npos);
    return text.replace(at, what.size(), with);
}

}  // namespace support
