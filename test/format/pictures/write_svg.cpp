#include "collsched/format/pictures/write_svg.hpp"

#include <doctest/doctest.h>

#include "collsched/collective/allgather/neighbor_exchange.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "support/brief.hpp"
#include "support/layouts.hpp"
#include "support/registry.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

std::string draw(const stored_schedule& s, std::string_view name) {
    std::string text;
    write_svg(std::back_inserter(text), s, name);
    return text;
}

std::int64_t count(const std::string& text, std::string_view piece) {
    std::int64_t n = 0;
    for (std::size_t at = text.find(piece); at != text.npos; at = text.find(piece, at + piece.size())) ++n;
    return n;
}

}  // namespace

TEST_CASE("write_svg: every message is an arrow, every rank's copies in a step are a ring, each with a title") {
    for (const rank_t p : {1, 2, 3, 5, 8, 16, 33, 64})
        for (const auto& [name, blocks] : support::layouts(p))
            for (const algorithm_entry& entry : support::registered_at(p)) {
                if (p > 33 && !support::long_run()) continue;
                CAPTURE(p);
                CAPTURE(name);
                CAPTURE(entry.info.name);
                const stored_schedule s = materialize(entry.make({.ranks = p, .block = blocks}));
                std::int64_t arrows = 0, rings = 0;
                for (const traced_message& m : trace_messages(s)) ++(m.is_local() ? rings : arrows);
                const std::string text = draw(s, schedule_name(entry.info));
                CHECK(count(text, "<path class=\"a h") == arrows);
                CHECK(count(text, "<circle class=\"copy\"") == rings + 1);  // one in the legend
                CHECK(count(text, "<title>step ") == arrows + rings);
                CHECK(count(text, "<g>") + count(text, "<g ") == count(text, "</g>"));
                CHECK(text.starts_with("<svg "));
                CHECK(text.ends_with("</svg>\n"));
                CHECK(text.find("nan") == text.npos);
            }
}

TEST_CASE("write_svg: the heading counts, labels name blocks, titles have ranges") {
    const std::string text = draw(materialize(allgather::neighbor_exchange{.ranks = 8, .block = 2}), "<\"name\">");
    CHECK(count(text, "&lt;&quot;name&quot;&gt;") == 2);
    CHECK(count(text, "p = 8 · blocks of 2 bytes · 4 steps · 4 rounds · 32 messages · 112 bytes sent") == 1);
    CHECK(count(text, ">6-7</text>") == 6);
    CHECK(count(text, "step 1: 0 → 7, block 0-1, 4 bytes; output[0,4) → output[0,4)") == 1);
    CHECK(count(text, "prefers-color-scheme:dark") == 1);
}

TEST_CASE("write_svg: large pictures have no labels") {
    CHECK(count(draw(materialize(allgather::ring{.ranks = 32, .block = 1}), "r"), "class=\"ink block mid\"") ==
          31 * 32);
    CHECK(count(draw(materialize(allgather::ring{.ranks = 33, .block = 1}), "r"), "class=\"ink block mid\"") == 0);
}

TEST_CASE("write_svg: blocks that cannot be distinguished are drawn with byte ranges, signals with dashes") {
    const contract contract{.collective = collective::allreduce, .ranks = 2, .bytes = 4};
    owned_array<edge> edges(4);
    edges[0] = {.src = 0, .dst = 0, .size = 4};
    edges[1] = {.src = 1, .dst = 1, .size = 4};
    edges[2] = {
        .step = 1, .src = 1, .dst = 0, .from_offset = 1, .into_offset = 1, .size = 3, .action = action::combine_after};
    edges[3] = {.step = 1, .src = 0, .dst = 1};
    const stored_schedule s(contract, 2, {}, owned_array<bytes_t>(2), owned_array<bytes_t>(2), edges, 0);
    const std::string text = draw(s, "allreduce/by-hand");
    CHECK(count(text, ">[1,4)</text>") == 1);
    CHECK(count(text, "stroke-dasharray") == 1);
    CHECK(count(text, "class=\"track\"") == 0);
}
