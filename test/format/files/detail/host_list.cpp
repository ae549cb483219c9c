#include "collsched/format/files/detail/host_list.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "support/brief.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

using names = std::vector<std::string>;
const text_file file{"f", ""};

names expand(std::string_view text) { return expand_host_list(text, {file, 7}); }

std::vector<std::int64_t> numbers(std::string_view text) {
    std::vector<std::int64_t> list;
    for_each_number(text, {file, 7}, [&](std::int64_t number, std::size_t) { list.push_back(number); });
    return list;
}

}  // namespace

TEST_CASE("host_list: a list is cut at commas outside brackets") {
    CHECK(split_list("a[1,2],b") == std::vector<std::string_view>{"a[1,2]", "b"});
    CHECK(split_list("") == std::vector<std::string_view>{""});
    CHECK(split_list(",") == std::vector<std::string_view>{"", ""});
}

TEST_CASE("host_list: numbers and ranges are in the order written") {
    CHECK(numbers("1-3,7,5") == std::vector<std::int64_t>{1, 2, 3, 7, 5});
    CHECK(numbers("0") == std::vector<std::int64_t>{0});
    CHECK(numbers("2147483647-2147483647") == std::vector<std::int64_t>{2147483647});
}

TEST_CASE("host_list: nested lists expand") {
    CHECK(expand("n[0-3,7],m5") == names{"n0", "n1", "n2", "n3", "n7", "m5"});
    CHECK(expand("rack[0-1]n[0-3]") ==
          names{"rack0n0", "rack0n1", "rack0n2", "rack0n3", "rack1n0", "rack1n1", "rack1n2", "rack1n3"});
    CHECK(expand("a") == names{"a"});
    CHECK(expand("a-b") == names{"a-b"});
    CHECK(expand("n[1-2]-ib") == names{"n1-ib", "n2-ib"});
    CHECK(expand("[3]") == names{"3"});
}

TEST_CASE("host_list: numbers have at least as many digits as the first of their range") {
    CHECK(expand("n[001-003]") == names{"n001", "n002", "n003"});
    CHECK(expand("n[08-11]") == names{"n08", "n09", "n10", "n11"});
    CHECK(expand("n[8-11]") == names{"n8", "n9", "n10", "n11"});
    CHECK(expand("n[099-101,5]") == names{"n099", "n100", "n101", "n5"});
    CHECK(expand("n[001-010]").back() == "n010");
}

TEST_CASE("host_list: texts that are no host list are rejected") {
    const std::string_view ranges = ", expected numbers below 2^31 and ranges of them such as 0-3,7";
    const auto check_error = [&](std::string_view text, std::string_view quoted, std::string_view accepted) {
        CHECK_THROWS_WITH_AS(expand(text), ("f:7: got \"" + std::string(quoted) + "\"" + std::string(accepted)).c_str(),
                             input_error);
    };
    for (const std::string_view inside :
         {"", "a", "3-1", "1-", "-1", "1-2-3", "1,,2", " 1", "1x", "2147483648", "00000000001", "99999999999999999999"})
        check_error("n[" + std::string(inside) + "]", inside, ranges);
    for (const std::string_view text : {"n[1-2", "n1]", "n]1[", "n[1]]"})
        check_error(text, text, ", expected names with brackets in pairs");
    check_error("n[0-[1]]", "0-[1", ranges);
    for (const std::string_view text : {"", "a,,b", "a,"}) check_error(text, text, ", expected names");
}

TEST_CASE("host_list: no list makes more than 2^20 names" * doctest::skip(support::brief())) {
    CHECK(expand("n[1-1048576]").size() == 1048576);
    CHECK_THROWS_WITH_AS(expand("n[0-1048576]"), "f:7: got \"0-1048576\", expected at most 2^20 names", input_error);
    CHECK_THROWS_AS(expand("n[0-2147483647]"), input_error);
    CHECK_THROWS_AS(expand("n[0-1999]x[0-1999]"), input_error);
    CHECK_THROWS_AS(expand("n[0-999999],m[0-999999]"), input_error);
    CHECK_THROWS_AS(expand(std::string(300, 'n') + "[0-999999]"), input_error);
    CHECK(expand("[0][1][2][3][4][5][6][7]") == std::vector<std::string>{"01234567"});
    CHECK_THROWS_WITH_AS(expand("[0-999999][0][0][0][0][0][0][0][0]"),
                         "f:7: got \"[0-999999][0][0][0][0][0][0][0][0]\", expected at most 8 brackets in a name",
                         input_error);
}
