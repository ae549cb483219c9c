#include "collsched/execute/reduction.hpp"

#include <doctest/doctest.h>

using namespace collsched;

namespace {

void add(void* context, std::byte* into, const std::byte* incoming, bytes_t size, action) {
    ++*static_cast<int*>(context);
    for (bytes_t i = 0; i < size; ++i)
        into[i] = static_cast<std::byte>(static_cast<int>(into[i]) + static_cast<int>(incoming[i]));
}

}  // namespace

static_assert(!reduction{}.combine && !reduction{}.commutative && reduction{}.context == nullptr);
static_assert(detail::combine_function{} == nullptr && detail::combine_function(add) != nullptr &&
              detail::combine_function(add) == detail::combine_function(&add));

TEST_CASE("reduction: a function or a lambda without captures, called with its context") {
    int calls = 0;
    std::byte into[2] = {std::byte{1}, std::byte{2}};
    const std::byte incoming[2] = {std::byte{3}, std::byte{4}};
    const reduction op{.combine = add, .context = &calls};
    REQUIRE(op.combine);
    op.combine(op.context, into, incoming, 2, action::combine_after);
    CHECK(calls == 1);
    CHECK((into[0] == std::byte{4} && into[1] == std::byte{6}));

    const reduction last{.combine = [](void* context, std::byte*, const std::byte*, bytes_t, action order) {
        *static_cast<action*>(context) = order;
    }};
    action order = action::copy;
    last.combine(&order, into, incoming, 2, action::combine_before);
    CHECK(order == action::combine_before);
}
