#pragma once

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

namespace support {

/// Returns whether a page of the documentation has a text. Its name is a path from the top of the tree. A line break of the page is
/// a blank.
inline bool page_has(const std::string& page, const std::string& text) {
    std::ifstream file(page);
    std::string content{std::istreambuf_iterator<char>(file), {}};
    std::replace(content.begin(), content.end(), '\n', ' ');
    return content.find(text) != content.npos;
}

}  // namespace support
