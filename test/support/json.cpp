#include "support/json.hpp"

#include <string>

namespace support {

nlohmann::json parsed(std::string_view text) { return nlohmann::json::parse(text); }

}  // namespace support

doctest::String doctest::StringMaker<nlohmann::json>::convert(const nlohmann::json& value) { return value.dump().c_str(); }
