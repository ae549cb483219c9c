#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// A color in sRGB; each component is 0 .. 255.
struct rgb {
    int red = 0, green = 0, blue = 0;
    bool operator==(const rgb&) const = default;
};

/// Returns the color at an angle of a circle of hues with equal perceived lightness, in turns: Oklab (Ottosson 2020) in
/// polar form, clipped to sRGB.
inline rgb hue_circle(double turns, double lightness = 0.68, double chroma = 0.16) {
    constexpr double pi = 3.141592653589793;
    const double a = chroma * std::cos(2 * pi * turns), b = chroma * std::sin(2 * pi * turns);
    const auto cubed = [](double x) { return x * x * x; };
    const double l = cubed(lightness + 0.3963377774 * a + 0.2158037573 * b);
    const double m = cubed(lightness - 0.1055613458 * a - 0.0638541728 * b);
    const double s = cubed(lightness - 0.0894841775 * a - 1.2914855480 * b);
    const auto screen = [](double linear) {
        linear = std::clamp(linear, 0.0, 1.0);
        const double gamma = linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
        return static_cast<int>(std::lround(gamma * 255));
    };
    return {screen(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
            screen(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
            screen(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

/// Returns the color in hexadecimal notation: "#c0ffee".
inline std::string hex_text(rgb color) {
    return fmt::format(FMT_COMPILE("#{:02x}{:02x}{:02x}"), color.red, color.green, color.blue);
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
