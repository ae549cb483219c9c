#include "examples/programs/collsched/measured/work_sum.hpp"

#include <doctest/doctest.h>

using namespace collsched::measured;

TEST_CASE("work_sum: messages count as rounds and bytes of their direction") {
    work_sum sum(0);
    sum.add(work_kind::one_way, 3, 100);
    sum.add(work_kind::two_way, 2, 50);
    CHECK(sum.amount(work_kind::round) == doctest::Approx(5));
    CHECK(sum.amount(work_kind::one_way) == doctest::Approx(300));
    CHECK(sum.amount(work_kind::two_way) == doctest::Approx(100));
    CHECK(sum.bytes() == doctest::Approx(400));
    CHECK(sum.amount(work_kind::call) == doctest::Approx(1));
}

TEST_CASE("work_sum: halves, quarters, ... sum to all but the last part") {
    work_sum sum(0);
    sum.add_halving(work_kind::two_way, 3, 800);
    CHECK(sum.amount(work_kind::round) == doctest::Approx(3));
    CHECK(sum.amount(work_kind::two_way) == doctest::Approx(700));
}

TEST_CASE("work_sum: bytes are of small or of large messages by the size of a message") {
    work_sum small(0), large(0);
    small.add(work_kind::one_way, 1, 8);
    large.add(work_kind::one_way, 1, 0x1p30);
    CHECK(small.amount(work_kind::small) == doctest::Approx(8).epsilon(0.01));
    CHECK(small.amount(work_kind::large) < 0.01);
    CHECK(large.amount(work_kind::small) == doctest::Approx(0x1p15).epsilon(0.01));
    CHECK(large.amount(work_kind::large) == doctest::Approx(0x1p30).epsilon(0.01));
}

TEST_CASE("work_sum: segments beyond the first are blocks, and messages as large as a segment") {
    work_sum sum(1000);
    sum.add(work_kind::one_way, 2, 2500);
    sum.add(work_kind::one_way, 5, 10);
    CHECK(sum.amount(work_kind::block) == doctest::Approx(4));
    work_sum whole(0), parts(1024);
    whole.add(work_kind::one_way, 1, 0x1p24);
    parts.add(work_kind::one_way, 1, 0x1p24);
    CHECK(parts.amount(work_kind::large) < whole.amount(work_kind::large) / 100);
    CHECK(parts.amount(work_kind::small) > whole.amount(work_kind::small) * 100);
}

TEST_CASE("work_sum: the bytes of a message are small below 2^15 and large above 2^20, by a smooth limit") {
    for (const double segment : {0.0, 1000.0}) {
        const double piece = segment > 0 ? segment : 0x1p16;
        work_sum sum(segment);
        sum.add(work_kind::one_way, 3, 0x1p16);
        CHECK(sum.amount(work_kind::small) == doctest::Approx(3 * 0x1p16 * 0x1p15 / (piece + 0x1p15)));
        CHECK(sum.amount(work_kind::large) == doctest::Approx(3 * 0x1p16 * piece / (piece + 0x1p20)));
        CHECK(sum.amount(work_kind::block) == doctest::Approx(segment > 0 ? 3 * 65 : 0));
        sum.add_small(2, 0x1p16);
        CHECK(sum.amount(work_kind::small) == doctest::Approx(5 * 0x1p16 * 0x1p15 / (piece + 0x1p15)));
        CHECK(sum.amount(work_kind::round) == doctest::Approx(3));
    }
    work_sum single(1);
    single.add(work_kind::one_way, 1, 4);
    CHECK(single.amount(work_kind::block) == doctest::Approx(3));
    CHECK(single.amount(work_kind::small) == doctest::Approx(4 * 0x1p15 / (1 + 0x1p15)));
}
