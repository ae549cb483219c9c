#include "examples/programs/collsched/texts/read_start_times.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/refusal.hpp"

using namespace collsched;
using namespace collsched::texts;

namespace {

std::vector<picoseconds> read(const std::string& text) { return read_start_times(text_file{"s", text, {}}); }

std::string refusal(const std::string& text) {
    return support::refusal_of([&] { read(text); });
}

}  // namespace

TEST_CASE("read_start_times: a number of microseconds per line is a time in picoseconds") {
    CHECK(read("0\n1.5\n2e3\n") == std::vector<picoseconds>{0, 1'500'000, 2'000'000'000});
    CHECK(read("# ranks\n\n 3 \t# late\r\n0.000001") == std::vector<picoseconds>{3'000'000, 1});
    CHECK(read("1e12") == std::vector<picoseconds>{1'000'000'000'000'000'000});
}

TEST_CASE("read_start_times: other texts are rejected with their line") {
    for (const char* wrong : {"x", "-1", "1e13", "nan", "inf", "1,5", "1 2", "+1", "0x1", "1us", "1e999"})
        CHECK(refusal("0\n" + std::string(wrong)) ==
              "s:2: start time: got \"" + std::string(wrong) + "\", expected 0 to 1e12 us");
    CHECK(refusal("") == "s:1: got nothing in it, expected a start time per rank, in microseconds");
    CHECK(refusal("#1\n") == "s:1: got nothing in it, expected a start time per rank, in microseconds");
}

TEST_CASE("read_start_times: more than 2^20 ranks are rejected") {
    std::string many;
    for (int i = 0; i < 1048576; ++i) many += "1\n";
    CHECK(read(many).size() == 1048576);
    CHECK(refusal(many + "1") == "s:1048577: got more start times, expected at most 2^20");
}

TEST_CASE("read_start_times: a missing file is reported") {
    CHECK_THROWS_AS(read_start_times("nowhere.txt"), input_error);
}
