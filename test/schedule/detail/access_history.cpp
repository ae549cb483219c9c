#include "collsched/schedule/detail/access_history.hpp"

#include <doctest/doctest.h>

#include <vector>

using collsched::detail::access_history;

namespace {

std::vector<std::int64_t> writers(const access_history& history, access_history::slots range) {
    std::vector<std::int64_t> found;
    history.writers(range, [&](std::int64_t operation) { found.push_back(operation); });
    return found;
}
std::vector<std::int64_t> readers(const access_history& history, access_history::slots range) {
    std::vector<std::int64_t> found;
    history.readers(range, [&](std::int64_t operation) { found.push_back(operation); });
    return found;
}

using list = std::vector<std::int64_t>;

}  // namespace

static_assert(access_history::none == -1 && access_history::slots{}.first == 0 && access_history::slots{}.last == 0);

// An access beyond the slots is no constant expression.
static_assert([] {
    access_history history;
    for (const collsched::byte_range range : {collsched::byte_range{4, 4}, {0, 4}, {6, 4}}) history.announce(range);
    history.lay_out();  // slots 0 .. 3, 4 .. 5, 6 .. 7, 8 .. 9
    const access_history::slots all = history.slots_of({0, 10}), front = history.slots_of({0, 4}),
                                middle = history.slots_of({4, 4}), back = history.slots_of({6, 4});
    if (all.first != 0 || all.last != 4 || middle.first != 1 || middle.last != 3 || back.last != 4) return false;
    const auto number = [&](access_history::slots range, bool written) {
        std::int64_t found = 0;
        const auto add = [&](std::int64_t operation) { found = 10 * found + operation; };
        if (written) history.writers(range, add);
        else history.readers(range, add);
        return found;
    };
    history.write(all, 1);
    history.read(middle, 2);
    history.read(back, 3);
    if (number(all, true) != 1111 || number(all, false) != 2323 || number(front, false) != 0) return false;
    history.write(middle, 4);
    history.read(all, 5);
    return number(all, true) == 1441 && number(all, false) == 55553 && number(front, false) == 5;
}());

TEST_CASE("access history: announced ranges cut a buffer into slots, and no range splits a slot") {
    access_history history;
    for (const collsched::byte_range range : {collsched::byte_range{0, 8}, {4, 8}, {4, 8}, {20, 1}})
        history.announce(range);
    history.lay_out();  // cuts at 0, 4, 8, 12, 20, 21
    CHECK(history.slots_of({0, 8}).first == 0);
    CHECK(history.slots_of({0, 8}).last == 2);
    CHECK(history.slots_of({4, 8}).first == 1);
    CHECK(history.slots_of({4, 8}).last == 3);
    CHECK(history.slots_of({20, 1}).first == 4);
    CHECK(history.slots_of({20, 1}).last == 5);
}

TEST_CASE("access history: the last writer of every slot, and its readers since") {
    access_history history;
    history.announce({0, 8});
    history.announce({4, 8});
    history.lay_out();
    const access_history::slots left = history.slots_of({0, 8}), right = history.slots_of({4, 8});
    CHECK(writers(history, left).empty());
    history.read(left, 1);
    CHECK(readers(history, right) == list{1});  // bytes 4 .. 7
    history.write(right, 2);
    CHECK(writers(history, left) == list{2});
    CHECK(writers(history, right) == list{2, 2});
    CHECK(readers(history, left) == list{1});  // bytes 0 .. 3, which nothing has written since
    CHECK(readers(history, right).empty());
    history.read(right, 3);
    history.read(right, 4);
    CHECK(readers(history, right) == list{4, 3, 4, 3});
}
