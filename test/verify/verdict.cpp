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

TEST_CASE("verdict: a verdict without a finding is good") {
    static_assert(verdict{}.ok() && !verdict{finding::missing, 1, 2, buffer::output, 3}.ok());
}
