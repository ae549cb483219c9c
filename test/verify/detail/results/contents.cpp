#include "collsched/verify/detail/results.hpp"

#include <doctest/doctest.h>

#include <map>

#include "support/layouts.hpp"

using namespace collsched;
using namespace collsched::detail;

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
