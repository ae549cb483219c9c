#include "collsched/format/readers/read_decisions.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <string>
#include <vector>

#include "collsched/format/write_decisions.hpp"
#include "support/registry.hpp"

using namespace collsched;

namespace {

std::vector<decision> read(const std::string& text) {
    return read_decisions(text_file{"f", text}, compiled::registry());
}
void refused(const std::string& text, const std::string& line) {
    CHECK_THROWS_WITH_AS(read(text), ("f:" + line).c_str(), input_error);
}

}  // namespace

TEST_CASE("read_decisions: a table is the same after it was written and read") {
    const std::vector<decision> table = {
        {.collective = collective::allreduce, .ranks = 2, .bytes = 0, .algorithm = "recursive-doubling"},
        {.collective = collective::broadcast,
         .ranks = 8,
         .bytes = 4096,
         .algorithm = "k-nomial",
         .segment = 512,
         .radix = 4},
        {.collective = collective::alltoall, .ranks = 8, .bytes = 1, .algorithm = "grouped", .group = 4, .window = 2},
        {.collective = collective::allgather, .ranks = 9, .bytes = 1, .algorithm = "pat", .aggregate = 2}};
    std::string text;
    write_decisions(std::back_inserter(text), table);
    CHECK(read(text) == table);
    CHECK(read("").empty());
}

TEST_CASE("read_decisions: errors are reported with their line") {
    const std::string good = "{\"collective\":\"scan\",\"ranks\":2,\"bytes\":0,\"algorithm\":\"linear\"}\n";
    CHECK(read("\n" + good).size() == 1);
    refused(good + "{\"collective\":\"scans\",\"ranks\":2,\"bytes\":0,\"algorithm\":\"linear\"}",
            "2: collective: got \"scans\", expected one of the list");
    refused("{\"collective\":\"scan\",\"ranks\":2,\"bytes\":0,\"algorithm\":\"lineal\"}",
            "1: algorithm: got \"lineal\", expected one of the list");
    refused("{\"collective\":\"scan\",\"ranks\":0,\"bytes\":0,\"algorithm\":\"linear\"}",
            "1: ranks: got 0, expected a whole number, 1 to 2^63-1");
    refused("{\"collective\":\"scan\",\"ranks\":2,\"bytes\":0,\"algorithm\":\"linear\",\"radix\":3}",
            "1: got radix given, expected a parameter of the algorithm");
    refused("{\"collective\":\"scan\",\"ranks\":2,\"algorithm\":\"linear\"}",
            "1: bytes is required: a key of this object");
    refused("[]",
            "1: a decision: got no object, expected {collective, ranks, bytes, algorithm, segment, radix, group, "
            "aggregate, window}");
}
