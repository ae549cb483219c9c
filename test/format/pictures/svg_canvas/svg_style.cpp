#include "collsched/format/pictures/svg_canvas.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <string>

using namespace collsched;

TEST_CASE("svg_style: every rank has its own hue up to 36 ranks") {
    for (rank_t p = 1; p <= 36; ++p) {
        std::vector<int> seen(svg_style::hues);
        for (rank_t r = 0; r < p; ++r) {
            const int hue = svg_style{p}.hue_class(static_cast<double>(r));
            CHECK((hue >= 0 && hue < svg_style::hues));
            CHECK(++seen[static_cast<std::size_t>(hue)] == 1);
        }
    }
}

TEST_CASE("svg_style: only the classes in use are written") {
    std::string text;
    svg_canvas<std::back_insert_iterator<std::string>> put(std::back_inserter(text));
    std::vector<bool> used(svg_style::hues);
    used[5] = true;
    svg_style{4}.put_hues(put, used);
    CHECK(text == ".h5{stroke:" + hue_circle(5 / 72.0) + ";fill:" + hue_circle(5 / 72.0) + "}");
}

TEST_CASE("svg_style: the gradient has one field per rank, at most 64") {
    for (const rank_t p : {1, 2, 64, 1000}) {
        std::string text;
        svg_canvas<std::back_insert_iterator<std::string>> put(std::back_inserter(text));
        svg_style{p}.put_gradient(put, 40);
        rank_t stops = 0;
        for (std::size_t at = text.find("<stop"); at != text.npos; at = text.find("<stop", at + 1)) ++stops;
        CHECK(stops == 2 * std::min<rank_t>(p, 64));
        CHECK(text.find("x2=\"40\"") != text.npos);
    }
}
