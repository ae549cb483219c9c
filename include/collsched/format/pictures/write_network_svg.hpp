#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collsched/format/pictures/svg_canvas.hpp"
#include "collsched/format/text.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Returns the name of a vertex: that of the network, or "r3" for rank 3 and "s0" for the first switch.
/// @param net  a network
/// @param v    a vertex
inline std::string vertex_name(const topology::network& net, rank_t v) {
    if (*net.name(v) != '\0') return net.name(v);
    return net.is_switch(v) ? fmt::format(FMT_COMPILE("s{}"), v - net.ranks()) : fmt::format(FMT_COMPILE("r{}"), v);
}

namespace detail {

/// Places for the vertices of a network in a plane, such that distances are close to the numbers of links between them:
/// stress majorization (Gansner, Koren, North 2004), from differences of distances to vertices far apart. Deterministic.
/// O(vertices * links + rounds * vertices^2).
class network_layout {
  public:
    struct point {
        double x = 0, y = 0;
    };

    explicit network_layout(const topology::network& net) : size_(static_cast<std::size_t>(net.vertices())) {
        std::vector<std::vector<std::size_t>> next(size_);
        for (const topology::network::link& link : net.links()) {
            next[static_cast<std::size_t>(link.from)].push_back(static_cast<std::size_t>(link.to));
            next[static_cast<std::size_t>(link.to)].push_back(static_cast<std::size_t>(link.from));
        }
        for (std::size_t v = 0; v < size_; ++v) distance_.push_back(distances(next, v));
        begin();
        for (int round = 0; round < rounds; ++round) improve();
    }

    /// Returns the place of each vertex. Neighbors are about 1 apart.
    const std::vector<point>& places() const { return places_; }

  private:
    static constexpr int rounds = 150;

    /// Returns the numbers of links from a vertex; the largest one, and 1 more, to vertices that it does not reach.
    static std::vector<double> distances(const std::vector<std::vector<std::size_t>>& next, std::size_t from) {
        std::vector<double> found(next.size(), -1);
        std::vector<std::size_t> reached{from};
        found[from] = 0;
        for (std::size_t i = 0; i < reached.size(); ++i)
            for (const std::size_t to : next[reached[i]]) {
                if (found[to] >= 0) continue;
                found[to] = found[reached[i]] + 1;
                reached.push_back(to);
            }
        const double unreachable = found[reached.back()] + 1;
        for (double& distance : found) distance = distance < 0 ? unreachable : distance;
        return found;
    }
    std::size_t farthest(std::size_t from) const {
        const std::vector<double>& to = distance_[from];
        return static_cast<std::size_t>(std::max_element(to.begin(), to.end()) - to.begin());
    }
    /// Returns the vertex whose distances to a and b are most equal and large.
    std::size_t aside(std::size_t a, std::size_t b) const {
        std::size_t best = 0;
        const auto quality = [&](std::size_t v) {
            return distance_[a][v] + distance_[b][v] - 2 * std::abs(distance_[a][v] - distance_[b][v]);
        };
        for (std::size_t v = 0; v < size_; ++v)
            if (quality(v) > quality(best)) best = v;
        return best;
    }
    void begin() {
        const std::size_t a = farthest(0), b = farthest(a), c = aside(a, b), d = farthest(c);
        for (std::size_t v = 0; v < size_; ++v) {
            // A turn of the golden angle separates vertices with equal distances.
            const double turn = 2.399963 * static_cast<double>(v);
            places_.push_back({(distance_[a][v] - distance_[b][v]) / 2 + 0.2 * std::cos(turn),
                               (distance_[c][v] - distance_[d][v]) / 2 + 0.2 * std::sin(turn)});
        }
    }
    void improve() {
        std::vector<point> moved(size_);
        for (std::size_t v = 0; v < size_; ++v) {
            double weights = 0;
            for (std::size_t u = 0; u < size_; ++u) {
                if (u == v) continue;
                const double far = distance_[v][u], weight = 1 / (far * far);
                const double dx = places_[v].x - places_[u].x, dy = places_[v].y - places_[u].y;
                const double stretch = far / std::max(1e-6, std::hypot(dx, dy));
                moved[v].x += weight * (places_[u].x + dx * stretch);
                moved[v].y += weight * (places_[u].y + dy * stretch);
                weights += weight;
            }
            if (weights > 0) moved[v] = {moved[v].x / weights, moved[v].y / weights};
        }
        places_ = std::move(moved);
    }

    std::size_t size_;
    std::vector<std::vector<double>> distance_;
    std::vector<point> places_;
};

}  // namespace detail

/// The marks of a picture of a network, beside its vertices and links.
struct network_marks {
    std::string title{};              ///< heading
    std::string note{};               ///< line below the heading
    std::vector<double> load{};       ///< per link: bytes per second; empty: none
    std::vector<rank_t> cut{};        ///< vertices that are marked
    std::vector<std::int64_t> links;  ///< indices of links that are marked
};

namespace detail {

/// The links of one direction between two vertices.
struct network_line {
    rank_t from = 0, to = 0;
    double bandwidth = 0, load = 0;  ///< bytes per second
    bool marked = false;
};

/// Returns the lines of a network with its marks, by `from` and `to`.
inline std::vector<network_line> merged_lines(const topology::network& net,
                                              const network_marks& marks = {.links = {}}) {
    std::map<std::pair<rank_t, rank_t>, network_line> by_ends;
    for (std::size_t i = 0; i < net.links().size(); ++i) {
        const topology::network::link& link = net.links()[i];
        const auto index = static_cast<std::int64_t>(i);
        network_line& sum = by_ends.try_emplace({link.from, link.to}, network_line{link.from, link.to}).first->second;
        sum.bandwidth += static_cast<double>(link.bandwidth);
        sum.load += marks.load.empty() ? 0 : marks.load[i];
        sum.marked = sum.marked || std::find(marks.links.begin(), marks.links.end(), index) != marks.links.end();
    }
    std::vector<network_line> merged;
    for (const auto& [ends, sum] : by_ends) merged.push_back(sum);
    return merged;
}

/// Draws a network: ranks as circles, switches as squares, a line per pair of vertices and direction.
template <class Out>
class network_picture {
  public:
    /// @param use  a file of its own with a heading, or a part of a page, whose script finds lines by data-line
    network_picture(Out out, const topology::network& net, network_marks marks, svg_use use = svg_use::file)
        : put_(std::move(out)),
          net_(net),
          marks_(std::move(marks)),
          use_(use),
          places_(network_layout(net).places()),
          lines_(merged_lines(net_, marks_)) {
        fit();
    }

    /// Returns the place of each vertex in the picture.
    const std::vector<network_layout::point>& places() const { return places_; }

    Out draw() {
        put_.open(width, height_ + top() + margin, marks_.title);
        put_(FMT_COMPILE("<style>\n{}{}</style>\n"), svg_style::rules, rules);
        put_.text("<rect class=\"paper\" width=\"100%\" height=\"100%\" rx=\"8\"/>\n");
        if (use_ == svg_use::file) {
            put_.words("ink title", margin, 36, marks_.title);
            put_.words("note fact", margin, 58, marks_.note);
        }
        for (std::size_t i = 0; i < lines_.size(); ++i) line(i);
        for (rank_t v = 0; v < net_.vertices(); ++v) vertex(v);
        if (is_named()) names();
        put_.text("</svg>\n");
        return put_.done();
    }

  private:
    static constexpr double width = 960, margin = 48;
    static constexpr std::string_view rules =
        ".k{stroke:#b6bec7;fill:none;stroke-width:1.4}.u1{stroke:#7fb2d9}.u2{stroke:#3f8fd0;stroke-width:1.8}\n"
        ".u3{stroke:#d98a26;stroke-width:2.2}.u4{stroke:#cf3f36;stroke-width:2.6}.cut{stroke:#cf3f36;stroke-width:2;"
        "stroke-dasharray:6 3}\n"
        ".name{paint-order:stroke;stroke:#fff;stroke-width:3;stroke-linejoin:round}\n"
        "@media (prefers-color-scheme:dark){.name{stroke:#15191e}.k{stroke:#5a646e}}\n"
        ".rank{fill:#3f8fd0}.switch{fill:#8a939d}.inside{stroke:#cf3f36;stroke-width:3}\n";

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
            for (point& place : places_) std::swap(place.x, place.y);
            std::swap(left, low);
            std::swap(right, high);
        }
        const double scale = std::min(160.0, (width - 2 * margin) / std::max(1e-9, right - left));
        const double shift = (width - scale * (right - left)) / 2;
        for (point& place : places_) place = {shift + scale * (place.x - left), top() + scale * (place.y - low)};
        height_ = scale * (high - low);
    }

    const network_layout::point& at(rank_t v) const { return places_[static_cast<std::size_t>(v)]; }
    std::string name(rank_t v) const { return vertex_name(net_, v); }

    double top() const { return use_ == svg_use::file ? 90 : margin; }
    /// Returns whether vertices are few enough for names and heads of arrows.
    bool is_named() const { return net_.vertices() <= 100; }
    double size() const { return is_named() ? 7 : 4; }

    /// Draws a line from vertex to vertex, beside that of the other direction, with half of a head on its outer side.
    void line(std::size_t i) {
        const network_line& arrow = lines_[i];
        const double dx = at(arrow.to).x - at(arrow.from).x, dy = at(arrow.to).y - at(arrow.from).y;
        const double length = std::max(1e-9, std::hypot(dx, dy)), ux = dx / length, uy = dy / length, side = 2.2;
        const double back = std::min(size() + 2, length / 3), x1 = at(arrow.to).x - back * ux - side * uy,
                     y1 = at(arrow.to).y - back * uy + side * ux;
        const double used = arrow.load / arrow.bandwidth;
        const char* load = used <= 0 ? "" : used <= 0.5 ? " u1" : used <= 0.9 ? " u2" : used < 0.999 ? " u3" : " u4";
        put_(FMT_COMPILE("<path class=\"k{}{}\""), load, arrow.marked ? " cut" : "");
        if (use_ == svg_use::page) put_(FMT_COMPILE(" data-line=\"{}\""), i);
        put_(FMT_COMPILE(" d=\"M{} {}L{} {}"), tenths(at(arrow.from).x - side * uy),
             tenths(at(arrow.from).y + side * ux), tenths(x1), tenths(y1));
        if (is_named()) put_(FMT_COMPILE("l{} {}"), tenths(-8 * ux - 4 * uy), tenths(-8 * uy + 4 * ux));
        put_(FMT_COMPILE("\"><title>{} to {}: {:.3f} of {:.3f} GB/s</title></path>\n"), xml_text(name(arrow.from)),
             xml_text(name(arrow.to)), arrow.load / 1e9, arrow.bandwidth / 1e9);
    }
    void vertex(rank_t v) {
        const bool inside = std::find(marks_.cut.begin(), marks_.cut.end(), v) != marks_.cut.end();
        const char* const mark = inside ? " inside" : "";
        const double x = at(v).x, y = at(v).y;
        if (net_.is_switch(v)) {
            put_(FMT_COMPILE("<rect class=\"switch{}\" rx=\"2\""), mark);
            put_.rectangle(x - size(), y - size(), 2 * size(), 2 * size());
            put_(FMT_COMPILE("><title>{}</title></rect>\n"), xml_text(name(v)));
        } else {
            put_(FMT_COMPILE("<circle class=\"rank{}\" cx=\"{}\" cy=\"{}\" r=\"{}\"><title>{}</title></circle>\n"),
                 mark, tenths(x), tenths(y), size(), xml_text(name(v)));
        }
    }

    /// Writes the name of each vertex beside it, in the direction in which it is farthest from lines and vertices.
    void names() {
        for (rank_t v = 0; v < net_.vertices(); ++v) {
            constexpr std::pair<int, int> directions[] = {{0, 1}, {0, -1}, {1, 0}, {-1, 0}};
            std::pair<int, int> best;
            double most = -1;
            for (const auto& [ux, uy] : directions) {
                const double found = clearance(v, ux, uy);
                if (found <= most) continue;
                most = found;
                best = {ux, uy};
            }
            const double x = at(v).x + best.first * (size() + 5), y = at(v).y + (best.second == 0  ? 3.2
                                                                                 : best.second > 0 ? size() + 12
                                                                                                   : -size() - 5);
            put_.words(best.first == 0  ? "ink small name mid"
                       : best.first > 0 ? "ink small name"
                                        : "ink small name end",
                       x, y, name(v));
        }
    }
    /// Returns the least distance of the middle of a name in this direction to lines and vertices, up to 30. O(links).
    double clearance(rank_t v, double ux, double uy) const {
        const double half = 2.6 * static_cast<double>(name(v).size()), far = size() + 8 + std::abs(ux) * half;
        const network_layout::point middle{at(v).x + ux * far, at(v).y + uy * far};
        if (middle.x - half < 0 || middle.x + half > width) return 0;
        double least = 30;
        for (const network_line& arrow : lines_) {
            const double dx = at(arrow.to).x - at(arrow.from).x, dy = at(arrow.to).y - at(arrow.from).y;
            const double x = middle.x - at(arrow.from).x, y = middle.y - at(arrow.from).y;
            const double projection = std::clamp((x * dx + y * dy) / std::max(1e-9, dx * dx + dy * dy), 0.0, 1.0);
            least = std::min(least, std::hypot(x - projection * dx, y - projection * dy));
        }
        for (const network_layout::point& other : places_)
            least = std::min(least, std::hypot(std::max(0.0, std::abs(middle.x - other.x) - half), middle.y - other.y));
        return least;
    }
    static double tenths(double x) { return svg_canvas<Out>::tenths(x); }

    svg_canvas<Out> put_;
    const topology::network& net_;
    network_marks marks_;
    svg_use use_;
    std::vector<network_layout::point> places_;
    std::vector<network_line> lines_;
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
