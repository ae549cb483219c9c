#include "collsched/verify/verdict.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace collsched;

static_assert(proved<verdict{}>);

TEST_CASE("verdict: every finding has its own name") {
    std::set<std::string> names;
    for (int i = 0; i <= static_cast<int>(finding::missing_signal); ++i) names.insert(name_of(static_cast<finding>(i)));
    CHECK(names.size() == static_cast<std::size_t>(finding::missing_signal) + 1);
    CHECK(std::string(name_of(finding::none)) == "none");
    CHECK(std::string(name_of(finding::outside_result)) == "outside_result");
    CHECK(std::string(name_of(finding::missing_signal)) == "missing_signal");
}

TEST_CASE("verdict: as a template argument it is text") {
    const auto texts = [](const verdict& v) {
        const detail::proof_result result(v);
        return std::string(result.found.characters) + "|" + result.place.characters + "|" + result.detail.characters;
    };
    CHECK(texts({}) == "||");
    CHECK(texts({finding::missing, 2, 0, buffer::output, 4}) == "missing|step 2, rank 0|output, byte 4");
    CHECK(texts({.finding = finding::bad_argument, .argument = {"counts", -3, "0 bytes or more", 7}}) ==
          "bad_argument|counts[7]: got -3|expected 0 bytes or more");
    constexpr std::int64_t most = INT64_MAX;
    CHECK(texts({finding::overwrites_read, most, most, buffer::scratch, most}) ==
          "overwrites_read|step 9223372036854775807, rank 9223372036854775807|scratch, byte 9223372036854775807");
    constexpr detail::proof_result wrong(verdict{finding::missing, 2, 0, buffer::output, 4});
    static_assert(sizeof(detail::fitted<wrong.found>()) == sizeof("missing"));
}

TEST_CASE("verdict: a verdict without a finding is good") {
    static_assert(verdict{}.ok() && !verdict{finding::missing, 1, 2, buffer::output, 3}.ok());
}
