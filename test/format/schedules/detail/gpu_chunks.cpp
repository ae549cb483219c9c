#include "collsched/format/schedules/detail/gpu_chunks.hpp"

#include <doctest/doctest.h>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/tree/binomial.hpp"

using namespace collsched;
using namespace collsched::detail;

TEST_CASE("gpu_chunks: sizes of chunks and their number per buffer") {
    const gpu_chunks gathered(allgather::ring{.ranks = 3, .block = 12});
    CHECK(gathered.bytes() == 12);
    CHECK(gathered.input() == 1);
    CHECK(gathered.output() == 3);
    CHECK(gathered.of(13) == 2);
    CHECK(gathered.program(1).size() == 5);  // its own copy, two sends, two receives
    const gpu_chunks chunks(broadcast::over_tree<trees::binomial>{.ranks = 4, .bytes = 9});
    CHECK(chunks.input() == 1);
    CHECK(chunks.output() == 1);
    CHECK(gpu_chunks().bytes() == 0);
    const gpu_chunks huge(broadcast::over_tree<trees::binomial>{.ranks = 2, .bytes = INT64_MAX});
    CHECK(huge.of(INT64_MAX) == 1);
    CHECK(huge.of(1) == 1);
}
