#include "collsched/select/choice.hpp"

#include <doctest/doctest.h>

#include "algorithms/algorithms.hpp"

using namespace collsched;

TEST_CASE("find_algorithm: every algorithm is found by its collective and name, and no other") {
    for (const algorithm_entry& entry : compiled::whole_registry()) {
        INFO(name_of(entry.info.collective), " ", entry.info.name);
        CHECK(find_algorithm(compiled::whole_registry(), entry.info.collective, entry.info.name) == &entry);
    }
    CHECK(find_algorithm(compiled::registry(), collective::barrier, "ring") == nullptr);
    CHECK(find_algorithm(compiled::registry(), collective::allgather, "rin") == nullptr);
    CHECK(find_algorithm({}, collective::allgather, "ring") == nullptr);
}
