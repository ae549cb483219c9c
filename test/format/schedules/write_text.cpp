#include "collsched/format/schedules/write_text.hpp"

#include <doctest/doctest.h>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "support/layouts.hpp"
#include "support/registry.hpp"

using namespace collsched;

TEST_CASE("write_text: a schedule for readers, to the letter") {
    std::string text;
    write_text(std::back_inserter(text), materialize(allgather::ring{.ranks = 3, .block = 2}), "allgather/ring");
    CHECK(text == R"(allgather/ring: 3 ranks, blocks of 2 bytes
2 steps, 2 rounds, 6 messages, 12 bytes sent; pacing data; scratch at most 0 bytes

step 0
  0 -> 1  block 0            2 bytes  input[0,2) -> output[0,2)
  1 -> 2  block 1            2 bytes  input[0,2) -> output[2,4)
  2 -> 0  block 2            2 bytes  input[0,2) -> output[4,6)
  0       block 0            2 bytes  input[0,2) copied to output[0,2)
  1       block 1            2 bytes  input[0,2) copied to output[2,4)
  2       block 2            2 bytes  input[0,2) copied to output[4,6)

step 1
  0 -> 1  block 2            2 bytes  output[4,6) -> output[4,6)
  1 -> 2  block 0            2 bytes  output[0,2) -> output[0,2)
  2 -> 0  block 1            2 bytes  output[2,4) -> output[2,4)
)");
}

TEST_CASE("write_text: one rank's part for readers") {
    std::string text;
    write_text(std::back_inserter(text), allgather::bruck{.ranks = 3, .block = 1}, "allgather/bruck", 1);
    CHECK(text == R"(allgather/bruck: rank 1 of 3 ranks, blocks of 1 byte
3 steps; pacing data; scratch 3 bytes

step 0
  1 -> 0      1 byte  input[0,1) -> scratch[1,2)
  1           1 byte  input[0,1) copied to scratch[0,1)
  2 -> 1      1 byte  input[0,1) -> scratch[1,2)

step 1
  0 -> 1      1 byte  scratch[0,1) -> scratch[2,3)
  1 -> 2      1 byte  scratch[0,1) -> scratch[2,3)

step 2
  1          2 bytes  scratch[0,2) copied to output[1,3)
  1           1 byte  scratch[2,3) copied to output[0,1)
)");
}

TEST_CASE("write_text: every edge has its line for any layout") {
    for (rank_t p = 1; p <= 12; ++p)
        for (const auto& [name, blocks] : support::layouts(p))
            for (const algorithm_entry& entry : support::registered_at(p)) {
                const stored_schedule s = materialize(entry.make({.ranks = p, .block = blocks}));
                std::string text;
                write_text(std::back_inserter(text), s, schedule_name(entry.info));
                std::size_t lines = 0;
                for (std::size_t at = text.find("\n  "); at != text.npos; at = text.find("\n  ", at + 1)) ++lines;
                CHECK(lines == s.edges().size());
            }
}

TEST_CASE("write_text: the blocks in words") {
    const auto words = [](const block_layout& blocks, rank_t p) {
        return detail::payload_text({.collective = collective::allgather, .ranks = p, .blocks = blocks});
    };
    CHECK(words(1, 4) == "blocks of 1 byte");
    CHECK(words(block_layout::partition(13, 4), 4) == "blocks of 3 to 4 bytes");
    CHECK(words(block_layout::partition(12, 4), 4) == "blocks of 3 bytes");
    const std::vector<bytes_t> counts{4, 0, 9};
    CHECK(words(block_layout(std::span<const bytes_t>(counts)), 3) == "blocks of 0 to 9 bytes");
    const block_matrix matrix(std::vector<bytes_t>{4, 0, 9, 2});
    CHECK(detail::payload_text({.collective = collective::alltoall, .ranks = 2, .blocks = matrix}) ==
          "blocks of 0 to 9 bytes");
    CHECK(detail::payload_text({.collective = collective::alltoall, .ranks = 2, .blocks = block_matrix(3)}) ==
          "blocks of 3 bytes");
    CHECK(detail::payload_text({.collective = collective::alltoall,
                                .ranks = 2,
                                .blocks = block_matrix(block_layout::partition(3, 2))}) == "blocks of 1 to 2 bytes");
    CHECK(detail::payload_text({.collective = collective::barrier}) == "no data");
    const neighborhood n(std::vector<int>{3, 1}, std::vector<int>{1, -1, 1, 0});
    const auto slots = [&](collective what, const slot_layout& sizes) {
        return detail::payload_text({.collective = what, .ranks = 2, .blocks = {n, sizes}});
    };
    CHECK(slots(collective::neighbor_allgather, slot_layout::gathered(5)) == "blocks of 5 bytes");
    CHECK(slots(collective::neighbor_alltoall, slot_layout::exchanged(n, std::vector<bytes_t>{4, 9, 2, 3})) ==
          "blocks of 2 to 4 bytes");
    CHECK(detail::payload_text({.collective = collective::allreduce, .bytes = 8}) == "8 bytes");
}

TEST_CASE("write_text: a total beyond 64 bits is marked as such") {
    owned_array<bytes_t> sizes(2);
    sizes[0] = sizes[1] = bytes_t{1} << 62;
    CHECK(detail::total_text(sizes) == "over 2^63");
    sizes[1] = 1;
    CHECK(detail::total_text(sizes) == "4611686018427387905");
}
