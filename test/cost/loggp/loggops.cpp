#include "collsched/cost/loggp.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

using namespace collsched;

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
