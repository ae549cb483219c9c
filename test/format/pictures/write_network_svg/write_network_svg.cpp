#include "collsched/format/pictures/write_network_svg.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <regex>
#include <string>
#include <vector>

using namespace collsched;
using topology::network;

namespace {

std::ptrdiff_t matches(const std::string& text, const char* pattern) {
    const std::regex regex(pattern);
    return std::distance(std::sregex_iterator(text.begin(), text.end(), regex), std::sregex_iterator());
}

}  // namespace

TEST_CASE("write_network_svg: vertices, a line per pair and direction, loads and the cut") {
    const std::vector<network::link> links{{0, 2, 10}, {2, 0, 10}, {1, 2, 10}, {2, 1, 30}, {2, 1, 10}};
    const std::vector<const char*> names{"a", "b", "<s>"};
    const network net(2, 1, links, names);
    const network_marks marks{
        .title = "title", .note = "note", .load = {10, 0, 4, 29.5, 9.5}, .cut = {1}, .links = {2}};
    std::string text;
    write_network_svg(std::back_inserter(text), net, marks);
    CHECK(matches(text, "<circle ") == 2);
    CHECK(matches(text, "<rect class=\"switch\"") == 1);
    CHECK(matches(text, "<path class=\"k") == 4);  // parallel links are one line
    CHECK(matches(text, "<path class=\"k u4\"") == 1);
    CHECK(matches(text, "<path class=\"k u1 cut\"") == 1);
    CHECK(matches(text, "<path class=\"k u3\"") == 1);
    CHECK(matches(text, "class=\"rank inside\"") == 1);
    CHECK(matches(text, "&lt;s&gt;") >= 2);
    CHECK(matches(text, "<s>") == 0);
    CHECK(matches(text, "nan|inf[^o]") == 0);
    CHECK(matches(text, "L[0-9.-]+ [0-9.-]+l[0-9.-]+ [0-9.-]+\"") == 4);  // each line has half of a head
    CHECK(matches(text, "<text class=\"ink small name[ a-z]*\"") == 3);
    CHECK(text.rfind("<path") < text.find("<text class=\"ink small name"));  // names are above lines
    CHECK(matches(text, "data-line") == 0);
    std::string plain;
    write_network_svg(std::back_inserter(plain), network(1, 0, {}), {.title = "one", .links = {}});
    CHECK(matches(plain, ">r0<") >= 1);
    CHECK(matches(plain, "nan") == 0);
}
