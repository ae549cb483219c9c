#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "collsched/core/config.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/format/text.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// The use of a picture. `file` is a separate file with a heading. `page` is a part of an HTML page, which has its own
/// heading. The script of the page finds steps of a schedule by the attribute data-step, messages by data-message, the
/// number among trace_messages, and lines of a network by data-line.
enum class svg_use { file, page };

}  // namespace detail

/// A pen with the elements of SVG pictures. Coordinates are written in tenths of a user unit.
template <std::output_iterator<char> Out>
class svg_canvas : public detail::pen<Out> {
  public:
    using detail::pen<Out>::pen;

    static double tenths(double x) { return std::round(x * 10) / 10; }

    /// Writes the beginning of the file, up to the title.
    void open(double width, double height, std::string_view title) {
        (*this)(
            FMT_COMPILE(R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" )"),
            std::ceil(width), std::ceil(height));
        (*this)(FMT_COMPILE("role=\"img\" font-family=\"system-ui,'DejaVu Sans',Helvetica,Arial,sans-serif\">\n"
                            "<title>{}</title>\n"),
                xml_text(title));
    }
    void words(std::string_view classes, double x, double y, std::string_view text) {
        (*this)(FMT_COMPILE("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n"), classes, tenths(x), tenths(y),
                xml_text(text));
    }
    /// Writes the attributes of a rectangle.
    void rectangle(double x, double y, double width, double height) {
        (*this)(FMT_COMPILE(" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\""), tenths(x), tenths(y), tenths(width),
                tenths(height));
    }
    /// Writes the path of an arrow with a head of this length.
    /// @pre the ends of the arrow differ
    void arrow(double x0, double y0, double x1, double y1, double head) {
        const double length = std::hypot(x1 - x0, y1 - y0), ux = (x1 - x0) / length, uy = (y1 - y0) / length;
        const double half = head * 0.38, bx = x1 - head * ux, by = y1 - head * uy;
        (*this)(FMT_COMPILE("M{} {}L{} {}L{} {}L{} {}L{} {}L{} {}"), tenths(x0), tenths(y0), tenths(bx), tenths(by),
                tenths(bx - half * uy), tenths(by + half * ux), tenths(x1), tenths(y1), tenths(bx + half * uy),
                tenths(by - half * ux), tenths(bx), tenths(by));
    }
};

/// Returns the color at an angle of a circle of hues with equal perceived lightness: Oklab (Ottosson 2020) in polar form,
/// clipped to sRGB.
/// @param turns      angle in turns
/// @param lightness  0 (black) to 1 (white)
/// @param chroma     0 (gray) or more
/// @return the color in hexadecimal notation: "#c0ffee"
inline std::string hue_circle(double turns, double lightness = 0.68, double chroma = 0.16) {
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
    return fmt::format(FMT_COMPILE("#{:02x}{:02x}{:02x}"),
                       screen(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                       screen(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                       screen(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s));
}

/// The colors of a picture. The blocks of each rank have a hue of their own. A message has one of 72 style classes, .h0
/// to .h71.
struct svg_style {
    static constexpr int hues = 72;

    /// The style rules for light and for dark pages.
    static constexpr std::string_view rules =
        ".paper{fill:#fff}.ink{fill:#20252b}.note{fill:#68717c}.line{stroke:#d3d9df;fill:none}\n"
        ".track{stroke:#e2e6ea;fill:none}.copy{fill:none;stroke:#8a939d;stroke-width:1.1}text{font-size:11px}"
        "\n"
        ".title{font-size:19px;font-weight:600}.fact{font-size:12.5px}.block{font-size:10px}.small{font-size:"
        "9px}\n"
        ".mid{text-anchor:middle}.end{text-anchor:end}.a{stroke-linejoin:round}.a:hover{stroke-width:4;"
        "opacity:1}\n"
        "@media (prefers-color-scheme:dark){.paper{fill:#15191e}.ink{fill:#e8ebee}.note{fill:#98a2ad}\n"
        ".line{stroke:#39414a}.track{stroke:#2b323a}.copy{stroke:#7f8994}}\n";

    rank_t ranks = 1;

    /// Returns the angle of a block on the circle of hues, in turns. A fractional block number is an angle between two
    /// blocks.
    double turns(double block) const {
        const double place = 0.07 + block / static_cast<double>(ranks);
        return place - std::floor(place);
    }
    int hue_class(double block) const { return static_cast<int>(turns(block) * hues + 0.5) % hues; }

    /// Writes the rules of the classes in use.
    template <class Out>
    void put_hues(detail::pen<Out>& put, const std::vector<bool>& used) const {
        for (int i = 0; i < hues; ++i)
            if (used[static_cast<std::size_t>(i)])
                put(FMT_COMPILE(".h{0}{{stroke:{1};fill:{1}}}"), i, hue_circle(static_cast<double>(i) / hues));
    }

    /// Writes the gradient #blocks: blocks 0 .. p-1 side by side over `width`.
    template <class Out>
    void put_gradient(detail::pen<Out>& put, double width) const {
        put(FMT_COMPILE("<linearGradient id=\"blocks\" gradientUnits=\"userSpaceOnUse\" x1=\"0\" x2=\"{}\" y1=\"0\" "
                        "y2=\"0\">"),
            width);
        const rank_t stops = std::min<rank_t>(ranks, 64);
        for (rank_t i = 0; i < stops; ++i) {
            const double from = static_cast<double>(i) / static_cast<double>(stops);
            const double to = static_cast<double>(i + 1) / static_cast<double>(stops);
            const double block = (from + to) / 2 * static_cast<double>(ranks) - 0.5;
            for (const double offset : {from, to})
                put(FMT_COMPILE("<stop offset=\"{:.5f}\" stop-color=\"{}\"/>"), offset, hue_circle(turns(block)));
        }
        put.text("</linearGradient>");
    }
};

}}  // namespace collsched::COLLSCHED_ABI
