#include "collsched/core/shared.hpp"

#include <doctest/doctest.h>

#include <thread>
#include <utility>
#include <vector>

using namespace collsched;

namespace {

struct counted {
    int* alive;
    explicit counted(int* n) : alive(n) { ++*alive; }
    counted(counted&& other) noexcept : alive(std::exchange(other.alive, nullptr)) {}
    counted& operator=(counted&&) = delete;
    ~counted() {
        if (alive != nullptr) --*alive;
    }
    bool operator==(const counted& other) const { return alive == other.alive; }
};

}  // namespace

static_assert([] {
    shared<int> a(3);
    const shared<int> b = a;
    a = shared<int>(4);
    const shared<int> c = std::move(a);
    return *b == 3 && *c == 4 && !a && b != c && b == shared<int>(3) && shared<int>() == a;
}());

TEST_CASE("the value lives exactly as long as anybody holds it") {
    int alive = 0;
    {
        shared<counted> a{counted(&alive)};
        CHECK(alive == 1);
        shared<counted> b = a, c;
        c = b;
        a = {};
        b = std::move(c);
        CHECK(alive == 1);
        CHECK(b->alive == &alive);
        const shared<counted>& itself = b;
        b = itself;
        CHECK(alive == 1);
    }
    CHECK(alive == 0);
}

TEST_CASE("copies come and go on several threads") {
    int alive = 0;
    {
        const shared<counted> held{counted(&alive)};
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([held] {
                for (int i = 0; i < 1000; ++i) {
                    const shared<counted> mine = held;
                    CHECK(mine);
                }
            });
        for (auto& t : threads) t.join();
        CHECK(alive == 1);
    }
    CHECK(alive == 0);
}
