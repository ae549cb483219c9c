#include "collsched/execute/local_executor.hpp"

#include <doctest/doctest.h>

#include <sys/mman.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "collsched/execute/engine.hpp"
#include "collsched/execute/inline.hpp"
#include "collsched/execute/rank_memory.hpp"
#include "support/brief.hpp"
#include "support/conformance.hpp"
#include "support/late_executor.hpp"
#include "support/real_bytes.hpp"

using namespace collsched;

namespace {

static_assert(local_executor<immediate_executor>);
static_assert(!local_executor<mock_network::endpoint>);

/// Memory that only its executor and its transport can access: without them, a read or a write ends the process.
class closed_memory {
  public:
    explicit closed_memory(bytes_t size) : size_((static_cast<std::size_t>(size) / 4096 + 1) * 4096) {
        void* start = mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        REQUIRE(start != MAP_FAILED);
        data_ = static_cast<std::byte*>(start);
    }
    closed_memory(const closed_memory&) = delete;
    closed_memory& operator=(const closed_memory&) = delete;
    ~closed_memory() { munmap(data_, size_); }

    void open() { REQUIRE(mprotect(data_, size_, PROT_READ | PROT_WRITE) == 0); }
    void close() { REQUIRE(mprotect(data_, size_, PROT_NONE) == 0); }
    std::byte* data() { return data_; }

  private:
    std::size_t size_;
    std::byte* data_ = nullptr;
};

/// Opens all memory for one operation.
struct device {
    std::vector<closed_memory*> memory;
    int operations = 0;

    int submit(const plan::local_operation& operation, const message::request& request) {
        ++operations;
        for (closed_memory* one : memory) one->open();
        const int result = immediate_executor{}.submit(operation, request);
        for (closed_memory* one : memory) one->close();
        return result;
    }
    void cancel(const void*) {}
};

/// Opens all memory whenever the network moves bytes.
struct device_endpoint : mock_network::endpoint {
    device_endpoint(mock_network::endpoint inner, std::vector<closed_memory*> all)
        : mock_network::endpoint(inner), memory(std::move(all)) {}

    template <class Access>
    auto opened(Access access) {
        for (closed_memory* one : memory) one->open();
        const auto result = access();
        for (closed_memory* one : memory) one->close();
        return result;
    }

    int post_send(const message::key& key, std::span<const message::send_part> parts) {
        return opened([&] { return mock_network::endpoint::post_send(key, parts); });
    }
    int post_recv(const message::key& key, std::span<const message::receive_part> parts) {
        return opened([&] { return mock_network::endpoint::post_recv(key, parts); });
    }
    completion poll() {
        return opened([&] { return mock_network::endpoint::poll(); });
    }

    std::vector<closed_memory*> memory;
};

/// Runs a case with one executor per rank in one thread; empty, or the first fault.
template <class Make>
std::string run_case(const support::conformance_case& one, Make make) {
    const any_schedule& s = one.schedule;
    mock_network network(s.ranks);
    using local = decltype(make(rank_t{0}));
    std::vector<std::unique_ptr<support::real_bytes>> bytes;
    std::vector<std::unique_ptr<bound_plan>> plans;
    std::vector<mock_network::endpoint> ends;
    std::vector<std::unique_ptr<local>> executors;
    std::vector<execution<mock_network::endpoint, local>> runs;
    for (rank_t r = 0; r < s.ranks; ++r) {
        bytes.push_back(std::make_unique<support::real_bytes>(s.contract(), r, one.how));
        plans.push_back(std::make_unique<bound_plan>(s, r, bytes.back()->memory(), one.how));
        ends.push_back(network.at(r));
        executors.push_back(std::make_unique<local>(make(r)));
    }
    for (std::size_t r = 0; r < ends.size(); ++r) runs.emplace_back(plans[r]->plan(), ends[r], *executors[r]);
    for (std::size_t r = 0; r < ends.size(); ++r) runs[r].start(plans[r]->buffers(), support::operation(s.contract()));
    bool running = true;
    for (int turn = 0; turn < 100'000 && running; ++turn) {
        running = false;
        for (auto& run : runs) running = run.progress().running() || running;
    }
    for (std::size_t r = 0; r < ends.size(); ++r) {
        if (!runs[r].state().done()) return one.name + ": error " + std::to_string(runs[r].state().error);
        if (const std::string fault = bytes[r]->wrong(); !fault.empty()) return one.name + ": " + fault;
    }
    return "";
}

}  // namespace

TEST_CASE("local_executor: operations that complete later, out of order, give the same bytes for every algorithm") {
    int runs = 0;
    support::for_each_conformance_case(1, 6, !support::long_run(), [&](const support::conformance_case& one) {
        REQUIRE(run_case(one, [&](rank_t r) {
                    return support::late_executor(one.number * 64 + static_cast<std::uint64_t>(r));
                }) == "");
        ++runs;
    });
    CHECK(runs > 100);
}

TEST_CASE("local_executor: an execution touches no bound memory itself, so that it may be a device's") {
    int runs = 0, operations = 0;
    support::for_each_conformance_case(2, 4, true, [&](const support::conformance_case& one) {
        if (one.how == binding::in_place) return;
        const any_schedule& s = one.schedule;
        mock_network network(s.ranks);
        std::vector<std::unique_ptr<closed_memory>> memory;
        std::vector<closed_memory*> all;
        std::vector<plan> plans;
        std::vector<plan::buffers> buffers;
        for (rank_t r = 0; r < s.ranks; ++r) {
            plans.emplace_back(s, r, one.how);
            const plan& p = plans.back();
            std::byte* place[4] = {};
            const bytes_t sizes[] = {p.input_bytes(), p.output_bytes(), p.scratch_bytes(), p.staging_bytes()};
            for (std::size_t i = 0; i < 4; ++i) {
                memory.push_back(std::make_unique<closed_memory>(sizes[i]));
                all.push_back(memory.back().get());
                place[i] = memory.back()->data();
            }
            buffers.push_back({place[0], place[1], place[2], place[3]});
        }
        std::vector<device_endpoint> ends;
        for (rank_t r = 0; r < s.ranks; ++r) ends.emplace_back(network.at(r), all);
        device local{all};
        std::vector<execution<device_endpoint, device>> executions;
        for (std::size_t r = 0; r < ends.size(); ++r) executions.emplace_back(plans[r], ends[r], local);
        for (std::size_t r = 0; r < ends.size(); ++r) executions[r].start(buffers[r], support::operation(s.contract()));
        for (int turn = 0; turn < 1000; ++turn)
            for (auto& run : executions) run.progress();
        for (auto& run : executions) REQUIRE(run.state().done());
        operations += local.operations;
        ++runs;
    });
    CHECK(runs > 10);
    CHECK(operations > 0);
}

TEST_CASE("local_executor: a failed operation ends the start with its error and step") {
    struct broken {
        int submit(const plan::local_operation&, const message::request&) { return 42; }
        void cancel(const void*) { ++cancelled; }
        int cancelled = 0;
    } local;
    const allgather::ring alone{.ranks = 1, .block = 4};
    mock_network network(1);
    auto endpoint = network.at(0);
    support::real_bytes bytes(lower(alone).contract(), 0);
    bound_plan memory(alone, 0, bytes.memory());
    execution run(memory.plan(), endpoint, local);
    run.start(memory.buffers());
    CHECK(run.state().failed());
    CHECK(run.state().error == 42);
    CHECK(run.state().step == 0);
    CHECK(local.cancelled == 1);
}

TEST_CASE("local_executor: cancel withdraws pending operations, and wait() completes them") {
    const allgather::ring alone{.ranks = 1, .block = 4};
    mock_network network(1);
    auto endpoint = network.at(0);
    support::real_bytes bytes(lower(alone).contract(), 0);
    bound_plan memory(alone, 0, bytes.memory());
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        support::late_executor local(seed);
        execution run(memory.plan(), endpoint, local);
        run.start(memory.buffers());
        if (run.state().running()) {
            CHECK(run.missing().size() == 1);
            CHECK(run.missing()[0].peer == 0);
            run.cancel();
            for (int i = 0; i < 50; ++i) CHECK(local.poll().empty());
        }
        run.start(memory.buffers());
        CHECK(run.wait().done());
        CHECK(bytes.wrong() == "");
    }
}
