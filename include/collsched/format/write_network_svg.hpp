#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collsched/format/detail/network_layout.hpp"
#include "collsched/format/detail/svg_canvas.hpp"
#include "collsched/format/detail/svg_style.hpp"
#include "collsched/format/text.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// The marks of a picture of a network, beside its vertices and links.
struct network_marks {
    std::string title{};              ///< heading
    std::string note{};               ///< line below the heading
    std::vector<double> load{};       ///< per link: bytes per second; empty: none
    std::vector<rank_t> cut{};        ///< vertices that are marked
    std::vector<std::int64_t> links;  ///< indices of links that are marked
};

namespace detail {

/// Returns the name of a vertex: that of the network, or "r3" for rank 3 and "s0" for the first switch.
inline std::string vertex_name(const topology::network& net, rank_t v) {
    if (*net.name(v) != '\0') return net.name(v);
    return net.is_switch(v) ? fmt::format(FMT_COMPILE("s{}"), v - net.ranks()) : fmt::format(FMT_COMPILE("r{}"), v);
}

/// Draws a network: ranks as circles, switches as squares, a line per pair of vertices and direction.
template <class Out>
class network_picture {
  public:
    network_picture(Out out, const topology::network& net, const network_marks& marks)
        : put_(std::move(out)), net_(net), marks_(marks), places_(network_layout(net).places()) {
        fit();
    }

    Out draw() {
        put_.open(width, height_ + top + margin, marks_.title);
        put_(FMT_COMPILE("<style>\n{}{}</style>\n"), svg_style::rules, rules);
        put_.text("<rect class=\"paper\" width=\"100%\" height=\"100%\" rx=\"8\"/>\n");
        put_.words("ink title", margin, 36, marks_.title);
        put_.words("note fact", margin, 58, marks_.note);
        lines();
        for (rank_t v = 0; v < net_.vertices(); ++v) vertex(v);
        put_.text("</svg>\n");
        return put_.done();
    }

  private:
    static constexpr double width = 960, margin = 40, top = 90;
    static constexpr std::string_view rules =
        ".k{stroke:#b6bec7;fill:none;stroke-width:1.4}.u1{stroke:#7fb2d9}.u2{stroke:#3f8fd0;stroke-width:1.8}\n"
        ".u3{stroke:#d98a26;stroke-width:2.2}.u4{stroke:#cf3f36;stroke-width:2.6}.cut{stroke:#cf3f36;stroke-width:2;"
        "stroke-dasharray:6 3}\n"
        ".rank{fill:#3f8fd0}.switch{fill:#8a939d}.inside{stroke:#cf3f36;stroke-width:3}\n";

    /// The links of one direction between two vertices.
    struct line {
        rank_t from, to;
        double bandwidth = 0, load = 0;
        bool marked = false;
    };

    /// Scales the places to the width of the picture; the longer side is horizontal.
    void fit() {
        const auto range = [&](double network_layout::point::* side) {
            const auto [least, most] = std::minmax_element(
                places_.begin(), places_.end(), [side](const auto& a, const auto& b) { return a.*side < b.*side; });
            return std::pair((*least).*side, (*most).*side);
        };
        using point = network_layout::point;
        auto [left, right] = range(&point::x);
        auto [low, high] = range(&point::y);
        if (high - low > right - left) {
            for (point& one : places_) std::swap(one.x, one.y);
            std::swap(left, low);
            std::swap(right, high);
        }
        const double scale = std::min(160.0, (width - 2 * margin) / std::max(1e-9, right - left));
        const double shift = (width - scale * (right - left)) / 2;
        for (point& one : places_) one = {shift + scale * (one.x - left), top + scale * (one.y - low)};
        height_ = scale * (high - low);
    }

    const network_layout::point& at(rank_t v) const { return places_[static_cast<std::size_t>(v)]; }
    std::string name(rank_t v) const { return vertex_name(net_, v); }

    std::vector<line> merged_lines() const {
        std::map<std::pair<rank_t, rank_t>, line> by_ends;
        for (std::size_t i = 0; i < net_.links().size(); ++i) {
            const topology::network::link& one = net_.links()[i];
            const auto index = static_cast<std::int64_t>(i);
            line& sum = by_ends.try_emplace({one.from, one.to}, line{one.from, one.to, 0, 0, false}).first->second;
            sum.bandwidth += static_cast<double>(one.bandwidth);
            sum.load += marks_.load.empty() ? 0 : marks_.load[i];
            sum.marked = sum.marked || std::find(marks_.links.begin(), marks_.links.end(), index) != marks_.links.end();
        }
        std::vector<line> merged;
        for (const auto& [ends, sum] : by_ends) merged.push_back(sum);
        return merged;
    }

    void lines() {
        for (const line& one : merged_lines()) {
            const double dx = at(one.to).x - at(one.from).x, dy = at(one.to).y - at(one.from).y;
            const double length = std::max(1e-9, std::hypot(dx, dy)), side = 2.2;
            const double ox = -dy / length * side, oy = dx / length * side;
            const double used = one.load / one.bandwidth;
            const char* load = used <= 0      ? ""
                               : used <= 0.5  ? " u1"
                               : used <= 0.9  ? " u2"
                               : used < 0.999 ? " u3"
                                              : " u4";
            put_(FMT_COMPILE("<path class=\"k{}{}\" d=\"M{} {}L{} {}\"><title>{} to {}: {:.3f} of {:.3f} GB/s</title>"
                             "</path>\n"),
                 load, one.marked ? " cut" : "", tenths(at(one.from).x + ox), tenths(at(one.from).y + oy),
                 tenths(at(one.to).x + ox), tenths(at(one.to).y + oy), xml_text(name(one.from)), xml_text(name(one.to)),
                 one.load / 1e9, one.bandwidth / 1e9);
        }
    }
    void vertex(rank_t v) {
        const bool inside = std::find(marks_.cut.begin(), marks_.cut.end(), v) != marks_.cut.end();
        const char* const mark = inside ? " inside" : "";
        const double x = at(v).x, y = at(v).y, size = net_.vertices() > 100 ? 4 : 7;
        if (net_.is_switch(v)) {
            put_(FMT_COMPILE("<rect class=\"switch{}\" rx=\"2\""), mark);
            put_.rectangle(x - size, y - size, 2 * size, 2 * size);
            put_(FMT_COMPILE("><title>{}</title></rect>\n"), xml_text(name(v)));
        } else {
            put_(FMT_COMPILE("<circle class=\"rank{}\" cx=\"{}\" cy=\"{}\" r=\"{}\"><title>{}</title></circle>\n"),
                 mark, tenths(x), tenths(y), size, xml_text(name(v)));
        }
        if (net_.vertices() <= 100) put_.words("ink small mid", x, y + size + 11, name(v));
    }
    static double tenths(double x) { return svg_canvas<Out>::tenths(x); }

    svg_canvas<Out> put_;
    const topology::network& net_;
    const network_marks& marks_;
    std::vector<network_layout::point> places_;
    double height_ = 0;
};

}  // namespace detail

/// Writes a picture of a network as SVG. The color of a line is the load of its links by their bandwidth; marked links
/// are dashed, marked vertices have a border. O(vertices * (vertices + links)).
/// @param out    output iterator for the text
/// @param net    a network without an error, with one vertex or more
/// @param marks  what is drawn in addition; `load` is empty or has a value per link
/// @return the iterator behind the text
template <std::output_iterator<char> Out>
Out write_network_svg(Out out, const topology::network& net, const network_marks& marks) {
    return detail::network_picture<Out>(std::move(out), net, marks).draw();
}

}}  // namespace collsched::COLLSCHED_ABI
