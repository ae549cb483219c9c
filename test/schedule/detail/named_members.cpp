#include "collsched/schedule/detail/named_members.hpp"

#include <doctest/doctest.h>

#include "collsched/core/block_layout.hpp"

using namespace collsched;

namespace {

struct stateless {
    static constexpr void parameters(auto&, auto) {}
};
struct part {
    rank_t ranks = 1;
    std::int64_t radix = 2;
    static constexpr void parameters(auto& self, auto f) { f("ranks", self.ranks), f("radix", self.radix); }
};
/// Names its first `Named` members or parts.
template <int Named>
struct algorithm_like {
    rank_t ranks = 1;
    block_layout block = 0;
    stateless tree{};
    part inner{};
    part outer{};

    static constexpr void parameters(auto& self, auto f) {
        if constexpr (Named > 0) f("ranks", self.ranks);
        if constexpr (Named > 1) f("block", self.block);
        if constexpr (Named > 2) part::parameters(self.inner, f);
    }
    static constexpr void parts(auto& self, auto f) {
        if constexpr (Named > 3) f(self.outer);
    }
};
/// Radix of its part alone: a composition sets the number of ranks.
struct composition {
    rank_t ranks = 1;
    part inner{};
    static constexpr void parameters(auto& self, auto f) { f("ranks", self.ranks), f("radix", self.inner.radix); }
};
struct with_base : part {
    std::int64_t unnamed = 0;
};
class with_constructor {
  public:
    constexpr with_constructor() {}
    static constexpr void parameters(auto&, auto) {}
    constexpr int value() const { return unnamed_; }

  private:
    int unnamed_ = 0;
};

}  // namespace

static_assert(detail::forgotten_member<algorithm_like<4>>() == -1);
static_assert(detail::forgotten_member<algorithm_like<3>>() == 4);
static_assert(detail::forgotten_member<algorithm_like<2>>() == 3);
static_assert(detail::forgotten_member<algorithm_like<1>>() == 1);
static_assert(detail::forgotten_member<algorithm_like<0>>() == 0);
static_assert(detail::forgotten_member<composition>() == -1);
static_assert(detail::comparable_members<algorithm_like<0>>() == 5);
static_assert(detail::comparable_members<with_base>() == 0 && detail::comparable_members<with_constructor>() == 0);
static_assert(detail::names_every_member<algorithm_like<4>>::value);
static_assert(detail::names_every_member<with_constructor>::value);

namespace {

template <int Named>
struct eight {
    std::int64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
    static constexpr void parameters(auto& self, auto name) {
        const std::int64_t* all[] = {&self.a, &self.b, &self.c, &self.d, &self.e, &self.f, &self.g, &self.h};
        for (int i = 0; i < Named; ++i) name("n", *all[i]);
    }
};

/// Its last member, and only that, has no name.
template <int Members>
struct last_unnamed;
template <>
struct last_unnamed<1> {
    int a = 0;
    static constexpr void parameters(auto&, auto) {}
};
template <>
struct last_unnamed<2> {
    int a = 0, b = 0;
    static constexpr void parameters(auto& self, auto f) { f("a", self.a); }
};
template <>
struct last_unnamed<3> {
    int a = 0, b = 0, c = 0;
    static constexpr void parameters(auto& self, auto f) { f("a", self.a), f("b", self.b); }
};
template <>
struct last_unnamed<6> {
    int a = 0, b = 0, c = 0, d = 0, e = 0, g = 0;
    static constexpr void parameters(auto& self, auto f) {
        f("a", self.a), f("b", self.b), f("c", self.c), f("d", self.d), f("e", self.e);
    }
};
struct nine : eight<8> {};
struct nine_members {
    int a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0;
    static constexpr void parameters(auto&, auto) {}
};

}  // namespace

// The first member without a name is found among up to eight, but not among more, nor in a class with a base or constructor.
static_assert(detail::comparable_members<eight<0>>() == 8 && detail::comparable_members<nine_members>() == 0);
static_assert(detail::forgotten_member<eight<8>>() == -1 && detail::forgotten_member<eight<7>>() == 7);
static_assert(detail::forgotten_member<eight<0>>() == 0 && detail::forgotten_member<eight<3>>() == 3);
static_assert(detail::forgotten_member<last_unnamed<1>>() == 0 && detail::forgotten_member<last_unnamed<2>>() == 1);
static_assert(detail::forgotten_member<last_unnamed<3>>() == 2 && detail::forgotten_member<last_unnamed<6>>() == 5);
static_assert(detail::forgotten_member<nine_members>() == -1 && detail::forgotten_member<nine>() == -1);
static_assert(detail::forgotten_member<with_constructor>() == -1);

// 64 addresses are kept, and no more are written.
static_assert([] {
    int numbers[66] = {};
    detail::named_addresses named;
    if (named.has(&numbers[0]) || named.count != 0) return false;
    for (const int& number : numbers) named.add(number);
    return named.has(&numbers[0]) && named.has(&numbers[63]) && !named.has(&numbers[64]) && named.count == 64;
}());

static_assert(detail::is_of_contract("ranks") && detail::is_of_contract("root") && detail::is_of_contract("block") &&
              detail::is_of_contract("bytes") && detail::is_of_contract("element") &&
              detail::is_of_contract("neighbors") && !detail::is_of_contract("radix") && !detail::is_of_contract(""));

TEST_CASE("named members: counted while compiling") {
    CHECK(detail::count_members<algorithm_like<0>>() == 5);
    CHECK(detail::count_members<stateless>() == 0);
}
