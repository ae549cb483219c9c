#include "collsched/verify/detail/results.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace collsched;
using namespace collsched::detail;

namespace {

const std::array<bytes_t, 3> counts{2, 3, 1}, displs{4, 0, 7};
const contract gather{.collective = collective::allgather, .ranks = 3, .blocks = block_layout(counts, displs)};

/// The verdict on rank 1 with all blocks, the last of them at `last`, as byte `at` of them.
verdict judged(const contract& promise, bytes_t last, bytes_t at, bool more = false) {
    const origins names(promise, {});
    const operand_table operands(promise.ranks, false);
    contents held;
    held.write({.begin = 14, .end = 16, .value = 0, .at = 0, .written = true});
    held.write({.begin = 10, .end = 13, .value = 0, .at = 2, .written = true});
    held.write({.begin = 10 + last, .end = 11 + last, .value = 0, .at = at, .written = true});
    if (more) held.write({.begin = 16, .end = 17, .value = 0, .at = 0, .written = true});
    return results(promise, names, operands, 5).of(1, held, 10);
}

}  // namespace

TEST_CASE("results: blocks at their displacements are the result, other bytes are errors") {
    CHECK(judged(gather, 7, 5).ok());
    CHECK(judged(gather, 7, 4) == verdict{finding::wrong_bytes, 5, 1, buffer::output, 7});
    CHECK(judged(gather, 9, 5) == verdict{finding::missing, 5, 1, buffer::output, 7});
    CHECK(judged(gather, 7, 5, true) == verdict{finding::outside_result, 0, 1, buffer::output, 6});
}

TEST_CASE("results: each block is checked, and wrong or missing bytes are reported at the first byte") {
    const std::array<bytes_t, 3> names{0, 2, 5};
    for (const auto& offsets : {displs, std::array<bytes_t, 3>{0, 2, 5}})
        for (std::size_t changed = 0; changed < 3; ++changed)
            for (const bool missing : {false, true}) {
                const contract promise{
                    .collective = collective::allgather, .ranks = 3, .blocks = block_layout(counts, offsets)};
                const origins names_of(promise, {});
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
                CHECK(
                    results(promise, names_of, operands, 5).of(1, held, 10) ==
                    verdict{missing ? finding::missing : finding::wrong_bytes, 5, 1, buffer::output, offsets[changed]});
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
    CHECK(judge(operands.combine(0, 1)) == finding::none);
    CHECK(judge(operands.combine(1, 0)) == finding::operand_order);
    CHECK(judge(operands.combine(0, 2)) == finding::wrong_bytes);
    CHECK(judge(0) == finding::wrong_bytes);
}
