#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collsched/format/pictures/svg_canvas.hpp"
#include "tree_plan_svg_text.hpp"
#include "collsched/format/text.hpp"
#include "collsched/topology/switch_tree.hpp"

namespace collsched::pictures {

/// The colors of a tree plan. Sends between nodes whose lowest common switch is on level k have the class .lk. Higher
/// levels have brighter colors and wider lines.
class tree_plan_svg_style {
  public:
    /// The style rules in addition to those of svg_style.
    static constexpr std::string_view rules =
        ".box{fill:#20252b;stroke:#c3cad1}.has{stroke:#dfe4e8;fill:none}.tick{stroke:#20252b;"
        "stroke-opacity:.09;fill:none}\n"
        ".end-line{stroke:#20252b;stroke-dasharray:4 "
        "3;fill:none}.receives{fill-opacity:.45;stroke:none}.busy{stroke:none}"
        "\n"
        ".strong{font-weight:600}.root{fill:#20252b;stroke:#fff;stroke-width:1.5}.sends:hover .a{opacity:.2}"
        ".sends .a:hover{opacity:1}\n"
        "@media "
        "(prefers-color-scheme:dark){.box{fill:#e8ebee;stroke:#454e58}.has{stroke:#333b44}.tick{stroke:#e8ebee}\n"
        ".end-line{stroke:#e8ebee}.root{fill:#e8ebee;stroke:#15191e}}\n";

    /// Computes the levels on which nodes can meet. O(nodes + switches).
    explicit tree_plan_svg_style(const topology::switch_tree& switches) : place_(size(switches.levels()), -1) {
        std::vector<rank_t> branches(size(switches.switches()));
        for (rank_t c = 0; c < switches.nodes(); ++c) ++branches[size(switches.home(c))];
        for (rank_t e = 1; e < switches.switches(); ++e)
            if (switches.population(e) > 0) ++branches[size(switches.parent(e))];
        for (rank_t e = 0; e < switches.switches(); ++e)
            if (branches[size(e)] > 1) place_[size(switches.level(e))] = 0;
        for (int& place : place_)
            if (place == 0) place = common_levels_++;
    }

    /// Returns whether the lowest common switch of two nodes can be on this level.
    bool meets(rank_t level) const { return place_[size(level)] >= 0; }

    /// Writes the colors and line widths of all levels on which nodes can meet. `scale` is 1 for pictures with ample
    /// space.
    template <class Canvas>
    void put_levels(Canvas& put, double scale) const {
        put_each([&](rank_t level, double depth) {
            put(FMT_COMPILE(".l{0}{{stroke:{1};fill:{1};stroke-width:{2:.2f}}}"), level,
                color(depth, 0.63 + 0.06 * depth), scale * (2.4 - 1.3 * depth));
        });
        put.text("\n@media (prefers-color-scheme:dark){");
        put_each([&](rank_t level, double depth) {
            put(FMT_COMPILE(".l{0}{{stroke:{1};fill:{1}}}"), level, color(depth, 0.72 - 0.12 * depth));
        });
        put.text("}\n");
    }

  private:
    static constexpr std::size_t size(rank_t n) { return static_cast<std::size_t>(n); }

    /// Returns a color on the scale from vermilion through purple to slate.
    static std::string color(double depth, double lightness) {
        return hue_circle(0.09 - 0.4 * depth, lightness, 0.22 - 0.15 * depth);
    }
    template <class F>
    void put_each(F f) const {
        for (std::size_t level = 0; level < place_.size(); ++level)
            if (place_[level] >= 0)
                f(static_cast<rank_t>(level),
                  common_levels_ > 1 ? static_cast<double>(place_[level]) / (common_levels_ - 1) : 0.0);
    }

    std::vector<int> place_;  ///< per level: its index among those on which nodes can meet, or -1
    int common_levels_ = 0;
};

/// The legend of the picture of a tree plan: one line per level with sends, in columns if there are many.
class tree_plan_svg_legend {
  public:
    tree_plan_svg_legend(const tree_plan_svg_text& words, std::vector<tree_plan_svg_level> levels)
        : levels_(std::move(levels)) {
        std::size_t longest = 0;
        for (const tree_plan_svg_level& at : levels_) {
            texts_.push_back(words.sends(at));
            longest = std::max(longest, tree_plan_svg_text::width(texts_.back()));
        }
        column_ = 62 + character * static_cast<double>(longest);
        const auto fit = static_cast<std::size_t>(std::max(1.0, 1184 / column_));
        lines_ = texts_.size() <= 6 ? texts_.size() : (texts_.size() + fit - 1) / fit;
    }

    /// Returns the text of each level.
    const std::vector<std::string>& texts() const { return texts_; }
    double height() const { return line * static_cast<double>(lines_); }

    template <class Canvas>
    void put_levels(Canvas& put, double left_x, double top) const {
        for (std::size_t i = 0; i < texts_.size(); ++i) {
            const std::size_t column = i / lines_, row = i % lines_;
            const double x = left_x + column_ * static_cast<double>(column);
            const double y = top + line * static_cast<double>(row);
            put(FMT_COMPILE("<path class=\"l{}\" d=\""), levels_[i].level);
            put.arrow(x, y, x + 29, y, 9);
            put.text("\"/>");
            put.words("ink", x + 38, y + 4, texts_[i]);
        }
    }
    template <class Canvas>
    void put_bars(Canvas& put, double left_x, double y, bool many_to_one) const {
        double x = left_x;
        const auto item = [&](std::string_view sample, std::string_view meaning) {
            put(FMT_COMPILE("<g transform=\"translate({} {})\">{}</g>\n"), put.tenths(x), put.tenths(y), sample);
            put.words("note", x + 30, y + 4, meaning);
            x += 54 + character * static_cast<double>(meaning.size());
        };
        const auto bar = [&](std::string_view activity) {
            return fmt::format(
                FMT_COMPILE("<g class=\"l{}\"><rect class=\"{}\" y=\"-5\" width=\"22\" height=\"10\"/></g>"),
                levels_.front().level, activity);
        };
        item("<path class=\"has\" stroke-width=\"10\" d=\"M0 0h22\"/>",
             many_to_one ? "has not sent yet" : "has the message");
        if (levels_.empty()) return;
        item(bar("busy"), "sends");
        item(bar("receives"), "receives");
        put.words("note", left_x, y + 26,
                  "Boxes are switches. An arrow has the color of the highest switch that its message passes. "
                  "Hover for times and ways.");
    }

  private:
    static constexpr double line = 19, character = 6.3;

    std::vector<tree_plan_svg_level> levels_;
    std::vector<std::string> texts_{};
    double column_ = 0;
    std::size_t lines_ = 0;
};

}  // namespace collsched::pictures
