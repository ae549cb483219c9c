#include "benchmarks/studies/study_random.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>

using collsched::switch_study::study_random;

TEST_CASE("study_random: the numbers of SplitMix64, and those of a range") {
    study_random random(1234567);
    for (const std::uint64_t expected :
         {6457827717110365317U, 3203168211198807973U, 9817491932198370423U, 4593380528125082431U})
        CHECK(random() == expected);
    bool low = false, high = false;
    for (int i = 0; i < 1000; ++i) {
        const std::int64_t drawn = random.between(-2, 3);
        CHECK(drawn >= -2);
        CHECK(drawn <= 3);
        low = low || drawn == -2, high = high || drawn == 3;
    }
    CHECK(low);
    CHECK(high);
}
