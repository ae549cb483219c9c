#include "collsched/format/pictures/svg_canvas.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <set>
#include <string>

using namespace collsched;

namespace {

/// Relative luminance of a color of the screen, 0 .. 1.
double luminance(const std::string& color) {
    const auto linear = [&](std::size_t at) {
        const double x = std::stoi(color.substr(at, 2), nullptr, 16) / 255.0;
        return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(1) + 0.7152 * linear(3) + 0.0722 * linear(5);
}

}  // namespace

TEST_CASE("hue_circle: known colors, and grays, white and black at the ends without chroma") {
    CHECK(hue_circle(0.3, 1, 0) == "#ffffff");
    CHECK(hue_circle(0.3, 0, 0) == "#000000");
    const std::string gray = hue_circle(0.8, 0.5, 0);
    CHECK(gray.substr(1, 2) == gray.substr(3, 2));
    CHECK(gray.substr(3, 2) == gray.substr(5, 2));
    CHECK(hue_circle(29.23 / 360, 0.62796, 0.25768) == "#ff0000");
}

TEST_CASE("hue_circle: the circle closes, its colors differ, and all differ from white and from black") {
    CHECK(hue_circle(0.25) == hue_circle(1.25));
    std::set<std::string> seen;
    for (int i = 0; i < 72; ++i) {
        const std::string color = hue_circle(i / 72.0);
        seen.insert(color);
        CHECK(1.05 / (luminance(color) + 0.05) > 2.2);
        CHECK((luminance(color) + 0.05) / 0.05 > 4.5);
    }
    CHECK(seen.size() == 72);
}
