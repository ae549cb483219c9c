#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "collsched/format/text.hpp"
#include "collsched/format/pictures/svg_canvas.hpp"
#include "tree_plan_svg_layout.hpp"
#include "tree_plan_svg_legend.hpp"
#include "tree_plan_svg_text.hpp"

namespace collsched::pictures {

/// Draws one tree plan. Each function draws one part of the picture.
template <class Out>
class plan_picture {
  public:
    plan_picture(Out out, const cluster& c, const tree_plan& plan, std::string_view planner)
        : put_(std::move(out)),
          switches_(c.cost.switches()),
          plan_(plan),
          heading_(c.name.empty() ? std::string(planner) : fmt::format(FMT_COMPILE("{} on {}"), planner, c.name)),
          words_(c),
          style_(c.cost.switches()),
          sends_(tree_plan_svg_sends(c, plan)),
          legend_(words_, tree_plan_svg_levels(c, sends_)),
          at_(c, plan.completion, 108 + legend_.height()) {}

    Out draw() {
        open();
        heading();
        boxes();
        axis();
        lanes();
        names();
        sends();
        completion();
        legend_.put_bars(put_, margin, at_.bottom + 46, plan_.many_to_one);
        put_.text("</svg>\n");
        return put_.done();
    }

  private:
    using canvas = svg_canvas<Out>;
    static constexpr double margin = tree_plan_svg_layout::margin;

    static double tenths(double x) { return canvas::tenths(x); }
    bool is_root(rank_t r) const { return r == plan_.root; }

    void open() {
        const rank_t p = switches_.nodes();
        put_.open(at_.width, at_.bottom + 92,
                  fmt::format(FMT_COMPILE("{}, {} rank{}"), heading_, p, tree_plan_svg_text::plural(p)));
        put_(FMT_COMPILE("<desc>{}."), xml_text(words_.facts(plan_)));
        for (const std::string& text : legend_.texts()) put_(FMT_COMPILE(" {}."), xml_text(text));
        put_(FMT_COMPILE("</desc>\n<style>\n{}{}"), svg_style::rules, tree_plan_svg_style::rules);
        style_.put_levels(put_, at_.scale());
        put_.text("</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\" rx=\"8\"/>\n");
    }

    void heading() {
        put_.words("ink title", margin, 38, heading_);
        put_.words("note fact", margin, 60, words_.facts(plan_));
        legend_.put_levels(put_, margin, 82);
    }

    void boxes() {
        put_(FMT_COMPILE("<g fill-opacity=\"{:.3f}\">\n"),
             std::min(0.025, 0.1 / static_cast<double>(switches_.levels())));
        for (const tree_plan_svg_box& box : at_.boxes) {
            const rank_t n = switches_.population(box.vertex);
            put_.text("<rect class=\"box\" rx=\"3\"");
            put_.rectangle(box.x, box.top, box.right - box.x, box.bottom - box.top);
            put_(FMT_COMPILE("><title>{}: {} rank{}</title></rect>\n"), xml_text(words_.switch_name(box.vertex)), n,
                 tree_plan_svg_text::plural(n));
        }
        put_.text("</g>\n");
        for (const tree_plan_svg_box& box : at_.boxes) {
            if (const rank_t level = switches_.level(box.vertex); style_.meets(level))
                put_(FMT_COMPILE("<path class=\"l{}\" d=\"M{} {}V{}\"/>\n"), level, tenths(box.x), tenths(box.top + 2),
                     tenths(box.bottom - 2));
            if (box.named)
                put_.words("ink strong", box.x + 8, box.top + 13,
                           tree_plan_svg_text::clipped(words_.switch_name(box.vertex)));
        }
    }

    void axis() {
        const tree_plan_svg_box& all = at_.boxes.front();
        std::string lines;
        tree_plan_svg_text::for_each_tick(plan_.completion, [&](picoseconds t) {
            fmt::format_to(std::back_inserter(lines), FMT_COMPILE("M{} {}V{}"), tenths(at_.x(t)), tenths(all.top),
                           tenths(all.bottom));
            put_.words("note mid", at_.x(t), all.top - 8, tree_plan_svg_text::short_us(t) + (t == 0 ? " us" : ""));
        });
        put_(FMT_COMPILE("<path class=\"tick\" d=\"{}\"/>\n"), lines);
    }

    /// Draws the life lines, with the interval in which each rank has the message.
    void lanes() {
        put_(FMT_COMPILE("<path class=\"line\" stroke-width=\"{}\" d=\""), at_.scale());
        for (const rank_t r : at_.order)
            put_(FMT_COMPILE("M{} {}H{}"), tenths(at_.left), tenths(at_.y(r)), tenths(at_.right));
        put_.text("\"/>\n");
        if (plan_.error) return;
        std::vector<double> from(at_.order.size(), at_.left), until(at_.order.size(), at_.end());
        for (const tree_plan_svg_send& s : sends_) {
            if (plan_.many_to_one) until[static_cast<std::size_t>(s.from)] = at_.x(s.sent);
            else from[static_cast<std::size_t>(s.to)] = at_.x(s.accepted);
        }
        put_(FMT_COMPILE("<g stroke-width=\"{}\">\n"), tenths(at_.bar()));
        for (const rank_t r : at_.order) {
            const auto i = static_cast<std::size_t>(r);
            put_(FMT_COMPILE("<path class=\"has\" d=\"M{} {}H{}\"><title>{}: ready after {} us</title></path>\n"),
                 tenths(from[i]), tenths(at_.y(r)), tenths(until[i]), xml_text(words_.node(r)),
                 microseconds(plan_.ready[r]));
        }
        put_.text("</g>\n");
    }

    /// Writes as many node names as there is room for, always including the root's.
    void names() {
        constexpr double height = 12;
        double last = -height;
        const auto root = std::find(at_.order.begin(), at_.order.end(), plan_.root);
        const double reserved = root == at_.order.end() ? -height : at_.y(plan_.root);
        for (const rank_t r : at_.order) {
            const double y = at_.y(r);
            if (!is_root(r) && (y - last < height || std::abs(y - reserved) < height)) continue;
            put_(FMT_COMPILE("<text class=\"ink end{}\" x=\"{}\" y=\"{}\">{}{}</text>\n"), is_root(r) ? " strong" : "",
                 tenths(at_.left - 12), tenths(y + 4), is_root(r) ? "<tspan class=\"note\">root</tspan> " : "",
                 xml_text(tree_plan_svg_text::clipped(words_.node(r))));
            last = y;
        }
    }

    /// Draws the sends in ascending order of level, so that bright lines are on top, then the mark of the root.
    void sends() {
        std::vector<const tree_plan_svg_send*> lowest_first;
        for (const tree_plan_svg_send& s : sends_) lowest_first.push_back(&s);
        std::sort(lowest_first.begin(), lowest_first.end(),
                  [&](const tree_plan_svg_send* a, const tree_plan_svg_send* b) {
                      const rank_t of_a = switches_.level(a->common_switch), of_b = switches_.level(b->common_switch);
                      return of_a != of_b ? of_a > of_b : a < b;
                  });
        put_.text("<g class=\"sends\">\n");
        for (const tree_plan_svg_send* s : lowest_first) send(*s);
        put_.text("</g>\n");
        const double half = at_.large() ? 7 : 5;
        for (const rank_t r : at_.order)
            if (is_root(r))
                put_(FMT_COMPILE("<path class=\"root\" d=\"M{0} {1}l{2} -{2}l{2} {2}l-{2} {2}z\"/>\n"),
                     tenths(at_.left - half), tenths(at_.y(r)), half);
    }

    void send(const tree_plan_svg_send& s) {
        put_(FMT_COMPILE("<g class=\"a l{}\"><title>{}</title>"), switches_.level(s.common_switch),
             xml_text(words_.send(s, plan_.bytes)));
        bar("busy", s.from, s.start, s.sent);
        bar("receives", s.to, s.accepted, s.ready);
        put_.text("<path d=\"");
        put_.arrow(at_.x(s.start), at_.y(s.from), at_.x(s.start + s.takes()), at_.y(s.to), at_.large() ? 9 : 5.5);
        put_.text("\"/></g>\n");
    }

    /// Draws a bar, with a gap behind it if there is room for one.
    void bar(std::string_view style, rank_t r, picoseconds from, picoseconds until) {
        const double x = at_.x(from), length = at_.x(until) - x;
        put_(FMT_COMPILE("<rect class=\"{}\""), style);
        put_.rectangle(x, at_.y(r) - at_.bar() / 2, std::max(length > 4 ? length - 1 : length, 0.7), at_.bar());
        put_.text("/>");
    }

    void completion() {
        if (sends_.empty()) return;
        const double x = at_.end(), y = at_.bottom + 18;
        put_(FMT_COMPILE("<path class=\"end-line\" d=\"M{} {}V{}\"/>\n"), tenths(x), tenths(at_.boxes.front().top),
             tenths(y - 11));
        put_.words("ink end strong", x, y,
                   fmt::format(FMT_COMPILE("complete after {} us"), tree_plan_svg_text::short_us(plan_.completion)));
    }

    canvas put_;
    topology::switch_tree switches_;
    const tree_plan& plan_;
    std::string heading_;
    tree_plan_svg_text words_;
    tree_plan_svg_style style_;
    std::vector<tree_plan_svg_send> sends_;
    tree_plan_svg_legend legend_;
    tree_plan_svg_layout at_;
};

/// Writes a picture of a tree plan for the nodes of a cluster: nodes are rows within the boxes of their switches, time
/// runs to the right, and each send is an arrow in the color of the level of the lowest common switch. The colors suit
/// light and dark pages. Small clusters show all names; large ones have tooltips.
/// @pre the plan was made for this cluster, or planning failed
/// O(ranks log(ranks) levels) time.
/// @param out      output iterator for the text
/// @param c        cluster of the plan
/// @param plan     a tree plan
/// @param planner  name of the planner
/// @return the iterator behind the text
template <std::output_iterator<char> Out>
Out write_tree_plan_svg(Out out, const cluster& c, const tree_plan& plan, std::string_view planner) {
    return plan_picture<Out>(std::move(out), c, plan, planner).draw();
}

}  // namespace collsched::pictures
