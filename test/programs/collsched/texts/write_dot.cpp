#include "examples/programs/collsched/texts/write_dot.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <regex>
#include <string>

#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/collective/barrier/dissemination.hpp"
#include "collsched/collective/gather/linear.hpp"

using namespace collsched;
using namespace collsched::texts;

namespace {

std::string dot(const stored_schedule& s) {
    std::string text;
    write_dot(std::back_inserter(text), s, "a \"b\"");
    return text;
}

std::size_t matches(const std::string& text, const char* pattern) {
    const std::regex wanted(pattern);
    return static_cast<std::size_t>(
        std::distance(std::sregex_iterator(text.begin(), text.end(), wanted), std::sregex_iterator()));
}

}  // namespace

TEST_CASE("write_dot: a graph to the letter") {
    CHECK(dot(materialize(scatter::linear{.ranks = 2, .block = 3})) ==
          "digraph \"a \\\"b\\\"\" {\n"
          "  rankdir=LR;\n"
          "  node [shape=circle];\n"
          "  subgraph cluster_0 {\n"
          "    label=\"rank 0\";\n"
          "    r0s0 [label=\"0\"];\n"
          "    r0s1 [label=\"1\"];\n"
          "    r0s0 -> r0s1 [style=dotted, arrowhead=none];\n"
          "  }\n"
          "  subgraph cluster_1 {\n"
          "    label=\"rank 1\";\n"
          "    r1s1 [label=\"1\"];\n"
          "  }\n"
          "  r0s0 -> r0s1 [label=\"3 bytes\"];\n"
          "  r0s0 -> r1s1 [label=\"3 bytes\"];\n"
          "}\n");
}

TEST_CASE("write_dot: one arrow per edge, and every node at an arrow is declared once") {
    for (const stored_schedule& s : {materialize(allreduce::ring{.ranks = 5, .bytes = 20, .element = 4}),
                                     materialize(barrier::dissemination{.ranks = 6})}) {
        const std::string text = dot(s);
        CHECK(matches(text, "\n  r[0-9]+s[0-9]+ -> r[0-9]+s[0-9]+ \\[label=") == s.edges().size());
        std::size_t combining = 0;
        for (const edge& e : s.edges()) {
            if (e.combines()) ++combining;
            for (const std::string& node :
                 {fmt::format("r{}s{}", e.src, e.step), fmt::format("r{}s{}", e.dst, e.step + 1)})
                CHECK(matches(text, ("    " + node + " \\[label=").c_str()) == 1);
        }
        CHECK(matches(text, "style=bold") == combining);
    }
    CHECK(matches(dot(materialize(barrier::dissemination{.ranks = 6})), "label=\"signal\"") == 18);
}
