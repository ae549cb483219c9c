#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "collsched/core/rank.hpp"
#include "collsched/format/pictures/detail/hue_circle.hpp"
#include "collsched/format/detail/pen.hpp"
#include "collsched/format/text.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

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
    void put_hues(pen<Out>& put, const std::vector<bool>& used) const {
        for (int i = 0; i < hues; ++i)
            if (used[static_cast<std::size_t>(i)])
                put(FMT_COMPILE(".h{0}{{stroke:{1};fill:{1}}}"), i,
                    hex_text(hue_circle(static_cast<double>(i) / hues)));
    }

    /// Writes the gradient #blocks: blocks 0 .. p-1 side by side over `width`.
    template <class Out>
    void put_gradient(pen<Out>& put, double width) const {
        put(FMT_COMPILE("<linearGradient id=\"blocks\" gradientUnits=\"userSpaceOnUse\" x1=\"0\" x2=\"{}\" y1=\"0\" "
                        "y2=\"0\">"),
            width);
        const rank_t stops = std::min<rank_t>(ranks, 64);
        for (rank_t i = 0; i < stops; ++i) {
            const double from = static_cast<double>(i) / static_cast<double>(stops);
            const double to = static_cast<double>(i + 1) / static_cast<double>(stops);
            const double block = (from + to) / 2 * static_cast<double>(ranks) - 0.5;
            for (const double offset : {from, to})
                put(FMT_COMPILE("<stop offset=\"{:.5f}\" stop-color=\"{}\"/>"), offset,
                    hex_text(hue_circle(turns(block))));
        }
        put.text("</linearGradient>");
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
