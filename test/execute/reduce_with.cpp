#include "collsched/execute/reduce_with.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/execute/inline.hpp"

using namespace collsched;

namespace {

/// A value with its place: the larger value wins, the lower place among equal ones.
struct best {
    double value;
    std::int32_t place;
};
best larger(const best& a, const best& b) {
    return b.value > a.value || (b.value == a.value && b.place < a.place) ? b : a;
}

std::vector<std::byte> bytes_of(const best& one, std::size_t shift) {
    std::vector<std::byte> bytes(sizeof(best) + shift);
    std::memcpy(bytes.data() + shift, &one, sizeof(best));
    return bytes;
}

}  // namespace

TEST_CASE("reduce_with: a user's type and a lambda with state, at any alignment") {
    constexpr rank_t ranks = 5;
    for (const std::size_t shift : {0U, 1U, 3U}) {
        int calls = 0;
        auto largest =
            reduce_with<best>([&calls](const best& a, const best& b) { return ++calls, larger(a, b); }, true);
        const allreduce::recursive_doubling s{.ranks = ranks, .bytes = sizeof(best), .element = sizeof(best)};
        CHECK(!largest.check(lower(s).contract()));
        std::vector<std::vector<std::byte>> in, out(ranks, std::vector<std::byte>(sizeof(best) + shift));
        std::vector<rank_memory> memory;
        for (rank_t r = 0; r < ranks; ++r)
            in.push_back(bytes_of({r == 1 || r == 3 ? 9.5 : 1.0, static_cast<std::int32_t>(r)}, shift));
        for (std::size_t r = 0; r < ranks; ++r)
            memory.push_back({std::span(in[r]).subspan(shift), std::span(out[r]).subspan(shift)});
        CHECK(run_inline(s, memory, binding::separate, largest).done());
        for (const auto& result : out) {
            best one{};
            std::memcpy(&one, result.data() + shift, sizeof(best));
            CHECK(one.value == 9.5);
            CHECK(one.place == 1);
        }
        CHECK(calls >= ranks - 1);
    }
}

TEST_CASE("reduce_with: the operand of the lower rank is the first argument") {
    auto join = reduce_with<std::int64_t>([](std::int64_t a, std::int64_t b) { return 10 * a + b; });
    const reduction op = join;
    std::int64_t into = 1, incoming = 2;
    const auto combine = [&](action how) {
        into = 1;
        op.combine(op.context, reinterpret_cast<std::byte*>(&into), reinterpret_cast<const std::byte*>(&incoming), 8,
                   how);
        return into;
    };
    CHECK(combine(action::combine_after) == 12);
    CHECK(combine(action::combine_before) == 21);
    CHECK(!op.commutative);
}

TEST_CASE("reduce_with: sizes that are no whole number of values are errors") {
    auto sum = reduce_with<double>([](double a, double b) { return a + b; }, true);
    const argument_error error = sum.check({.ranks = 2, .element = 4});
    CHECK(std::string(error.text().c_str()) ==
          "element: got 4, expected a multiple of the size of the type that is reduced");
    const reduction op = sum;
    std::byte bytes[24] = {};
    CHECK_THROWS_AS(op.combine(op.context, bytes, bytes + 12, 12, action::combine_after), bad_argument);
    static_assert(!std::is_convertible_v<decltype(sum), reduction>, "a temporary is refused");
    static_assert(std::is_convertible_v<decltype(sum)&, reduction>);
}
