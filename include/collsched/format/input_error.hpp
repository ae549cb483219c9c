#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// What is wrong with a description of a cluster; what() is always one line.
class input_error : public std::runtime_error {
  public:
    explicit input_error(std::string_view line) : std::runtime_error(flat(line)) {}

  private:
    static std::string flat(std::string_view line) {
        std::string text(line);
        std::replace_if(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
        return text;
    }
};

}}  // namespace collsched::COLLSCHED_ABI
