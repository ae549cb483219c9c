#include "collsched/format/pictures/write_html.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "collsched/collective/allgather/neighbor_exchange.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/collective/alltoall/direct.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/format/text.hpp"
#include "collsched/tree/chain.hpp"
#include "support/registry.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

std::string page(const stored_schedule& s, std::string_view name, std::string_view index = {}) {
    std::string text;
    write_html(std::back_inserter(text), s, name, binding::separate, index);
    return text;
}

std::int64_t count(const std::string& text, std::string_view piece) {
    std::int64_t n = 0;
    for (std::size_t at = text.find(piece); at != text.npos; at = text.find(piece, at + piece.size())) ++n;
    return n;
}

std::string between(const std::string& text, std::string_view begin, std::string_view end) {
    const std::size_t from = text.find(begin) + begin.size();
    return text.substr(from, text.find(end, from) - from);
}

constexpr std::string_view data_begin = "<script type=\"application/json\" id=\"schedule\">";

}  // namespace

TEST_CASE("write_html: every message of the data is a shape of the picture, in the part of its step") {
    for (const rank_t p : {1, 2, 5, 8})
        for (const algorithm_entry& entry : support::registered_at(p)) {
            CAPTURE(p);
            CAPTURE(schedule_name(entry.info));
            const stored_schedule s = materialize(entry.make({.ranks = p, .block = 4, .bytes = 4 * p, .element = 4}));
            const std::string text = page(s, schedule_name(entry.info));
            const auto data = nlohmann::json::parse(between(text, data_begin, "</script>"));
            const std::string picture = between(text, "<svg ", "</svg>");
            CHECK(count(picture, "data-step=") == s.steps());
            CHECK(count(picture, "data-message=") == static_cast<std::int64_t>(data["messages"].size()));
            for (std::size_t i = 0; i < data["messages"].size(); ++i) {
                const std::size_t at = picture.find(fmt::format("data-message=\"{}\"", i));
                REQUIRE(at != picture.npos);
                const std::size_t group = picture.rfind("data-step=\"", at);
                REQUIRE(group != picture.npos);
                CHECK(picture.compare(group, 12,
                                      "data-step=\"" + std::to_string(std::int64_t(data["messages"][i]["step"])), 0,
                                      12) == 0);
            }
        }
}

TEST_CASE("write_html: a page needs no other file, and states what it shows") {
    const stored_schedule s = materialize(allgather::neighbor_exchange{.ranks = 8, .block = 2});
    const std::string text = page(s, "allgather/neighbor-exchange", "../index.html");
    CHECK(text.starts_with("<!doctype html>\n"));
    CHECK(text.ends_with("</html>\n"));
    CHECK(count(text, "<title>allgather/neighbor-exchange, 8 ranks</title>") == 2);  // the picture has one, too
    CHECK(count(text,
                "p = 8 · blocks of 2 bytes · 4 steps · 4 rounds · 32 messages · 112 bytes sent · pacing data · "
                "proved") == 1);
    CHECK(count(text, "src=") == 0);
    CHECK(count(text, "@import") + count(text, "url(http") == 0);
    CHECK(count(text, "http") == count(text, "http://www.w3.org/2000/svg"));
    CHECK(count(text, "href=\"../index.html\"") == 1);
    CHECK(count(text, "aria-live=\"polite\"") == 1);
    CHECK(count(page(s, "x"), "All schedules") == 0);
    CHECK(text == page(s, "allgather/neighbor-exchange", "../index.html"));
}

TEST_CASE("write_html: a name cannot become a part of the page") {
    const std::string name = "x/</script><script>alert('1')</script>&\"";
    const std::string text = page(materialize(allgather::ring{.ranks = 2, .block = 1}), name);
    CHECK(count(text, "<script>") == 1);
    CHECK(count(text, "</script>") == 2);
    CHECK(count(text, "alert('1')</script>") == 0);
    CHECK(nlohmann::json::parse(between(text, data_begin, "</script>"))["schedule"] == name);
    CHECK(std::string_view(html_script).find("</script") == std::string_view::npos);
    CHECK(std::string_view(html_style).find("</style") == std::string_view::npos);
}

TEST_CASE("write_html: omissions are stated") {
    const std::string exchange = page(materialize(alltoall::pairwise{.ranks = 17, .block = 1}), "a/b");
    CHECK(count(exchange, "There are too many blocks for that") == 1);
    const std::string many = page(materialize(allreduce::recursive_doubling{.ranks = 2, .bytes = 600}), "a/b");
    CHECK(count(many, "evenly spaced") == 0);
    const std::string sampled =
        page(materialize(broadcast::over_tree<trees::chain>{.ranks = 2, .bytes = 600, .segment = 1}), "a/b");
    CHECK(count(sampled, "Of 600 columns 256 are shown, evenly spaced.") == 1);
}
