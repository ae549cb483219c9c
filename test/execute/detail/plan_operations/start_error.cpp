#include "collsched/execute/detail/plan_operations.hpp"

#include <doctest/doctest.h>

#include <array>
#include <set>
#include <string>
#include <vector>

#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/execute/engine.hpp"
#include "collsched/execute/rank_memory.hpp"
#include "collsched/execute/reductions.hpp"
#include "support/real_bytes.hpp"
#include "support/samples.hpp"

using namespace collsched;

namespace {

/// Local work that is never done: displaced memory is not touched.
struct silent_executor {
    int submit(const plan::local_operation&, const message::request&) { return 0; }
    void cancel(const void*) {}
};
/// A transport that counts posts and completes none.
struct silent_transport {
    int posts = 0;
    int post_send(const message::key&, std::span<const message::send_part>) { return ++posts, 0; }
    int post_recv(const message::key&, std::span<const message::receive_part>) { return ++posts, 0; }
    void cancel(const void*) {}
};

/// How a start ends whose input is `input_shift` bytes beyond its place, and whose output `output_shift` bytes.
int error_of_start(bound_plan& own, const contract& contract, bytes_t input_shift, bytes_t output_shift) {
    silent_transport none;
    silent_executor idle;
    execution run(own.plan(), none, idle);
    plan::buffers buffers = own.buffers();
    if (buffers.input != nullptr) buffers.input += input_shift;
    if (buffers.output != nullptr) buffers.output += output_shift;
    run.start(buffers, support::operation(contract));
    const int error = run.state().error;
    if (error == not_in_place) CHECK(none.posts == 0);
    run.cancel();
    return error;
}

}  // namespace

TEST_CASE("start_error: every algorithm with an in-place form fails with not_in_place where a buffer is displaced") {
    std::set<collective> displaced, separate;
    for (const rank_t p : {1, 2, 5, 8})
        for (const support::sample& one : support::samples(p)) {
            const contract contract = one.schedule.contract();
            for (const binding how : support::bindings(contract))
                for (rank_t r = 0; r < p; ++r) {
                    if (contract.alias(r, how).any() != (how == binding::in_place)) continue;
                    CAPTURE(one.name);
                    CAPTURE(r);
                    const support::real_bytes bytes(contract, r, how);
                    bound_plan own(one.schedule, r, bytes.memory(), how);
                    CHECK(error_of_start(own, contract, 0, 0) == 0);
                    const buffer guest = own.plan().alias().guest;
                    const bytes_t size = guest == buffer::input ? own.plan().input_bytes() : own.plan().output_bytes();
                    const plan::buffers at = own.buffers();
                    if (at.input == nullptr || at.output == nullptr) continue;
                    if (how == binding::in_place && size > 0) {
                        CHECK(error_of_start(own, contract, 1, 0) == not_in_place);
                        CHECK(error_of_start(own, contract, 0, 1) == not_in_place);
                        CHECK(error_of_start(own, contract, 1, 1) == 0);  // both together
                        displaced.insert(contract.collective);
                    }
                    const bytes_t apart = at.output - at.input;
                    if (how == binding::separate && own.plan().input_bytes() > 0 && own.plan().output_bytes() > 0) {
                        CHECK(error_of_start(own, contract, apart, 0) == not_in_place);
                        CHECK(error_of_start(own, contract, 0, -apart) == not_in_place);
                        separate.insert(contract.collective);
                    }
                }
        }
    using enum collective;
    CHECK(displaced ==
          std::set{broadcast, scatter, gather, allgather, reduce, reduce_scatter, allreduce, scan, exscan});
    CHECK(separate.size() == displaced.size() + 3);  // and alltoall and the two of neighbors
}

TEST_CASE("start_error: an unknown address is not compared, and errors of all ranks come first") {
    const allreduce::ring ring{.ranks = 4, .bytes = 32, .element = 8};
    const plan separate(ring, 1), in_place(ring, 1, binding::in_place);
    const reduction sum = reductions::sum<double>(), of_bytes = reductions::sum<std::int64_t>();
    std::array<std::byte, 64> memory{};
    const plan::buffers same{.input = memory.data(), .output = memory.data()};
    const plan::buffers apart{.input = memory.data(), .output = memory.data() + 32};
    CHECK(detail::start_error(in_place, same, sum) == 0);
    CHECK(detail::start_error(in_place, apart, sum) == not_in_place);
    CHECK(detail::start_error(separate, apart, sum) == 0);
    CHECK(detail::start_error(separate, same, sum) == not_in_place);
    CHECK(detail::start_error(in_place, {.input = memory.data()}, sum) == 0);
    CHECK(detail::start_error(in_place, {.output = memory.data()}, sum) == 0);
    CHECK(detail::start_error(separate, {}, of_bytes) == 0);
    CHECK(detail::start_error(separate, same, {}) == missing_reduction);
    const plan odd(allreduce::ring{.ranks = 4, .bytes = 32, .element = 2}, 1);
    CHECK(detail::start_error(odd, same, sum) == element_mismatch);
}
