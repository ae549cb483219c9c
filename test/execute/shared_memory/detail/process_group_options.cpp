#include "collsched/execute/shared_memory/detail/process_group_options.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace collsched;
using detail::process_group_options;

TEST_CASE("process_group_options: defaults follow from the ranks, what is given stays") {
    CHECK(detail::with_defaults({}, 8).ring_bytes == 131072);
    CHECK(detail::with_defaults({}, 9).ring_bytes == 32768);
    CHECK(detail::with_defaults({.ring_bytes = 4096}, 9).ring_bytes == 4096);
    CHECK(detail::with_defaults({}, 1).single_copy_from == std::numeric_limits<bytes_t>::max());
    CHECK(detail::with_defaults({}, 1 << 15).single_copy_from == 0);
    for (const rank_t ranks : {1, 1 << 15})
        CHECK(detail::with_defaults({.single_copy_from = 5000}, ranks).single_copy_from == 5000);
}

TEST_CASE("process_group_options: the first mistake has a name") {
    const auto mistake = [](rank_t ranks, rank_t rank, process_group_options options) {
        const detail::group_error error = detail::check_membership(ranks, rank, detail::with_defaults(options, ranks));
        CHECK(static_cast<bool>(error) == (error.number == EINVAL));
        return std::string(error ? error.object : "");
    };
    CHECK(mistake(3, 2, {}) == "");
    CHECK(mistake(0, 0, {}) == "ranks: 1 to 32768");
    CHECK(mistake((1 << 15) + 1, 0, {}) == "ranks: 1 to 32768");
    CHECK(mistake(3, 3, {}) == "rank: 0 to ranks-1");
    CHECK(mistake(3, -1, {}) == "rank: 0 to ranks-1");
    for (const bytes_t ring : {bytes_t{-1}, bytes_t{512}, bytes_t{3000}, bytes_t{1} << 31})
        CHECK(mistake(3, 0, {.ring_bytes = ring}) == "ring_bytes: a power of two, 1024 or more");
    CHECK(mistake(3, 0, {.single_copy_from = -2}) == "single_copy_from: -1 or more");
}

TEST_CASE("process_group_options: the ends of all ranges are accepted, and the values beside them are not") {
    const auto accepted = [](rank_t ranks, rank_t rank, bytes_t ring, bytes_t from = 0) {
        return !detail::check_membership(ranks, rank, {.ring_bytes = ring, .single_copy_from = from});
    };
    CHECK((accepted(1, 0, 1024) && accepted(1 << 15, (1 << 15) - 1, 1024)));
    CHECK((accepted(2, 0, 2048) && accepted(2, 0, 1 << 30)));
    CHECK_FALSE(
        (accepted(2, 0, 1023) || accepted(2, 0, 1025) || accepted(2, 0, 0) || accepted(2, 0, bytes_t{1} << 31)));
    CHECK_FALSE((accepted(2, 0, 1024, -1) || accepted(2, 2, 1024) || accepted(0, 0, 1024)));
    const process_group_options none;
    CHECK((none.ring_bytes == 0 && none.single_copy && none.single_copy_from == -1));
}
