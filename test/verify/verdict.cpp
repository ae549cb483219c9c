#include "collsched/verify/verdict.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace collsched;

static_assert(proved<verdict{}>);

TEST_CASE("verdict: every finding has its own name") {
    std::set<std::string> names;
    for (int i = 0; i <= static_cast<int>(verdict::kind::missing_signal); ++i)
        names.insert(name_of(static_cast<verdict::kind>(i)));
    CHECK(names.size() == static_cast<std::size_t>(verdict::kind::missing_signal) + 1);
    CHECK(std::string(name_of(verdict::kind::none)) == "none");
    CHECK(std::string(name_of(verdict::kind::outside_result)) == "outside_result");
    CHECK(std::string(name_of(verdict::kind::missing_signal)) == "missing_signal");
}

TEST_CASE("verdict: without values it has no finding, step 0, rank 0, and byte 0 of the input") {
    const verdict none;
    CHECK(none.finding == verdict::kind::none);
    CHECK(none.step == 0);
    CHECK(none.rank == 0);
    CHECK(none.where == buffer::input);
    CHECK(none.byte == 0);
    CHECK(!none.argument);
}

TEST_CASE("verdict: a printed text takes what fits into its array with the null character") {
    const auto taken = [](const char* line) {
        detail::error_text text;
        text.put(line);
        detail::printed_text<4> printed;
        printed.set(text);
        return std::string(printed.characters) + " " + std::to_string(printed.length());
    };
    CHECK(taken("") == " 0");
    CHECK(taken("ab") == "ab 2");
    CHECK(taken("abc") == "abc 3");
    CHECK(taken("abcd") == "abc 3");
}

TEST_CASE("verdict: as a template argument it is text") {
    const auto texts = [](const verdict& v) {
        const detail::proof_result result(v);
        return std::string(result.found.characters) + "|" + result.place.characters + "|" + result.detail.characters;
    };
    CHECK(texts({}) == "||");
    CHECK(texts({verdict::kind::missing, 2, 0, buffer::output, 4}) == "missing|step 2, rank 0|output, byte 4");
    CHECK(texts({.finding = verdict::kind::bad_argument, .argument = {"counts", -3, "0 bytes or more", 7}}) ==
          "bad_argument|counts[7]: got -3|expected 0 bytes or more");
    // Long names and ranges are cut.
    const std::string name(70, 'a'), range(300, 'b');
    CHECK(texts({.finding = verdict::kind::bad_argument, .argument = {name.c_str(), 1, range.c_str()}}) ==
          "bad_argument|" + name.substr(0, 63) + "|expected " + range.substr(0, 246));
    constexpr std::int64_t most = INT64_MAX;
    CHECK(texts({verdict::kind::overwrites_read, most, most, buffer::scratch, most}) ==
          "overwrites_read|step 9223372036854775807, rank 9223372036854775807|scratch, byte 9223372036854775807");
    constexpr detail::proof_result wrong(verdict{verdict::kind::missing, 2, 0, buffer::output, 4});
    static_assert(sizeof(detail::fitted<wrong.found>()) == sizeof("missing"));
}

TEST_CASE("verdict: a verdict without a finding is good") {
    static_assert(verdict{}.ok() && !verdict{verdict::kind::missing, 1, 2, buffer::output, 3}.ok());
}
