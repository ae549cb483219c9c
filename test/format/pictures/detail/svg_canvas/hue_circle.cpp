#include "collsched/format/pictures/detail/svg_canvas.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

using namespace collsched;
using namespace collsched::detail;

namespace {

/// Relative luminance of a color of the screen, 0 .. 1.
double luminance(rgb color) {
    const auto linear = [](int part) {
        const double x = part / 255.0;
        return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue);
}

}  // namespace

TEST_CASE("hue_circle: known colors, and grays, white and black at the ends without chroma") {
    CHECK(hue_circle(0.3, 1, 0) == rgb{255, 255, 255});
    CHECK(hue_circle(0.3, 0, 0) == rgb{0, 0, 0});
    const rgb gray = hue_circle(0.8, 0.5, 0);
    CHECK(gray.red == gray.green);
    CHECK(gray.green == gray.blue);
    CHECK(hue_circle(29.23 / 360, 0.62796, 0.25768) == rgb{255, 0, 0});
}

TEST_CASE("hue_circle: the circle closes, its colors differ, and all differ from white and from black") {
    CHECK(hue_circle(0.25) == hue_circle(1.25));
    std::set<std::string> seen;
    for (int i = 0; i < 72; ++i) {
        const rgb color = hue_circle(i / 72.0);
        seen.insert(hex_text(color));
        CHECK(1.05 / (luminance(color) + 0.05) > 2.2);
        CHECK((luminance(color) + 0.05) / 0.05 > 4.5);
    }
    CHECK(seen.size() == 72);
}

TEST_CASE("hue_circle: colors are written as text") { CHECK(hex_text({192, 255, 238}) == "#c0ffee"); }
