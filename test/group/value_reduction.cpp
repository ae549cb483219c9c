#include "collsched/group/value_reduction.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <vector>

#include "support/vectors_of_three.hpp"

using namespace collsched;
using support::componentwise, support::crosswise, support::vector_3;

namespace {

template <class T>
T combined(const reduction& op, T a, const T& b) {
    op.combine(op.context, reinterpret_cast<std::byte*>(&a), reinterpret_cast<const std::byte*>(&b), sizeof(T),
               action::combine_after);
    return a;
}

}  // namespace

TEST_CASE("value_reduction: function objects of the standard library are the library's reductions") {
    const auto same = [](const reduction& a, const reduction& b) {
        return a.combine == b.combine && a.commutative == b.commutative;
    };
    CHECK(same(detail::value_reduction<double>(std::plus<>()), reductions::sum<double>()));
    CHECK(same(detail::value_reduction<int>(std::plus<int>()), reductions::sum<int>()));
    CHECK(same(detail::value_reduction<int>(std::multiplies<>()), reductions::product<int>()));
    CHECK(same(detail::value_reduction<unsigned>(std::bit_and<>()), reductions::bit_and<unsigned>()));
    CHECK(same(detail::value_reduction<unsigned>(std::bit_or<>()), reductions::bit_or<unsigned>()));
    CHECK(same(detail::value_reduction<unsigned>(std::bit_xor<>()), reductions::bit_xor<unsigned>()));
    CHECK(same(detail::value_reduction<double>(reductions::maximum<double>()), reductions::maximum<double>()));
}

TEST_CASE("value_reduction: other function objects keep the order of operands unless is_commutative is true") {
    const reduction cross = detail::value_reduction<vector_3>(crosswise());
    CHECK((!cross.commutative && cross.element == sizeof(vector_3)));
    CHECK(combined(cross, vector_3{1, 0, 0}, vector_3{0, 1, 0}).z == 1);
    CHECK(detail::value_reduction<vector_3>(componentwise()).commutative);
    const reduction least = detail::value_reduction<int>([](int a, int b) { return a < b ? a : b; });
    CHECK((!least.commutative && combined(least, 7, 3) == 3));
    CHECK(!detail::value_reduction<int>(std::minus<>()).commutative);
    static_assert(is_commutative<std::plus<>, double> && is_commutative<std::bit_xor<>, int>);
    static_assert(!is_commutative<std::plus<>, vector_3> && !is_commutative<std::minus<>, int>);
}

TEST_CASE("value_reduction: an operation with state lives in the caller's object") {
    auto scaled = reduce_with<int>([factor = 10](int a, int b) { return a * factor + b; });
    CHECK(combined(detail::value_reduction<int>(scaled), 1, 2) == 12);
}

TEST_CASE("value_reduction: types of different kind or size have different numbers") {
    using detail::value_kind;
    static_assert(value_kind<int>() != value_kind<unsigned>() && value_kind<int>() != value_kind<float>());
    static_assert(value_kind<float>() != value_kind<double>() && value_kind<vector_3>() != value_kind<double>());
    static_assert(value_kind<long>() == value_kind<std::int64_t>() && value_kind<char>() != 0);
    CHECK(value_kind<std::uint8_t>() != value_kind<std::uint16_t>());
}
