#include "collsched/verify/detail/results.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace collsched;
using namespace collsched::detail;

namespace {

const std::array<bytes_t, 3> counts{2, 3, 1}, displs{4, 0, 7};
const contract gather{.collective = collective::allgather, .ranks = 3, .blocks = block_layout(counts, displs)};

/// The verdict on rank 1 with all blocks, the last of them at `last`, as byte `at` of them.
verdict judged(const contract& contract, bytes_t last, bytes_t at, bool more = false) {
    const origins names(contract, {});
    const operand_table operands(contract.ranks, false);
    contents held;
    held.write({.begin = 14, .end = 16, .value = 0, .at = 0, .written = true});
    held.write({.begin = 10, .end = 13, .value = 0, .at = 2, .written = true});
    held.write({.begin = 10 + last, .end = 11 + last, .value = 0, .at = at, .written = true});
    if (more) held.write({.begin = 16, .end = 17, .value = 0, .at = 0, .written = true});
    return results(contract, names, operands, 5).of(1, held, 10);
}

}  // namespace

TEST_CASE("results: blocks at their displacements are the result, other bytes are errors") {
    CHECK(judged(gather, 7, 5).ok());
    CHECK(judged(gather, 7, 4) == verdict{verdict::kind::wrong_bytes, 5, 1, buffer::output, 7});
    CHECK(judged(gather, 9, 5) == verdict{verdict::kind::missing, 5, 1, buffer::output, 7});
    CHECK(judged(gather, 7, 5, true) == verdict{verdict::kind::outside_result, 0, 1, buffer::output, 6});
}

TEST_CASE("results: each block is checked, and wrong or missing bytes are reported at the first byte") {
    const std::array<bytes_t, 3> names{0, 2, 5};
    for (const auto& offsets : {displs, std::array<bytes_t, 3>{0, 2, 5}})
        for (std::size_t changed = 0; changed < 3; ++changed)
            for (const bool missing : {false, true}) {
                const contract contract{
                    .collective = collective::allgather, .ranks = 3, .blocks = block_layout(counts, offsets)};
                const origins names_of(contract, {});
                const operand_table operands(3, false);
                contents held;
                for (std::size_t i = 0; i < 3; ++i)
                    if (i != changed || !missing)
                        held.write({.begin = 10 + offsets[i],
                                    .end = 10 + offsets[i] + counts[i],
                                    .at = names[i] + (i == changed ? 1 : 0),
                                    .written = true});
                CAPTURE(changed);
                CAPTURE(missing);
                CHECK(results(contract, names_of, operands, 5).of(1, held, 10) ==
                      verdict{missing ? verdict::kind::missing : verdict::kind::wrong_bytes, 5, 1, buffer::output,
                              offsets[changed]});
            }
}

TEST_CASE("results: a combination differs from its operands in another order, and from others") {
    const contract scan{.collective = collective::scan, .ranks = 3, .bytes = 4};
    const origins names(scan, {});
    operand_table operands(3, false);
    const auto judge = [&](operand_id value) {
        contents held;
        held.write({.begin = 0, .end = 4, .value = value, .at = 0, .written = true});
        return results(scan, names, operands, 5).of(1, held, 0).finding;
    };
    CHECK(judge(operands.combine(0, 1)) == verdict::kind::none);
    CHECK(judge(operands.combine(1, 0)) == verdict::kind::operand_order);
    CHECK(judge(operands.combine(0, 2)) == verdict::kind::wrong_bytes);
    CHECK(judge(0) == verdict::kind::wrong_bytes);
}

TEST_CASE("results: a gather has a result at its root alone, elsewhere no byte of the output is written") {
    const contract to_root{.collective = collective::gather, .ranks = 3, .root = 2, .blocks = 4};
    const origins names(to_root, {});
    REQUIRE(names.joined());
    const operand_table operands(3, false);
    const auto judge = [&](rank_t r, bytes_t bytes) {
        contents held;
        if (bytes > 0) held.write({.begin = 8, .end = 8 + bytes, .written = true});
        return results(to_root, names, operands, 5).of(r, held, 8);
    };
    for (const rank_t r : {0, 1}) CHECK(judge(r, 0).ok());
    CHECK(judge(2, 12).ok());
    CHECK(judge(2, 0) == verdict{verdict::kind::missing, 5, 2, buffer::output, 0});
    CHECK(judge(2, 11) == verdict{verdict::kind::missing, 5, 2, buffer::output, 11});
}

TEST_CASE("results: input bytes beside the result are no error, written ones are, also behind a part of the result") {
    const contract exscan{.collective = collective::exscan, .ranks = 3, .bytes = 4};
    const origins names(exscan, {});
    const operand_table operands(3, false);
    for (const bool written : {false, true})
        for (const bytes_t byte : {0, 3}) {
            contents held;
            held.write({.begin = 10 + byte, .end = 11 + byte, .written = written});
            const verdict expected{verdict::kind::outside_result, 0, 0, buffer::output, byte};
            CHECK(results(exscan, names, operands, 5).of(0, held, 10) == (written ? expected : verdict{}));
        }
    // Blocks of 2 bytes with a byte between them. One segment has the first block and the byte behind it.
    const std::array<bytes_t, 2> sizes{2, 2}, places{0, 3};
    const contract all{.collective = collective::allgather, .ranks = 2, .blocks = block_layout(sizes, places)};
    const edge combining[] = {{.action = action::combine_after}};
    const origins apart(all, combining);
    REQUIRE(!apart.joined());
    contents held;
    held.write({.begin = 0, .end = 3, .value = 0, .written = true});
    held.write({.begin = 3, .end = 5, .value = 1, .written = true});
    CHECK(results(all, apart, operands, 5).of(0, held, 0) ==
          verdict{verdict::kind::outside_result, 0, 0, buffer::output, 2});
}

TEST_CASE("results: the input of a rank within its output is the part of the result between the written ones") {
    const contract all{.collective = collective::allgather, .ranks = 3, .blocks = 4};
    const origins names(all, {});
    const operand_table operands(3, false);
    const auto judge = [&](bytes_t own) {
        contents held;
        held.write({.begin = 10, .end = 14, .at = 0, .written = true});
        held.write({.begin = 14, .end = 18, .at = own});
        held.write({.begin = 18, .end = 22, .at = 8, .written = true});
        return results(all, names, operands, 5).of(1, held, 10);
    };
    CHECK(judge(4).ok());
    CHECK(judge(5) == verdict{verdict::kind::wrong_bytes, 5, 1, buffer::output, 4});
}
