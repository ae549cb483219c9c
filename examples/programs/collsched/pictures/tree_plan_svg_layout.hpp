#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tree_plan_svg_text.hpp"

namespace collsched::pictures {

/// The box of a switch: a frame around its nodes, with or without a line for its name.
struct tree_plan_svg_box {
    rank_t vertex = 0;
    double x = 0, right = 0, top = 0, bottom = 0;
    bool named = false;
};

/// Positions in the picture of a tree plan, in user units: nodes are rows within the nested boxes of their switches,
/// and time runs to the right. The cluster must outlive the layout.
class tree_plan_svg_layout {
  public:
    static constexpr double margin = 28, name_line = 18;

    double row = 0, left = 0, right = 1212, width = 1240, bottom = 0;
    std::vector<tree_plan_svg_box> boxes{};  ///< outer boxes before inner ones
    std::vector<rank_t> order{};             ///< the nodes from top to bottom

    /// Computes the layout. The rows begin at `top`. `completion` is the last time of the axis. O(nodes log(nodes)
    /// levels).
    tree_plan_svg_layout(const cluster& c, picoseconds completion, double top)
        : bottom(top), switches_(c.cost.switches()), span_(completion) {
        const rank_t p = switches_.nodes();
        row = p <= 8 ? 34 : p <= 16 ? 26 : p <= 32 ? 20 : p <= 64 ? 13 : p <= 128 ? 9 : p <= 256 ? 6 : 4;
        indent_ = std::min(12.0, 120.0 / static_cast<double>(switches_.levels()));
        sort_rows();
        choose_names();
        stack_rows();
        find_left(tree_plan_svg_text(c));
    }

    double y(rank_t r) const { return y_[size(r)]; }
    double x(picoseconds t) const {
        return left + (right - left) * static_cast<double>(t) / static_cast<double>(std::max<picoseconds>(span_, 1));
    }
    /// Returns the position of the completion time, or the right edge if the completion time is 0.
    double end() const { return span_ > 0 ? x(span_) : right; }
    double bar() const { return std::min(row * 0.55, 11.0); }
    bool large() const { return row >= 20; }
    /// Returns the scale of line widths.
    double scale() const { return large() ? 1 : row >= 9 ? 0.65 : 0.45; }

  private:
    static constexpr std::size_t size(rank_t n) { return static_cast<std::size_t>(n); }

    /// Sorts the nodes depth first. The branches of a switch are visited in ascending order of their lowest rank.
    void sort_rows() {
        const rank_t p = switches_.nodes();
        std::vector<rank_t> least(size(switches_.switches()), p);
        for (rank_t r = p; r-- > 0;) least[size(switches_.home(r))] = r;
        for (rank_t e = switches_.switches(); e-- > 1;) {
            rank_t& above = least[size(switches_.parent(e))];
            above = std::min(above, least[size(e)]);
        }
        const auto branch = [&](rank_t r, rank_t top) {
            rank_t e = switches_.home(r);
            if (e == top) return r;
            while (switches_.parent(e) != top) e = switches_.parent(e);
            return least[size(e)];
        };
        for (rank_t r = 0; r < p; ++r) order.push_back(r);
        std::sort(order.begin(), order.end(), [&](rank_t a, rank_t b) {
            const rank_t top = switches_.common_switch(a, b);
            return a != b && branch(a, top) < branch(b, top);
        });
    }

    /// Selects the levels with names, from the top down, while names take at most a third of the rows.
    void choose_names() {
        std::vector<double> on_level(size(switches_.levels()));
        for (rank_t e = 0; e < switches_.switches(); ++e)
            if (switches_.population(e) > 0 || e == 0) on_level[size(switches_.level(e))] += name_line;
        double room = std::max(320.0, row * static_cast<double>(switches_.nodes()) / 3);
        for (const double lines : on_level) named_.push_back((room -= lines) >= 0);
    }

    void open(rank_t e) {
        const rank_t level = switches_.level(e);
        const double inset = static_cast<double>(level) * indent_;
        boxes.push_back({e, margin + inset, width - margin + 12 - inset / 3, bottom, 0, named_[size(level)]});
        open_.push_back(boxes.size() - 1);
        bottom += named_[size(level)] ? name_line : pad();
    }
    void close() {
        bottom += pad();
        boxes[open_.back()].bottom = bottom;
        bottom += pad() * 0.8;
        open_.pop_back();
    }
    /// Places the rows of nodes and the boxes between them.
    void stack_rows() {
        y_.resize(order.size());
        open(0);
        std::vector<rank_t> way;
        for (const rank_t r : order) {
            const auto open_switch = [&] { return boxes[open_.back()].vertex; };
            while (switches_.common_ancestor(open_switch(), switches_.home(r)) != open_switch()) close();
            way.clear();
            for (rank_t e = switches_.home(r); e != open_switch(); e = switches_.parent(e)) way.push_back(e);
            for (; !way.empty(); way.pop_back()) open(way.back());
            y_[size(r)] = bottom + row / 2;
            bottom += row;
        }
        while (!open_.empty()) close();
    }
    double pad() const {
        return std::min(row >= 13 ? 5.0 : row >= 6 ? 3.0 : 1.5, 60 / static_cast<double>(switches_.levels()));
    }

    /// Computes the start of the time axis, right of all names.
    void find_left(const tree_plan_svg_text& words) {
        constexpr double character = 6.5;
        const auto room = [](const std::string& name) {
            return character * static_cast<double>(tree_plan_svg_text::width(tree_plan_svg_text::clipped(name)));
        };
        for (const tree_plan_svg_box& box : boxes)
            if (box.named) left = std::max(left, box.x + 12 + room(words.switch_name(box.vertex)));
        for (const rank_t r : order)
            left = std::max(left, margin + indent_ * static_cast<double>(switches_.level(switches_.home(r)) + 1) + 40 +
                                      room(words.node(r)));
        left = std::max(left, margin + 60.0);
        right = boxes.back().right - 20;
        for (const tree_plan_svg_box& box : boxes) right = std::min(right, box.right - 20);
    }

    topology::switch_tree switches_;
    picoseconds span_;
    double indent_ = 0;
    std::vector<bool> named_{};  ///< per level: whether its boxes show their names
    std::vector<std::size_t> open_{};
    std::vector<double> y_{};
};

}  // namespace collsched::pictures
