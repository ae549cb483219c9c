#include "collsched/format/pictures/detail/write_html_data.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/format/text.hpp"
#include "support/registry.hpp"
#include "support/small_schedules.hpp"

using namespace collsched;
using namespace collsched::detail;
using nlohmann::json;

namespace {

json data_of(const stored_schedule& s, std::string_view name = "n") {
    std::string text;
    write_html_data(std::back_inserter(text), s, name);
    return json::parse(text);
}

}  // namespace

TEST_CASE("write_html_data: the messages are the edges of the schedule") {
    for (const rank_t p : {1, 2, 5, 8})
        for (const algorithm_entry& entry : support::registered_at(p)) {
            CAPTURE(p);
            CAPTURE(schedule_name(entry.info));
            const stored_schedule s =
                materialize(entry.make({.ranks = p, .block = 4, .bytes = 4 * p + 4, .element = 4}));
            const json data = data_of(s, schedule_name(entry.info));
            CHECK(data["schedule"] == schedule_name(entry.info));
            CHECK(data["ranks"] == s.ranks);
            CHECK(data["steps"] == s.steps());
            CHECK(data["followed"] == s.steps());
            CHECK(data["verdict"] == "proved");
            std::size_t at = 0;
            for (const json& message : data["messages"]) {
                bytes_t bytes = 0;
                for (const json& listed : message["edges"]) {
                    REQUIRE(at < s.edges().size());
                    const edge& e = s.edges()[at++];
                    CHECK(message["step"] == e.step);
                    CHECK(message["src"] == e.src);
                    CHECK(message["dst"] == e.dst);
                    CHECK(listed == json{name_of(e.from), e.from_offset, name_of(e.into), e.into_offset, e.size,
                                         name_of(e.action)});
                    bytes += e.size;
                }
                CHECK(message["bytes"] == bytes);
            }
            CHECK(at == s.edges().size());
        }
}

TEST_CASE("write_html_data: holdings lead to the result") {
    const json data = data_of(materialize(allreduce::ring{.ranks = 6, .bytes = 24}));
    REQUIRE(data["columns"].size() == 6);
    CHECK(data["columns"][1]["name"] == "[4,8)");
    CHECK(data["columns"][1]["whole"] == 6);
    std::vector<std::vector<json>> end(6, std::vector<json>(6));
    step_t last = -2;
    for (const json& step : data["held"]) {
        CHECK(step["step"] > last);
        last = step["step"];
        for (const json& cell : step["cells"]) end[cell[0]][cell[1]] = cell;
    }
    for (std::size_t r = 0; r < 6; ++r)
        for (std::size_t c = 0; c < 6; ++c) {
            CHECK(end[r][c] == json{r, c, 6, "0-5"});
            CHECK(data["promised"][r][c] == c);
        }
}

TEST_CASE("write_html_data: no text in it ends a script element") {
    CHECK(script_text("a</script><!--\"\n") == "\"a\\u003c/script>\\u003c!--\\\"\\u000a\"");
    std::string text;
    const std::string name = "x/</script><script>alert(1)</script>";
    write_html_data(std::back_inserter(text), materialize(allgather::ring{.ranks = 2, .block = 1}), name);
    CHECK(text.find('<') == text.npos);
    CHECK(json::parse(text)["schedule"] == name);
}

TEST_CASE("write_html_data: a wrong schedule is reported") {
    const contract contract{.collective = collective::allgather, .ranks = 2, .blocks = 4};
    const json data =
        data_of(support::by_hand(contract, 3, {{.step = 1, .src = 0, .dst = 1, .size = 4, .from = buffer::output}}));
    CHECK(data["verdict"] == "refused: not_held, step 1, rank 0, output byte 0");
    CHECK(data["followed"] == 1);
    CHECK(data["held"].size() == 1);
}
