#include "collsched/collective/broadcast/detail/whole_store.hpp"

#include <doctest/doctest.h>

using namespace collsched;

TEST_CASE("whole_store: the root reads its input and copies it in step 0, all others read the bytes they received") {
    const broadcast::detail::whole_store store{block_layout::partition(10, 4), 4, 5, 2};
    CHECK(store.block_count() == 4);
    CHECK(store.read(2, 3, {1, 1}).where() == buffer::input);
    CHECK(store.read(1, 3, {1, 1}).where() == buffer::output);
    CHECK(store.read(1, 3, {1, 1}).piece() == byte_range{3, 3});
    CHECK(store.write(1, {2, 2}).piece() == byte_range{6, 4});
    CHECK(store.copy_steps(2, 9) == step_range{0, 0});
    CHECK(store.copy_steps(1, 9).empty());
    int copies = 0;
    const auto whole = [&](const detail::run_cursor& from, const detail::run_cursor& into) {
        ++copies;
        CHECK(from.where() == buffer::input);
        CHECK(from.piece() == byte_range{0, 10});
        CHECK(into.where() == buffer::output);
        CHECK(into.piece() == byte_range{0, 10});
    };
    for (rank_t r = 0; r < 5; ++r)
        for (step_t k = 0; k < 3; ++k) store.copies(r, k, 3, whole);
    CHECK(copies == 1);
}

TEST_CASE("whole_store: a single rank has one step for its copy") {
    CHECK(broadcast::detail::whole_store{10, 1, 1, 0}.steps(0) == 1);
    CHECK(broadcast::detail::whole_store{10, 1, 2, 0}.steps(7) == 7);
}
