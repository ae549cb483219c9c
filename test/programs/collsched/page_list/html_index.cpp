#include "examples/programs/collsched/page_list/html_index.hpp"

#include <doctest/doctest.h>

using namespace collsched::page_list;

TEST_CASE("html_index: pages are listed by collective, in the order of the collectives") {
    const std::vector<indexed_page> pages{{"gather/linear", "p = 8", "gather/linear.html", ""},
                                          {"scan/<a>", "p = 7", "scan/a.html", "scan/a.svg"},
                                          {"gather/binomial", "p = 8", "gather/binomial.html", "gather/binomial.svg"}};
    std::string text;
    write_html_index(std::back_inserter(text), "All & more", "what < it", pages);
    const auto at = [&](std::string_view piece) {
        CAPTURE(piece);
        CHECK(text.find(piece) != text.npos);
        CHECK(text.find(piece) == text.rfind(piece));
        return text.find(piece);
    };
    CHECK(at("<h2>gather</h2>") < at("<a href=\"gather/linear.html\">linear</a>"));
    CHECK(at("<a href=\"gather/linear.html\">linear</a>") < at("<a href=\"gather/binomial.html\">binomial</a>"));
    CHECK(at("<a href=\"gather/binomial.html\">binomial</a>") < at("<h2>scan</h2>"));
    CHECK(at("<h2>scan</h2>") < at("<a href=\"scan/a.html\">&lt;a&gt;</a>"));
    at("<h1>All &amp; more</h1>");
    at("what &lt; it");
    at("<img src=\"scan/a.svg\"");
    CHECK(text.find("linear.svg") == text.npos);
}
