#include "collsched/cost/loggp.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "collsched/cost/concepts.hpp"

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

static_assert(message_cost<hockney_model>);
static_assert(hockney_model{.alpha_ps = 1000, .beta_fs = 8000}.message(10).value() == 1080);

TEST_CASE("hockney: costs alpha + m beta, and is checked") {
    const hockney_model m{.alpha_ps = 5, .beta_fs = 1'500};
    CHECK(m.message(0).value() == 5);
    CHECK(m.message(3).value() == 9);  // floor(4.5) ps
    CHECK(m.sending(0, 1, 3, true).value() == 9);
    CHECK(!hockney_model{.beta_fs = INT64_MAX}.message(2000).ok());
    CHECK(hockney_model{.alpha_ps = -1}.check().value == -1);
    CHECK(hockney_model{.beta_fs = -2}.check().value == -2);
    CHECK(!m.check());
    CHECK(hockney_model{} == hockney_model{.alpha_ps = 0, .beta_fs = 0});
    CHECK(!hockney_model{}.check());  // 0 is in both ranges
}

TEST_CASE("hockney_model: only sending costs time") {
    constexpr hockney_model m{.alpha_ps = 5, .beta_fs = 1'500};
    static_assert(m.connection(true).value() == 0 && m.connection(false).value() == 0);
    static_assert(m.stream(1000).value() == 0 && m.gap().value() == 0 && m.flight(0, 1).value() == 0);
    static_assert(m.receiving(0, 1, true).value() == 0 && m.receiving(0, 1, false).value() == 0);
    static_assert(m.copy(1000).value() == 0 && m.combine(1000).value() == 0);
}

TEST_CASE("loggops: the time of a message at a processor and at an interface") {
    constexpr loggops_model model{
        .latency_ns = 7, .overhead_ns = 5, .gap_ns = 3, .byte_gap_ns = 2, .byte_overhead_ns = 1, .eager_bytes = 10};
    static_assert(model.sending(1).value() == 5 && model.sending(11).value() == 15);
    static_assert(model.receiving(1).value() == 5 && model.receiving(11).value() == 25);
    static_assert(model.interface(1).value() == 3 && model.interface(11).value() == 23);
    static_assert(model.arrival().value() == 12);
    static_assert(!model.waits_for_receiver(10) && model.waits_for_receiver(11));
    constexpr loggops_model slow_processor{.byte_gap_ns = 1, .byte_overhead_ns = 4};
    CHECK(slow_processor.receiving(3).value() == 1508);
    CHECK(!model.receiving(std::numeric_limits<bytes_t>::max()).ok());
}

TEST_CASE("loggops: the defaults are those of LogGOPSim") {
    CHECK(loggops_model{} == loggops_model{.latency_ns = 2500,
                                           .overhead_ns = 1500,
                                           .gap_ns = 1000,
                                           .byte_gap_ns = 6,
                                           .byte_overhead_ns = 0,
                                           .eager_bytes = 65535});
}

TEST_CASE("loggops: negative parameters are rejected, each by its letter") {
    const auto refused = [](const loggops_model& model) { return std::string(model.check().argument); };
    CHECK(!loggops_model{}.check());
    CHECK(!loggops_model{0, 0, 0, 0, 0, 0}.check());
    CHECK(refused({.latency_ns = -1}) == "L");
    CHECK(refused({.overhead_ns = -1}) == "o");
    CHECK(refused({.gap_ns = -1}) == "g");
    CHECK(refused({.byte_gap_ns = -1}) == "G");
    CHECK(refused({.byte_overhead_ns = -1}) == "O");
    CHECK(refused({.eager_bytes = -1}) == "S");
}
