#include "collsched/verify/detail/results.hpp"

#include <doctest/doctest.h>

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "support/layouts.hpp"

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

static_assert([] {
    constexpr contents::segment none{};
    return none.begin == 0 && none.end == 0 && none.value == 0 && none.at == 0 && !none.written;
}());

/// Searches every byte from every place of the last call. No index may leave the segments.
constexpr bool found_from_everywhere(bytes_t segments) {
    contents held;
    for (bytes_t i = 0; i < segments; ++i) held.write({.begin = 2 * i, .end = 2 * i + 1, .value = i});
    for (bytes_t from = 0; from <= 2 * segments; ++from)
        for (bytes_t to = 0; to <= 2 * segments; ++to) {
            held.find(from);
            const contents::segment* const s = held.find(to);
            if ((s != nullptr) != (to % 2 == 0 && to < 2 * segments) || (s != nullptr && s->value != to / 2))
                return false;
        }
    return true;
}
static_assert(found_from_everywhere(1) && found_from_everywhere(2) && found_from_everywhere(3) &&
              found_from_everywhere(4) && found_from_everywhere(8));

/// Writes a segment that extends the first one, and searches from there.
constexpr bool extended_at_the_front() {
    contents held;
    held.write({.begin = 0, .end = 2});
    held.write({.begin = 2, .end = 4, .at = 2});
    const contents::segment* const s = held.find(3);
    return s != nullptr && s->begin == 0 && s->end == 4;
}
static_assert(extended_at_the_front());

TEST_CASE("contents: contents equal a byte map after any writes") {
    support::random_source random(3);
    for (int round = 0; round < 50; ++round) {
        contents held;
        std::map<bytes_t, std::pair<operand_id, bytes_t>> bytes;
        for (int n = 0; n < 30; ++n) {
            const bytes_t begin = random.below(60), size = 1 + random.below(12);
            // In every other round most neighbors continue each other.
            const operand_id value = round % 2 == 0 ? n : random.below(2);
            const bytes_t at = round % 2 == 0 ? random.below(100) : begin;
            held.write({.begin = begin, .end = begin + size, .value = value, .at = at});
            for (bytes_t i = 0; i < size; ++i) bytes[begin + i] = {value, at + i};
        }
        bytes_t seen = 0, last = -1;
        int segments = 0, runs = 0;
        for (const auto& [i, held_at] : bytes) {
            const auto before = bytes.find(i - 1);
            runs += before == bytes.end() || before->second != std::pair{held_at.first, held_at.second - 1} ? 1 : 0;
        }
        CHECK(held.visit({0, 100}, [&](const contents::segment& s, byte_range part) {
            CHECK(part.offset > last);
            ++segments;
            for (bytes_t i = part.offset; i < part.end(); ++i, ++seen)
                CHECK(bytes.at(i) == std::pair{s.value, s.operand_offset(i)});
            last = part.end() - 1;
            return true;
        }));
        CHECK(seen == static_cast<bytes_t>(bytes.size()));
        CHECK(segments == runs);
        for (bytes_t i = 0; i < 80; ++i) {
            const contents::segment* s = held.find(i);
            REQUIRE((s != nullptr) == bytes.contains(i));
            if (s != nullptr) CHECK(s->value == bytes.at(i).first);
        }
    }
}

TEST_CASE("contents: a visit stops as requested and keeps to its range") {
    contents held;
    held.write({.begin = 0, .end = 10, .value = 1});
    held.write({.begin = 10, .end = 20, .value = 2});
    int parts = 0;
    CHECK(!held.visit({5, 10}, [&](const contents::segment&, byte_range) { return ++parts < 1; }));
    CHECK(parts == 1);
    bytes_t size = 0;
    CHECK(held.visit({5, 10}, [&](const contents::segment&, byte_range part) { return (size += part.size) > 0; }));
    CHECK(size == 10);
}

TEST_CASE("contents: neighbors that continue each other are one segment, others are not") {
    const auto segments = [](contents& held) {
        int n = 0;
        held.visit({0, 100}, [&](const contents::segment&, byte_range) { return ++n > 0; });
        return n;
    };
    contents held;
    held.write({.begin = 0, .end = 10, .value = 1, .at = 5});
    held.write({.begin = 20, .end = 30, .value = 1, .at = 25});
    CHECK(segments(held) == 2);
    held.write({.begin = 10, .end = 20, .value = 1, .at = 15});
    CHECK(segments(held) == 1);
    held.write({.begin = 10, .end = 20, .value = 1, .at = 16});
    CHECK(segments(held) == 3);
    held.write({.begin = 10, .end = 15, .value = 1, .at = 15});
    CHECK(segments(held) == 3);
    held.write({.begin = 15, .end = 20, .value = 1, .at = 20, .written = true});
    CHECK(segments(held) == 3);
    held.write({.begin = 15, .end = 20, .value = 2, .at = 20});
    CHECK(segments(held) == 3);
}

namespace {

using named = std::vector<std::pair<operand_id, byte_range>>;

named split(const origins& names, operand_id operand, byte_range bytes) {
    named parts;
    names.split(operand, bytes, [&](operand_id id, byte_range part) { parts.emplace_back(id, part); });
    return parts;
}

}  // namespace

TEST_CASE("origins: if all blocks are the result, they have one name, which names their owner") {
    const std::array<bytes_t, 4> sizes{3, 0, 2, 4}, places{20, 0, 10, 0};
    const contract moved{.collective = collective::allgather, .ranks = 4, .blocks = block_layout(sizes, places)};
    const origins names(moved, {});
    REQUIRE(names.joined());
    for (rank_t r = 0; r < 4; ++r) CHECK(names.operand(r) == 0);
    CHECK(names.offset(3, 2) == 7);
    for (rank_t r = 0; r < 4; ++r)
        for (bytes_t i = 0; i < sizes[static_cast<std::size_t>(r)]; ++i)
            CHECK(split(names, names.operand(r), {names.offset(r, i), 1}) == named{{r, {i, 1}}});
    CHECK(split(names, names.operand(0), {1, 6}) == named{{0, {1, 2}}, {2, {0, 2}}, {3, {0, 2}}});
}

TEST_CASE("origins: otherwise each rank's bytes have their own name, also if an edge combines") {
    const contract moved{.collective = collective::gather, .ranks = 3, .blocks = 4};
    const edge combining[] = {{.src = 1, .dst = 0, .size = 4, .action = action::combine_after}};
    const contract exchange{.collective = collective::alltoall, .ranks = 3, .blocks = block_matrix(4)};
    for (const origins& names : {origins(moved, combining), origins(exchange, {})}) {
        CHECK(!names.joined());
        CHECK(names.operand(2) == 2);
        CHECK(names.offset(2, 3) == 3);
        CHECK(split(names, 2, {3, 1}) == named{{2, {3, 1}}});
    }
}
