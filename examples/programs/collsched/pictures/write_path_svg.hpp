#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tree_plan_svg_text.hpp"
#include "collsched/format/pictures/svg_canvas.hpp"
#include "../texts/write_trace.hpp"
#include "collsched/simulate/trace.hpp"

namespace collsched::pictures {

/// Draws the critical path of one simulated run. Each function draws one part of the picture.
template <class Out>
class path_picture {
    using usage = simulation::path_interval::part;

  public:
    path_picture(Out out, const execution_graph& graph, picoseconds completion,
                 std::span<const simulation::critical_step> path, std::span<const simulation::path_interval> intervals,
                 std::span<const std::string> links)
        : put_(std::move(out)),
          graph_(graph),
          completion_(completion),
          path_(path),
          intervals_(intervals),
          links_(links),
          parts_(parts_of(intervals)) {
        for (const simulation::critical_step& step : path) ranks_.push_back(graph[step.node].rank);
        if (!path.empty()) ranks_.push_back(next_rank(std::ssize(path) - 1));
        std::ranges::sort(ranks_);
        ranks_.erase(std::ranges::unique(ranks_).begin(), ranks_.end());
        const auto rows = static_cast<double>(std::max<std::size_t>(1, ranks_.size()));
        row_ = std::clamp(700.0 / rows, 6.0, 34.0);
        bottom_ = top + row_ * rows;
    }

    Out draw(std::string_view heading, std::string_view note) {
        open(heading, note);
        legend();
        axis();
        strip();
        for (std::size_t k = 0; k < intervals_.size(); ++k) interval(k);
        put_.text("</svg>\n");
        return put_.done();
    }

  private:
    static constexpr double left = 56, right = 1016, strip_top = 124, strip_height = 16, top = 152;
    /// Angles of the parts on the circle of hues, in turns.
    static constexpr std::array<double, time_parts::count> turns = {0, 0.16, 0.3, 0.72, 0.5, 0.02};

    static double tenths(double x) { return svg_canvas<Out>::tenths(x); }
    double x(picoseconds t) const {
        const auto all = static_cast<double>(std::max<picoseconds>(1, completion_));
        return left + (right - left) * static_cast<double>(t) / all;
    }
    rank_t rank(std::int64_t step) const { return graph_[path_[static_cast<std::size_t>(step)].node].rank; }
    /// Returns the rank to which the path goes after a step: that of the next step; of the last one, its receiver.
    rank_t next_rank(std::int64_t step) const {
        if (step + 1 < std::ssize(path_)) return rank(step + 1);
        const execution_graph::node& last = graph_[path_[static_cast<std::size_t>(step)].node];
        return last.kind == execution_graph::kind::send ? graph_[last.peer].rank : last.rank;
    }
    /// Returns the height of the row of a rank.
    double y(rank_t r) const {
        return top + row_ * (static_cast<double>(std::ranges::lower_bound(ranks_, r) - ranks_.begin()) + 0.5);
    }

    void open(std::string_view heading, std::string_view note) {
        put_.open(right + 24, bottom_ + 24, heading);
        put_(FMT_COMPILE("<desc>{}</desc>\n<style>\n{}"), xml_text(note), svg_style::rules);
        put_.text(".use{stroke-width:4;fill:none}.use:hover{stroke-width:7}.strip{stroke:none}\n");
        for (std::size_t i = 0; i < turns.size(); ++i) {
            const bool idle = static_cast<usage>(i) == usage::waiting;
            put_(FMT_COMPILE(".u{0}{{stroke:{1};fill:{1}}}"), i, idle ? "#9aa3ad" : hue_circle(turns[i]));
        }
        put_.text("\n</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\" rx=\"8\"/>\n");
        put_.words("ink title", left, 38, heading);
        put_.words("note fact", left, 60, note);
    }

    /// Names the parts with their times.
    void legend() {
        double from = left;
        for (std::size_t i = 0; i < parts_.sums.size(); ++i) {
            if (parts_.sums[i] == 0) continue;
            const std::string text = fmt::format(FMT_COMPILE("{} {} us"), name_of(static_cast<usage>(i)),
                                                 tree_plan_svg_text::short_us(parts_.sums[i]));
            put_(FMT_COMPILE("<rect class=\"strip u{}\""), i);
            put_.rectangle(from, 74, 12, 12);
            put_.text("/>\n");
            put_.words("ink", from + 17, 84, text);
            from += 36 + 6.2 * static_cast<double>(text.size());
        }
    }

    void axis() {
        std::string lines;
        tree_plan_svg_text::for_each_tick(completion_, [&](picoseconds t) {
            fmt::format_to(std::back_inserter(lines), FMT_COMPILE("M{} {}V{}"), tenths(x(t)), tenths(strip_top),
                           tenths(bottom_));
            put_.words("note mid small", x(t), strip_top - 8, tree_plan_svg_text::short_us(t) + (t == 0 ? " us" : ""));
        });
        for (std::size_t i = 0; i < ranks_.size(); ++i)
            fmt::format_to(std::back_inserter(lines), FMT_COMPILE("M{} {}H{}"), tenths(left),
                           tenths(top + row_ * (static_cast<double>(i) + 0.5)), tenths(right));
        put_(FMT_COMPILE("<path class=\"line\" stroke-width=\"1\" d=\"{}\"/>\n"), lines);
        const auto stride = static_cast<std::size_t>(std::ceil(11 / row_));
        for (std::size_t i = 0; i < ranks_.size(); i += stride)
            put_.words("ink end", left - 8, top + row_ * (static_cast<double>(i) + 0.5) + 4,
                       fmt::format(FMT_COMPILE("{}"), ranks_[i]));
    }

    /// Draws all intervals side by side.
    void strip() {
        for (const simulation::path_interval& at : intervals_) {
            put_(FMT_COMPILE("<rect class=\"strip u{}\""), static_cast<int>(at.use));
            put_.rectangle(x(at.begin), strip_top, std::max(0.1, x(at.end) - x(at.begin)), strip_height);
            put_(FMT_COMPILE("><title>{}</title></rect>\n"), xml_text(text_of(at)));
        }
    }

    /// Draws an interval in the row of its rank, or as a piece of the line from the sender of a message to its receiver.
    void interval(std::size_t k) {
        const simulation::path_interval& at = intervals_[k];
        if (path_.empty()) return;
        double from = y(at.step < 0 ? ranks_.front() : rank(at.step)), to = from;
        if (is_flight(at)) {
            std::size_t first = k, last = k;
            while (first > 0 && is_flight(intervals_[first - 1]) && intervals_[first - 1].step == at.step) --first;
            while (last + 1 < intervals_.size() && is_flight(intervals_[last + 1]) &&
                   intervals_[last + 1].step == at.step)
                ++last;
            const picoseconds begin = intervals_[first].begin, end = intervals_[last].end;
            const double rise = (y(next_rank(at.step)) - from) / static_cast<double>(end - begin), base = from;
            from = base + rise * static_cast<double>(at.begin - begin);
            to = base + rise * static_cast<double>(at.end - begin);
        }
        put_(FMT_COMPILE("<path class=\"use u{}\" d=\"M{} {}L{} {}\"><title>{}</title></path>\n"),
             static_cast<int>(at.use), tenths(x(at.begin)), tenths(from), tenths(x(at.end)), tenths(to),
             xml_text(text_of(at)));
    }
    /// Returns whether a message is on its way.
    bool is_flight(const simulation::path_interval& at) const {
        const bool message = at.use == usage::latency || at.use == usage::bandwidth || at.use == usage::contention;
        return message && at.step >= 0;
    }
    /// Returns the description of an interval: "rank 0: send 12 bytes to 2, bandwidth from 3.5 to 4 us, limited by to B".
    std::string text_of(const simulation::path_interval& at) const {
        std::string text;
        if (at.step >= 0) {
            const std::int64_t node = path_[static_cast<std::size_t>(at.step)].node;
            text = fmt::format(FMT_COMPILE("rank {}: {}, "), graph_[node].rank, texts::activity_text(graph_, node));
        }
        text += fmt::format(FMT_COMPILE("{} from {} to {} us"), name_of(at.use), microseconds(at.begin),
                            microseconds(at.end));
        if (at.link >= 0 && at.link < std::ssize(links_))
            text += ", limited by the link " + links_[static_cast<std::size_t>(at.link)];
        return text;
    }

    svg_canvas<Out> put_;
    const execution_graph& graph_;
    picoseconds completion_;
    std::span<const simulation::critical_step> path_;
    std::span<const simulation::path_interval> intervals_;
    std::span<const std::string> links_;
    time_parts parts_;
    std::vector<rank_t> ranks_{};  // of the path, ascending
    double row_ = 0, bottom_ = 0;
};

/// Writes a picture of a critical path: its ranks over time, its messages as lines, and each interval in the color of its
/// use. Above them all intervals are side by side. Text O(intervals).
/// @param out         output iterator for the text
/// @param graph       graph of the schedule
/// @param completion  completion of the run, in picoseconds
/// @param path        result of critical_path()
/// @param intervals   result of path_intervals()
/// @param links       names of the links, by index, or empty
/// @param heading     heading of the picture
/// @param note        line below the heading
/// @return the iterator behind the text
template <std::output_iterator<char> Out>
Out write_path_svg(Out out, const execution_graph& graph, picoseconds completion,
                   std::span<const simulation::critical_step> path,
                   std::span<const simulation::path_interval> intervals, std::span<const std::string> links,
                   std::string_view heading, std::string_view note) {
    return path_picture<Out>(std::move(out), graph, completion, path, intervals, links).draw(heading, note);
}

}  // namespace collsched::pictures
