#pragma once

#include <string_view>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace support {

/// The value that a JSON text has: the parser, compiled once for all tests.
nlohmann::json parsed(std::string_view text);

}  // namespace support

/// How a failed check shows a value.
template <>
struct doctest::StringMaker<nlohmann::json> {
    static String convert(const nlohmann::json& value);
};
