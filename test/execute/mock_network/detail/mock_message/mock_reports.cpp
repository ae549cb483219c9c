#include "collsched/execute/mock_network/detail/mock_message.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace collsched;
using namespace collsched::detail;

namespace {

int owners[2];

mock_reports::report report(std::int64_t node, std::int64_t due, int owner = 0) {
    return {.report = {.request = {&owners[owner], node}}, .time = due};
}
const auto first = [](std::size_t) { return std::size_t{0}; };
const auto last = [](std::size_t n) { return n - 1; };

}  // namespace

TEST_CASE("mock_reports: due reports are returned in order of posting, or as the choice selects") {
    mock_reports all;
    CHECK(all.pop(9, first).report.request.owner == nullptr);
    for (std::int64_t i = 0; i < 4; ++i) all.push(report(i, i == 0 ? 5 : 1));
    CHECK(all.pop(0, first).report.request.owner == nullptr);
    CHECK(all.pop(1, first).report.request.node == 1);
    CHECK(all.pop(1, last).report.request.node == 3);
    CHECK(all.pop(1, last).report.request.node == 2);
    CHECK(all.pop(1, last).report.request.owner == nullptr);
    CHECK(all.pop(5, first).report.request.node == 0);
    CHECK(all.pop(5, first).report.request.owner == nullptr);
}

TEST_CASE("mock_reports: a choice that is not due is replaced by the first due report") {
    mock_reports all;
    all.push(report(0, 1));
    all.push(report(1, 2));
    CHECK(all.pop(1, last).report.request.node == 0);
}

TEST_CASE("mock_reports: those of an owner can be dropped, and those left keep their times") {
    mock_reports all;
    for (std::int64_t i = 0; i < 6; ++i) all.push(report(i, i, i % 2 == 0 ? 0 : 1));
    CHECK(all.pop(0, first).report.request.node == 0);
    std::vector<std::int64_t> dropped, left;
    all.cancel(&owners[0], [&](const mock_reports::report& one) { dropped.push_back(one.report.request.node); });
    CHECK(dropped == std::vector<std::int64_t>{2, 4});
    all.for_each_due([&](std::int64_t due) { left.push_back(due); });
    CHECK(left == std::vector<std::int64_t>{1, 3, 5});
    all.clear();
    CHECK(all.pop(9, first).report.request.owner == nullptr);
}

TEST_CASE("mock_reports: a choice beyond the reports that are due takes the first due one, from the middle too") {
    mock_reports all;
    const std::int64_t dues[] = {9, 2, 9, 2, 9};
    for (std::int64_t i = 0; i < 5; ++i) all.push(report(i, dues[i]));
    std::vector<std::size_t> sizes;
    const auto pick = [&](std::size_t k) {
        return all.pop(2, [&, k](std::size_t n) { return sizes.push_back(n), k; }).report.request.node;
    };
    CHECK(pick(2) == 3);  // of 1, 2, 3 and 4; 0 takes its place
    CHECK(pick(1) == 1);
    CHECK(sizes == std::vector<std::size_t>{4, 4});
    std::vector<std::int64_t> left;
    all.for_each_due([&](std::int64_t due) { left.push_back(due); });
    CHECK(left == std::vector<std::int64_t>{9, 9, 9});
    CHECK(mock_reports::report().time == 0);
}
