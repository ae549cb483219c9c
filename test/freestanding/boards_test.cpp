// Two to eight nodes as threads, with links in memory: every node must end with the sums over all nodes.

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "examples/freestanding/sum_of_nodes.hpp"

namespace {

/// The values in flight from one node to another.
class wire {
  public:
    void put(const std::int32_t* values, int count) {
        const std::lock_guard hold(lock_);
        values_.insert(values_.end(), values, values + count);
        arrived_.notify_one();
    }
    void take(std::int32_t* values, int count) {
        std::unique_lock hold(lock_);
        arrived_.wait(hold, [&] { return std::ssize(values_) >= count; });
        std::copy_n(values_.begin(), count, values);
        values_.erase(values_.begin(), values_.begin() + count);
    }
    bool empty() const { return values_.empty(); }

  private:
    std::mutex lock_;
    std::condition_variable arrived_;
    std::deque<std::int32_t> values_;
};

constexpr std::int32_t start(unsigned node, int i) { return 1000 * static_cast<int>(node * node) + 7 * i - 3; }

template <unsigned nodes>
struct boards {
    using node = sum_of_nodes<nodes, 5>;
    struct link {
        boards* all;
        unsigned self;
        void send(int peer, const std::int32_t* values, int count) { all->wires[self][peer].put(values, count); }
        void receive(int peer, std::int32_t* values, int count) { all->wires[peer][self].take(values, count); }
    };

    wire wires[nodes][nodes];
    node memories[nodes];

    template <unsigned self>
    void run_one() {
        link own{this, self};
        memories[self].template run<self>(own);
    }
    bool run() {
        for (unsigned r = 0; r < nodes; ++r)
            for (int i = 0; i < 5; ++i) memories[r].memory[i] = start(r, i);
        [&]<unsigned... self>(std::integer_sequence<unsigned, self...>) {
            const std::jthread threads[] = {std::jthread([this] { run_one<self>(); })...};
        }(std::make_integer_sequence<unsigned, nodes>());
        return right();
    }
    bool right() const {
        for (int i = 0; i < 5; ++i) {
            std::int32_t sum = 0;
            for (unsigned r = 0; r < nodes; ++r) sum += start(r, i);
            for (const node& one : memories)
                if (one.memory[5 + i] != sum) return false;
        }
        for (const auto& from : wires)
            for (const wire& to : from)
                if (!to.empty()) return false;
        return true;
    }
};

template <unsigned nodes>
bool right() {
    const bool ok = boards<nodes>().run();
    std::printf("%s %d nodes, %zu operations of node 1\n", ok ? "ok" : "wrong", nodes,
                sum_of_nodes<nodes, 5>::template table<1>.size());
    return ok;
}

}  // namespace

int main() {
    return right<2>() && right<3>() && right<4>() && right<5>() && right<6>() && right<7>() && right<8>() ? 0 : 1;
}
