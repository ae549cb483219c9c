#pragma once

#include <cmath>
#include <string_view>
#include <utility>

#include "collsched/format/detail/pen.hpp"
#include "collsched/format/text.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The use of a picture. `file` is a separate file with a heading. `page` is a part of an HTML page, which has its own
/// heading. The script of the page finds steps of a schedule by the attribute data-step, messages by data-message, the
/// number among trace_messages, and lines of a network by data-line.
enum class svg_use { file, page };

/// A pen with the elements of SVG pictures. Coordinates are written in tenths of a user unit.
template <std::output_iterator<char> Out>
class svg_canvas : public pen<Out> {
  public:
    using pen<Out>::pen;

    static double tenths(double x) { return std::round(x * 10) / 10; }

    /// Writes the beginning of the file, up to the title.
    void open(double width, double height, std::string_view title) {
        (*this)(
            FMT_COMPILE(R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" )"),
            std::ceil(width), std::ceil(height));
        (*this)(FMT_COMPILE("role=\"img\" font-family=\"system-ui,'DejaVu Sans',Helvetica,Arial,sans-serif\">\n"
                            "<title>{}</title>\n"),
                xml_text(title));
    }
    void words(std::string_view classes, double x, double y, std::string_view text) {
        (*this)(FMT_COMPILE("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n"), classes, tenths(x), tenths(y),
                xml_text(text));
    }
    /// Writes the attributes of a rectangle.
    void rectangle(double x, double y, double width, double height) {
        (*this)(FMT_COMPILE(" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\""), tenths(x), tenths(y), tenths(width),
                tenths(height));
    }
    /// Writes the path of an arrow with a head of this length.
    /// @pre the ends of the arrow differ
    void arrow(double x0, double y0, double x1, double y1, double head) {
        const double length = std::hypot(x1 - x0, y1 - y0), ux = (x1 - x0) / length, uy = (y1 - y0) / length;
        const double half = head * 0.38, bx = x1 - head * ux, by = y1 - head * uy;
        (*this)(FMT_COMPILE("M{} {}L{} {}L{} {}L{} {}L{} {}L{} {}"), tenths(x0), tenths(y0), tenths(bx), tenths(by),
                tenths(bx - half * uy), tenths(by + half * ux), tenths(x1), tenths(y1), tenths(bx + half * uy),
                tenths(by - half * ux), tenths(bx), tenths(by));
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
