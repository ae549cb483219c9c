#include "collsched/cost/loggp.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

using namespace collsched;

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr loggp_model lan{.latency_ps = 5'000, .overhead_ps = 2'000, .gap_ps = 4'000, .byte_fs = 1'500};

static_assert(!lan.check());
static_assert(lan == loggp_model{lan} && lan != loggp_model{});
static_assert(lan.stream(0).value() == 0 && lan.stream(1).value() == 0 && lan.stream(2).value() == 1);
static_assert(lan.stream(1001).value() == 1'500);
static_assert(lan.message(1).value() == 2'000 + 5'000 + 2'000);
static_assert(lan.message(1001).value() == 2'000 + 1'500 + 5'000 + 2'000);
static_assert(lan.copy(10).value() == 1'000 && lan.combine(10).value() == 2'000);
static_assert(loggp_model{.overhead_ps = 2, .connection_ps = 70}.processor(true).value() == 72);
static_assert(loggp_model{.overhead_ps = 2, .connection_ps = 70}.processor(false).value() == 2);

static_assert(loggp_model{} == loggp_model{.latency_ps = 0,
                                           .overhead_ps = 0,
                                           .gap_ps = 0,
                                           .byte_fs = 0,
                                           .copy_fs = 100'000,
                                           .combine_fs = 200'000,
                                           .connection_ps = 0});
static_assert(!loggp_model{.copy_fs = 0, .combine_fs = 0}.check(), "0 is in every range");

}  // namespace

TEST_CASE("loggp: values beyond 64 bits are rejected") {
    CHECK(!loggp_model{.latency_ps = most, .overhead_ps = 1}.message(1).ok());
    CHECK(!loggp_model{.overhead_ps = most, .connection_ps = 1}.processor(true).ok());
}

TEST_CASE("loggp: a negative parameter is reported") {
    const auto error_of = [](const loggp_model& model) { return std::string(model.check().argument); };
    CHECK(error_of({.latency_ps = -1}) == "L");
    CHECK(error_of({.overhead_ps = -1}) == "o");
    CHECK(error_of({.gap_ps = -1}) == "g");
    CHECK(error_of({.byte_fs = -1}) == "G");
    CHECK(error_of({.copy_fs = -1}) == "copy");
    CHECK(error_of({.combine_fs = -1}) == "combine");
    CHECK(error_of({.connection_ps = -1}) == "connection");
}
