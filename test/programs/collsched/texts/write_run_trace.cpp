#include "examples/programs/collsched/texts/write_run_trace.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "collsched/execute/thread_fabric.hpp"

using namespace collsched;
using namespace collsched::texts;
using nlohmann::json;

TEST_CASE("write_run_trace: a beginning and an end of every message, in microseconds since the first post") {
    const run_message::time start{std::chrono::seconds(5)};
    const std::vector<run_message> messages = {{.rank = 1,
                                                .sends = true,
                                                .key = {.peer = 0},
                                                .bytes = 7,
                                                .posted = start + std::chrono::nanoseconds(1500),
                                                .complete = start + std::chrono::nanoseconds(2500)},
                                               {.rank = 0,
                                                .sends = false,
                                                .key = {.peer = 1, .epoch = 3},
                                                .bytes = 7,
                                                .posted = start,
                                                .complete = start + std::chrono::microseconds(4),
                                                .error = 9}};
    std::string text;
    write_run_trace(std::back_inserter(text), messages);
    const json events = json::parse(text)["traceEvents"];
    REQUIRE(events.size() == 8);
    CHECK(events[0]["args"]["name"] == "rank 0");
    CHECK(events[4]["name"] == "send 7 bytes to 0");
    CHECK(events[4]["ph"] == "b");
    CHECK(events[4]["ts"] == 1.5);
    CHECK(events[5]["ph"] == "e");
    CHECK(events[5]["ts"] == 2.5);
    CHECK(events[4]["id"] == events[5]["id"]);
    CHECK(events[6]["id"] != events[4]["id"]);
    CHECK(events[6]["name"] == "receive 7 bytes from 1");
    CHECK(events[6]["ts"] == 0.0);
    CHECK(events[6]["args"]["error"] == 9);
    CHECK(events[6]["args"]["start"] == 3);
    CHECK(events[7]["ts"] == 4.0);
}

TEST_CASE("write_run_trace: no messages are a trace too") {
    std::string text;
    write_run_trace(std::back_inserter(text), std::span<const run_message>{});
    CHECK(json::parse(text)["traceEvents"].empty());
}
