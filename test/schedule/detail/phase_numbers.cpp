#include "collsched/schedule/detail/phase_numbers.hpp"

#include <doctest/doctest.h>

using namespace collsched;
using detail::phase_numbers;

TEST_CASE("phase_numbers: steps are the phases but the idle one, in order") {
    static_assert(phase_numbers{4, 4}.steps() == 4 && phase_numbers{0, 0}.steps() == 0);
    for (step_t phases = 0; phases <= 5; ++phases)
        for (step_t idle = 0; idle <= phases; ++idle) {
            const phase_numbers numbers{phases, idle};
            step_t k = 0;
            for (step_t phase = 0; phase < phases; ++phase) {
                if (phase == idle) continue;
                CHECK(numbers.phase(k) == phase);
                CHECK(numbers.step(phase) == k);
                ++k;
            }
            CHECK(numbers.steps() == k);
            CHECK(numbers.step(idle) == idle);  // as many steps are in earlier phases
        }
}
