#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tree_plan_svg_text.hpp"
#include "collsched/format/pictures/svg_canvas.hpp"
#include "../texts/write_trace.hpp"
#include "collsched/simulate/trace.hpp"

namespace collsched::pictures {

/// Draws one simulated run. Each function draws one part of the picture.
template <class Out>
class timeline_picture {
    using kind = execution_graph::kind;

  public:
    timeline_picture(Out out, const execution_graph& graph, const simulation& run,
                     std::span<const simulation::critical_step> path, std::string_view heading)
        : put_(std::move(out)), graph_(graph), run_(run), path_(path), heading_(heading), style_{graph.ranks()} {
        row_ = std::clamp(900.0 / static_cast<double>(std::max<rank_t>(1, graph.ranks())), 6.0, 34.0);
        bottom_ = top + row_ * static_cast<double>(graph.ranks());
    }

    Out draw() {
        open();
        axis();
        messages();
        work();
        critical();
        names();
        put_.text("</svg>\n");
        return put_.done();
    }

  private:
    static constexpr double left = 56, right = 1016, top = 112;

    static double tenths(double x) { return svg_canvas<Out>::tenths(x); }
    double x(picoseconds t) const {
        const auto all = static_cast<double>(std::max<picoseconds>(1, run_.completion));
        return left + (right - left) * static_cast<double>(t) / all;
    }
    double y(rank_t r) const { return top + row_ * (static_cast<double>(r) + 0.5); }
    bool on_links() const { return !run_.link_uses.empty(); }
    double half() const { return std::min(6.0, row_ * 0.3); }
    std::string times(std::int64_t i) const {
        const simulation::activity& when = run_.activities[i];
        return fmt::format(FMT_COMPILE("rank {}: {}, {} to {} us"), graph_[i].rank, texts::activity_text(graph_, i),
                           microseconds(when.begin), microseconds(when.end));
    }

    void open() {
        put_.open(right + 24, bottom_ + 56, heading_);
        put_(FMT_COMPILE("<desc>{} ranks, {} us.</desc>\n<style>\n{}"), graph_.ranks(), microseconds(run_.completion),
             svg_style::rules);
        put_.text(
            ".way path{fill:none;stroke-width:1;stroke-opacity:.75}.strip{stroke:none;fill-opacity:.4}.way:hover "
            "path{stroke-width:3;stroke-opacity:1}.busy{stroke:none}.busy:hover{fill-opacity:."
            "7}\n"
            ".path{fill:none;stroke:#20252b;stroke-width:1.6;stroke-linejoin:round}\n"
            "@media (prefers-color-scheme:dark){.path{stroke:#fff}}\n");
        std::vector<bool> used(svg_style::hues);
        for (rank_t r = 0; r < graph_.ranks(); ++r)
            used[static_cast<std::size_t>(style_.hue_class(static_cast<double>(r)))] = true;
        style_.put_hues(put_, used);
        put_.text("</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\" rx=\"8\"/>\n");
        put_.words("ink title", left, 38, heading_);
        put_.words(
            "note fact", left, 60,
            fmt::format(FMT_COMPILE("{} ranks, complete after {} us"), graph_.ranks(), microseconds(run_.completion)));
        put_.words("note small", left, 78,
                   on_links() ? "lines: messages in their sender's color, strips: from its first to its last byte on "
                                "a link; black: the critical path"
                              : "bars: the processor works; lines: messages in their sender's color, strips: while it "
                                "streams; black: the critical path");
    }

    void axis() {
        std::string lines;
        tree_plan_svg_text::for_each_tick(run_.completion, [&](picoseconds t) {
            fmt::format_to(std::back_inserter(lines), FMT_COMPILE("M{} {}V{}"), tenths(x(t)), tenths(top),
                           tenths(bottom_));
            put_.words("note mid small", x(t), top - 8, tree_plan_svg_text::short_us(t) + (t == 0 ? " us" : ""));
        });
        put_(FMT_COMPILE(
                 "<path class=\"line\" stroke-width=\"1\" d=\"{}\"/>\n<path class=\"line\" stroke-width=\"1\" d=\""),
             lines);
        for (rank_t r = 0; r < graph_.ranks(); ++r)
            put_(FMT_COMPILE("M{} {}H{}"), tenths(left), tenths(y(r)), tenths(right));
        put_.text("\"/>\n");
    }

    /// Draws each message as a line from the departure of its first byte to the arrival of its last, with a strip at
    /// either end for the time in which the interface is busy with it.
    void messages() {
        for (std::int64_t i = 0; i < std::ssize(graph_.nodes()); ++i) {
            if (graph_[i].kind != kind::send) continue;
            const simulation::activity &sent = run_.activities[i], &receive = run_.activities[graph_[i].peer];
            const double y0 = y(graph_[i].rank), y1 = y(graph_[graph_[i].peer].rank), down = y0 < y1 ? 1 : -1;
            const int hue = style_.hue_class(static_cast<double>(graph_[i].rank));
            const double stream = x(sent.end) - x(sent.busy_until);
            put_(FMT_COMPILE("<g class=\"way h{}\"><title>{}; there at {} us</title><path d=\"M{} {}L{} {}\"/>"), hue,
                 xml_text(times(i)), microseconds(receive.arrival), tenths(x(sent.busy_until)), tenths(y0),
                 tenths(x(receive.arrival)), tenths(y1));
            if (stream >= 0.1) {
                strip(x(sent.busy_until), y0, stream, down);
                if (!on_links()) strip(std::max(left, x(receive.arrival) - stream), y1, stream, -down);
            }
            put_.text("</g>\n");
        }
    }
    void strip(double from, double at, double width, double down) {
        put_.text("<rect class=\"strip\"");
        put_.rectangle(from, down > 0 ? at : at - half() * 0.7, width, half() * 0.7);
        put_.text("/>");
    }
    void work() {
        for (std::int64_t i = 0; i < std::ssize(graph_.nodes()); ++i) {
            const simulation::activity& when = run_.activities[i];
            if (graph_[i].kind == kind::join || when.busy_until == when.begin) continue;
            put_(FMT_COMPILE("<rect class=\"busy h{}\""), style_.hue_class(static_cast<double>(graph_[i].rank)));
            put_.rectangle(x(when.begin), y(graph_[i].rank) - half(), std::max(0.4, x(when.busy_until) - x(when.begin)),
                           2 * half());
            put_(FMT_COMPILE("><title>{}</title></rect>\n"), xml_text(times(i)));
        }
    }
    void critical() {
        if (path_.empty()) return;
        put_.text("<path class=\"path\" d=\"");
        const char* pen = "M";
        for (const simulation::critical_step& step : path_) {
            if (step.cause == simulation::critical_step::delay::link) continue;  // a later send may have begun earlier
            const simulation::activity& when = run_.activities[step.node];
            const rank_t r = graph_[step.node].rank;
            put_(FMT_COMPILE("{}{} {}L{} {}"), pen, tenths(x(when.begin)), tenths(y(r)),
                 tenths(x(graph_[step.node].kind == kind::send ? when.busy_until : when.end)), tenths(y(r)));
            pen = "L";
        }
        put_.text("\"/>\n");
    }
    void names() {
        const rank_t stride = std::max<rank_t>(1, static_cast<rank_t>(std::ceil(11 / row_)));
        for (rank_t r = 0; r < graph_.ranks(); r += stride)
            put_.words("ink end", left - 8, y(r) + 4, fmt::format(FMT_COMPILE("{}"), r));
    }

    svg_canvas<Out> put_;
    const execution_graph& graph_;
    const simulation& run_;
    std::span<const simulation::critical_step> path_;
    std::string_view heading_;
    svg_style style_;
    double row_ = 0, bottom_ = 0;
};

/// Writes a space-time diagram of a simulated run: ranks over time with the activities of their processors, messages in
/// flight, and, if given, the critical path. Text O(vertices of the graph). The picture is readable up to some thousand
/// messages.
/// @param out      output iterator for the text
/// @param graph    graph of the schedule
/// @param run      result of trace() for the graph
/// @param path     result of critical_path(), or empty
/// @param heading  heading of the picture
/// @return the iterator behind the text
template <std::output_iterator<char> Out>
Out write_timeline_svg(Out out, const execution_graph& graph, const simulation& run,
                       std::span<const simulation::critical_step> path, std::string_view heading) {
    return timeline_picture<Out>(std::move(out), graph, run, path, heading).draw();
}

}  // namespace collsched::pictures
