#include "line_plot.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "collsched/format.hpp"

using namespace collsched;

namespace {

constexpr double plot_left = 70, plot_top = 50, plot_width = 620, plot_height = 400, label_height = 15;

/// Maps lowest .. highest on a logarithmic scale to first .. last.
struct log_axis {
    double lowest, highest, first, last;

    double at(double value) const {
        return first + (last - first) * std::log(value / lowest) / std::log(highest / lowest);
    }
};

struct end_label {
    double y;
    std::size_t line;
};

/// Returns labels at the ends of lines, moved apart where they overlap.
std::vector<end_label> end_labels(const std::vector<plotted_line>& lines, const log_axis& y) {
    std::vector<end_label> labels;
    for (std::size_t i = 0; i < lines.size(); ++i) labels.push_back({y.at(lines[i].y.back()), i});
    std::sort(labels.begin(), labels.end(), [](const end_label& a, const end_label& b) { return a.y < b.y; });
    for (std::size_t i = 1; i < labels.size(); ++i) labels[i].y = std::max(labels[i].y, labels[i - 1].y + label_height);
    return labels;
}

/// Returns the room for the names right of the axes, for letters of at most 7 units.
double label_room(const std::vector<plotted_line>& lines) {
    std::size_t longest = 0;
    for (const plotted_line& line : lines) longest = std::max(longest, line.name.size());
    return std::max(170.0, 16 + 7 * static_cast<double>(longest));
}

std::string grid(const log_axis& x, const log_axis& y, const std::vector<double>& ticks) {
    constexpr double room = 26;  // height of a label below the axis
    std::string svg;
    double next = plot_left;
    for (const double tick : ticks) {
        const bool fits = tick == ticks.back() || (x.at(tick) >= next && x.at(tick) + room <= x.at(ticks.back()));
        svg += fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\"/>\n", x.at(tick),
                           plot_top, plot_top + plot_height);
        if (!fits) continue;
        svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x.at(tick),
                           plot_top + plot_height + 18, tick);
        next = x.at(tick) + room;
    }
    for (double power = std::pow(10, std::floor(std::log10(y.lowest))); power <= y.highest; power *= 10)
        for (const double value : {power, 2 * power, 5 * power}) {
            if (value < y.lowest || value > y.highest) continue;
            svg += fmt::format(
                "<line class=\"grid\" x1=\"{1}\" y1=\"{0:.1f}\" x2=\"{2}\" y2=\"{0:.1f}\"/>"
                "<text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
                y.at(value), plot_left, plot_left + plot_width, plot_left - 8, y.at(value) + 4, value);
        }
    return svg;
}

}  // namespace

std::string line_plot(const std::string& title, const std::string& x_name, const std::string& y_name,
                      const std::vector<plotted_line>& lines) {
    log_axis x{1e300, 0, plot_left, plot_left + plot_width}, y{1e300, 0, plot_top + plot_height, plot_top};
    std::vector<double> ticks;
    for (const plotted_line& line : lines) {
        for (const double value : line.x) {
            x.lowest = std::min(x.lowest, value), x.highest = std::max(x.highest, value);
            if (std::find(ticks.begin(), ticks.end(), value) == ticks.end()) ticks.push_back(value);
        }
        for (const double value : line.y) y.lowest = std::min(y.lowest, value), y.highest = std::max(y.highest, value);
    }
    std::sort(ticks.begin(), ticks.end());
    if (x.lowest == x.highest) x.highest = 2 * x.lowest;
    y.lowest /= 1.2, y.highest *= 1.2;
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\">\n<title>{}</title>\n"
        "<style>text{{font:12px sans-serif;fill:#222}}.grid{{stroke:#ccc}}.line{{fill:none;stroke-width:2}}"
        "svg{{background:#fff}}@media(prefers-color-scheme:dark){{svg{{background:#181818}}text{{fill:#ddd}}"
        ".grid{{stroke:#444}}}}</style>\n<text x=\"{}\" y=\"24\" style=\"font-size:15px\">{}</text>\n",
        plot_left + plot_width + label_room(lines), plot_top + plot_height + 50, xml_text(title), plot_left,
        xml_text(title));
    svg += grid(x, y, ticks);
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", plot_left + plot_width / 2,
                       plot_top + plot_height + 40, xml_text(x_name));
    svg += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", plot_left, plot_top - 8, xml_text(y_name));
    const auto color = [&](std::size_t i) { return 360 * i / lines.size(); };
    for (std::size_t i = 0; i < lines.size(); ++i) {
        svg += fmt::format("<polyline class=\"line\" stroke=\"hsl({},65%,45%)\"{} points=\"", color(i),
                           lines[i].dashed ? " stroke-dasharray=\"6 4\"" : "");
        for (std::size_t k = 0; k < lines[i].x.size(); ++k)
            svg += fmt::format("{:.1f},{:.1f} ", x.at(lines[i].x[k]), y.at(lines[i].y[k]));
        svg += fmt::format("\"><title>{}</title></polyline>\n", xml_text(lines[i].name));
        for (const std::size_t k : lines[i].marks)
            svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"hsl({},65%,45%)\"/>\n",
                               x.at(lines[i].x[k]), y.at(lines[i].y[k]), color(i));
    }
    for (const end_label& label : end_labels(lines, y))
        svg +=
            fmt::format("<text x=\"{}\" y=\"{:.1f}\" style=\"fill:hsl({},65%,45%)\">{}</text>\n",
                        plot_left + plot_width + 8, label.y + 4, color(label.line), xml_text(lines[label.line].name));
    return svg + "</svg>\n";
}
