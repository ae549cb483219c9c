#include "collsched/format/rules/read_decisions.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <string>
#include <vector>

#include "collsched/format/rules/write_decisions.hpp"
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
        {.collective = collective::allgather, .ranks = 9, .bytes = 1, .algorithm = "pat", .aggregate = 2},
        {.collective = collective::reduce,
         .ranks = 9,
         .ranks_per_node = 3,
         .bytes = 1,
         .commutative = true,
         .algorithm = "chain",
         .origin = decision::source::measured,
         .time = 123'456'789'012'345,
         .time_low = 1,
         .time_high = detail::decision_time_limit,
         .runs = 40},
        {.collective = collective::scan, .ranks = 9, .algorithm = "linear", .origin = decision::source::simulated}};
    std::string text;
    write_decisions(std::back_inserter(text), table, "a test");
    CHECK(read(text) == table);
    CHECK(read("").empty());
}

TEST_CASE("read_decisions: errors of JSON Lines are reported with their line") {
    const std::string good = "{\"collective\":\"scan\",\"ranks\":2,\"bytes\":0,\"algorithm\":\"linear\"}\n";
    CHECK(read("\n" + good).size() == 1);
    refused(good + "{\"collective\":\"scans\",\"ranks\":2,\"bytes\":0,\"algorithm\":\"linear\"}",
            "2: collective: got \"scans\", expected one of 'collsched list'");
    refused("{\"collective\":\"scan\",\"ranks\":2,\"bytes\":0,\"algorithm\":\"lineal\"}",
            "1: algorithm: got \"lineal\", expected one of 'collsched list'");
    refused("{\"collective\":\"scan\",\"ranks\":0,\"bytes\":0,\"algorithm\":\"linear\"}",
            "1: ranks: got 0, expected a whole number, 1 to 2^63-1");
    refused("{\"collective\":\"scan\",\"ranks\":2,\"bytes\":0,\"algorithm\":\"linear\",\"radix\":3}",
            "1: got radix given, expected a parameter of the algorithm");
    refused("{\"collective\":\"scan\",\"ranks\":2,\"algorithm\":\"linear\"}",
            "1: bytes is required: a key of this object");
    refused("[]", "1: a decision table: got no object, expected {format, version, description, rows}");
}

namespace {

/// Version 1 with one row, whose members are `more` and those that are required.
std::string with(const std::string& more) {
    return "{\"format\":\"collsched decisions\",\"version\":1,\"rows\":[\n{\"collective\":\"allgather\",\"ranks\":2,"
           "\"bytes\":0,\"algorithm\":\"bruck\"" +
           more + "}]}";
}

/// A table with one allreduce or allgather whose row has a class of brackets.
std::string with_class(int version, const std::string& what, const std::string& name) {
    return "{\"format\":\"collsched decisions\",\"version\":" + std::to_string(version) +
           ",\"rows\":[\n{\"collective\":\"" + what +
           "\",\"ranks\":2,\"bytes\":0,\"algorithm\":\"ring\",\"association\":\"" + name + "\"}]}";
}

}  // namespace

TEST_CASE("read_decisions: keys that begin with x_ are ignored, others are errors") {
    CHECK(read(with(",\"x_note\":[1,{\"a\":2}]")) == read(with("")));
    CHECK(read("{\"x_made\":3,\"format\":\"collsched decisions\",\"version\":1,\"rows\":[]}").empty());
    CHECK_THROWS_AS(read(with(",\"note\":1")), input_error);
    CHECK_THROWS_AS(read(with(",\"ranks\":3")), input_error);
    CHECK_THROWS_AS(read("{\"format\":\"collsched decisions\",\"version\":1,\"rows\":[],\"note\":2}"), input_error);
}

TEST_CASE("read_decisions: errors of version 1 are reported with their line") {
    refused("{\"format\":\"collsched decisions\",\n\"version\":3,\"rows\":[]}",
            "2: version: got 3, expected a whole number, 1 to 2");
    refused("{\"format\":\"decisions\",\"version\":1,\"rows\":[]}",
            "1: format: got \"decisions\", expected \"collsched decisions\"");
    refused("{\"format\":\"collsched decisions\",\"version\":1}", "1: rows is required: a key of this object");
    refused(with(",\"ranks_per_node\":0"), "2: ranks_per_node: got 0, expected a whole number, 1 to 2^63-1");
    refused(with(",\"commutative\":1"), "2: commutative: got another value, expected true or false");
    refused(with(",\"association\":\"canonical\""), "2: association: got \"canonical\", expected \"any\" in version 1");
    CHECK(read(with(",\"association\":\"any\"")).size() == 1);
    refused(with(",\"source\":\"guessed\""),
            "2: source: got \"guessed\", expected \"stated\", \"simulated\" or \"measured\"");
    refused(with(",\"time_us\":-1"), "2: time_us: got -1, expected microseconds, 0 to 1000000000");
    refused(with(",\"time_us\":1e300"), "2: time_us: got 1e+300, expected microseconds, 0 to 1000000000");
    refused(with(",\"time_us\":\"1\""), "2: time_us: got no number, expected microseconds, 0 to 1000000000");
    refused(with(",\"runs\":-1"), "2: runs: got -1, expected a whole number, 0 to 2^63-1");
    refused(with(",\"parameters\":{\"group\":2}"), "2: got group given, expected a parameter of the algorithm");
    CHECK_THROWS_AS(read(with(",\"parameters\":{\"x_radix\":2}")), input_error);
    CHECK_THROWS_AS(read(with("") + "{}"), input_error);
}

TEST_CASE("read_decisions: version 2 has classes of brackets, of reductions only") {
    for (const association_class one :
         {association_class::any, association_class::rank, association_class::position, association_class::canonical}) {
        const std::vector<decision> rows = read(with_class(2, "allreduce", name_of(one)));
        REQUIRE(rows.size() == 1);
        CHECK(rows[0].association == one);
    }
    CHECK(read(with_class(1, "allgather", "any")) == read(with_class(2, "allgather", "any")));
    refused(with_class(1, "allreduce", "rank"), "2: association: got \"rank\", expected \"any\" in version 1");
    refused(with_class(2, "allreduce", "Rank"),
            "2: association: got \"Rank\", expected \"any\", \"rank\", \"position\" or \"canonical\"");
    refused(with_class(2, "allgather", "rank"),
            "2: association: got \"rank\", expected \"any\", since the collective combines nothing");
}
