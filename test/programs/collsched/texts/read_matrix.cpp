#include "examples/programs/collsched/texts/read_matrix.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/refusal.hpp"

using namespace collsched;
using namespace collsched::texts;

namespace {

block_matrix read(const std::string& text) { return read_matrix(text_file{"m", text}); }

std::string refused(const std::string& text) {
    return support::refusal_of([&] { read(text); });
}

}  // namespace

TEST_CASE("read_matrix: rows of sizes, with blanks or commas between, and comments") {
    for (const char* text : {"1 2\n3 4\n", "1,2\n3,4", "# sizes\n\n 1\t, 2 # first\r\n3;4\n\n", "[[1,2],[3,4]]",
                             "  [ [1,\n2],[3,4] ]\n"}) {
        CAPTURE(text);
        const block_matrix m = read(text);
        CHECK(m.ranks() == 2);
        CHECK(m == block_matrix(std::vector<bytes_t>{1, 2, 3, 4}));
    }
    CHECK(read("9223372036854775807").count(0, 0) == INT64_MAX);
    CHECK(read("0").ranks() == 1);
}

TEST_CASE("read_matrix: texts that are no matrix are reported with their line") {
    CHECK(refused("") == "m:1: got no sizes, expected p rows of p sizes");
    CHECK(refused("# none\n") == "m:2: got no sizes, expected p rows of p sizes");
    CHECK(refused("1 2\n3\n") == "m:2: got 1 sizes, expected 2 sizes as in the first row");
    CHECK(refused("1 2\n3 4\n5 6\n") == "m:3: got row 3, expected 2 rows of 2");
    CHECK(refused("1 2\n") == "m:2: got 1 rows, expected 2 rows of 2");
    CHECK(refused("0 9223372036854775807\n9223372036854775807 1\n") ==
          "m:2: got size 1 in row 2, column 2, expected counts that sum to less than 2^63 bytes");
    CHECK(refused("1 -2\n3 4\n") == "m:1: got size \"-2\", expected a whole number, 0 to 2^63-1");
    CHECK(refused("1 x\n3 4\n").starts_with("m:1: got size \"x\","));
    CHECK(refused("1 2.5\n3 4\n").starts_with("m:1: got size \"2.5\","));
    CHECK(refused("1 99999999999999999999\n3 4\n").starts_with("m:1: got size \"99999999999999999999\","));
    CHECK(refused("9223372036854775807 1\n0 0\n").starts_with("m:1: got size 1 in row 1, column 2, expected "));
    CHECK(refused("[1,2]").starts_with("m:1: got a row that is no list,"));
    CHECK(refused("[[1,2],[3,\n-4]]") == "m:2: size: got -4, expected a whole number, 0 to 2^63-1");
    CHECK(refused("[[9223372036854775808]]") ==
          "m:1: size: got 9.223372036854776e+18, expected a whole number, 0 to 2^63-1");
    CHECK(read("[[9007199254740993]]").count(0, 0) == 9007199254740993);
    CHECK(refused("[[1,2],[3,\"x\"]]").starts_with("m:1: size: got no number"));
    CHECK(refused("[[1,2],[3]]").starts_with("m:1: got 1 sizes, expected "));
    CHECK(refused("[[1,2],").starts_with("m:1: got "));
    CHECK(refused("[]").starts_with("m:1: got no sizes, expected "));
    CHECK(refused("[[]]") == "m:1: got an empty row, expected p rows of p sizes");
}

TEST_CASE("read_matrix: another format is named") {
    CHECK_THROWS_WITH_AS(read_matrix(text_file{"f", "# x\n- topology: t\n"}),
                         "f:2: got text that looks like YAML such as a Slurm topology.yaml, expected p rows of p sizes",
                         input_error);
    CHECK_THROWS_WITH_AS(read_matrix(text_file{"f", "BlockSizes=1,2\n"}),
                         "f:1: got text that looks like a Slurm topology.conf, expected p rows of p sizes",
                         input_error);
}
