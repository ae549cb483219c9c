#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collsched/format/pictures/detail/svg_canvas.hpp"
#include "collsched/format/pictures/detail/tree_plan_svg_sends.hpp"
#include "collsched/format/pictures/detail/tree_plan_svg_text.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

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
    void put_levels(Canvas& put, double left, double top) const {
        for (std::size_t i = 0; i < texts_.size(); ++i) {
            const std::size_t column = i / lines_, row = i % lines_;
            const double x = left + column_ * static_cast<double>(column);
            const double y = top + line * static_cast<double>(row);
            put(FMT_COMPILE("<path class=\"l{}\" d=\""), levels_[i].level);
            put.arrow(x, y, x + 29, y, 9);
            put.text("\"/>");
            put.words("ink", x + 38, y + 4, texts_[i]);
        }
    }
    template <class Canvas>
    void put_bars(Canvas& put, double left, double y, bool many_to_one) const {
        double x = left;
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
        put.words("note", left, y + 26,
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

}}}  // namespace collsched::COLLSCHED_ABI::detail
