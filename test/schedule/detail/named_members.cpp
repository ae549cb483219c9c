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

TEST_CASE("named members: counted while compiling") {
    CHECK(detail::count_members<algorithm_like<0>>() == 5);
    CHECK(detail::count_members<stateless>() == 0);
}
