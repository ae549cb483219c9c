#include "collsched/execute/calibrate.hpp"

#include <doctest/doctest.h>

#include <thread>

#include "collsched/execute/thread_fabric.hpp"
#include "support/faulty.hpp"

using namespace collsched;

TEST_CASE("calibrate: every parameter measured between two threads is plausible") {
    thread_fabric fabric(2);
    int other_error = -1;
    std::jthread second([&] {
        auto end = fabric.at(1);
        other_error = calibrate(end, 1, 0, 5, 5).error;
    });
    auto end = fabric.at(0);
    const auto made = calibrate(end, 0, 1, 5, 5);
    second.join();
    CHECK(made.error == 0);
    CHECK(other_error == 0);
    CHECK(!made.model.check());
    CHECK(made.model.overhead_ps > 0);
    CHECK(made.model.latency_ps + made.model.overhead_ps < 1'000'000'000'000);
    // On a loaded machine a large message may be as fast as a small one.
    CHECK((made.model.byte_fs >= 0 && made.model.byte_fs < 1'000'000'000));
    CHECK(made.model.copy_fs > 100);  // no memory moves ten terabytes a second
    CHECK(made.model.combine_fs > 100);
}

TEST_CASE("calibrate: an error of the transport ends the measurement") {
    thread_fabric fabric(2);
    support::faulty<thread_fabric::endpoint> broken(fabric.at(0), support::faulty<thread_fabric::endpoint>::where::send,
                                                    0);
    CHECK(calibrate(broken, 0, 1).error == support::faulty<thread_fabric::endpoint>::failure);
}
