// Numbers at the ends of 64 bits: refused with an error, or a rank's first edges are told at once. Under the sanitizers no sum or
// product may leave the 64 bits.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "support/registry.hpp"

using namespace collsched;

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t numbers[] = {0,
                                    1,
                                    2,
                                    3,
                                    INT32_MAX,
                                    INT64_C(1) << 31,
                                    (INT64_C(1) << 32) + 1,
                                    INT64_C(1) << 61,
                                    (INT64_C(1) << 62) - 1,
                                    INT64_C(1) << 62,
                                    most};
constexpr rank_t many = rank_t{1} << 20;

constexpr struct {
    const char* name;
    std::int64_t shape::* member;
} settings[] = {{"element", &shape::element}, {"segment", &shape::segment}, {"radix", &shape::radix},
                {"group", &shape::group},     {"window", &shape::window},   {"aggregate", &shape::aggregate}};

std::string name_of(const algorithm_entry& entry) {
    return std::string(collsched::name_of(entry.info.what)) + "/" + entry.info.name;
}

/// These have tables of all ranks, or go through all blocks for a message: nothing for so many ranks.
bool takes_all_ranks(const algorithm_entry& entry) {
    constexpr const char* names[] = {
        "allgather/circulant-blocks", "allreduce/allgather-reduce",      "alltoall/bruck", "gather/k-ary",
        "reduce_scatter/butterfly",   "reduce_scatter/circulant-blocks", "scatter/k-ary"};
    return std::find(std::begin(names), std::end(names), name_of(entry)) != std::end(names);
}

/// Thrown where a rank has more edges in a step than there is time for.
struct enough {};

/// The first edges of a rank in a step. Whether there were no more.
bool ask_step(const any_schedule& s, rank_t r, step_t k) {
    const contract promise = s.contract();
    int left = 8;
    const auto look = [&](const edge& e) {
        REQUIRE((e.step == k && (e.src == r || e.dst == r)));
        REQUIRE((e.src >= 0 && e.src < s.ranks && e.dst >= 0 && e.dst < s.ranks));
        REQUIRE((e.size >= 0 && e.from_offset >= 0 && e.from_offset <= most - e.size));
        REQUIRE((e.into_offset >= 0 && e.into_offset <= most - e.size));
        if (e.src == r && e.from == buffer::input) REQUIRE(e.source().end() <= promise.input_bytes(r));
        if (e.dst == r && e.into == buffer::output) REQUIRE(e.target().end() <= promise.output_bytes(r));
        if (--left == 0) throw enough{};
    };
    try {
        s.sends(r, k, look);
        s.receives(r, k, look);
    } catch (enough) {
        return false;
    }
    return true;
}

void ask(const any_schedule& s, rank_t r, bool edges) {
    const step_t steps = s.steps();
    REQUIRE(steps >= 0);
    REQUIRE(s.contract().input_bytes(r) >= 0);
    REQUIRE(s.contract().output_bytes(r) >= 0);
    REQUIRE(s.pacing().window >= 0);
    REQUIRE(s.next(r, steps) == steps);
    if (!edges) return;
    REQUIRE(s.scratch(r) >= 0);
    bool all = true;
    int times = 0;
    for (step_t k = s.next(r, 0); k < steps && times < 4; k = s.next(r, k + 1), ++times) all = ask_step(s, r, k) && all;
    if (steps > 0) (void)ask_step(s, r, steps - 1);
    if (all && times < 4) REQUIRE(s.staging(r) >= 0);
}

void try_shape(const algorithm_entry& entry, const shape& wanted) {
    INFO(name_of(entry), " ranks=", wanted.ranks, " root=", wanted.root, " size=", wanted.bytes,
         " element=", wanted.element, " segment=", wanted.segment, " radix=", wanted.radix, " group=", wanted.group,
         " window=", wanted.window, " aggregate=", wanted.aggregate);
    if (takes_all_ranks(entry) && wanted.ranks > many && wanted.ranks < rank_t{1} << 62) return;
    const any_schedule s = entry.make(wanted);
    if (const error wrong = s.check()) {
        REQUIRE(wrong.argument != nullptr);
        return;
    }
    (void)s.fingerprint();
    // Blocks without bytes have no edges, and yet are gone through.
    const bool edges = wanted.ranks < many || wanted.bytes / wanted.element >= wanted.ranks;
    for (const rank_t r : {rank_t{0}, wanted.ranks / 2, wanted.ranks - 1}) ask(s, r, edges);
}

}  // namespace

TEST_CASE("numbers of ranks and sizes") {
    for (const algorithm_entry& entry : support::registered())
        for (const rank_t ranks : numbers)
            for (const bytes_t size : numbers) {
                try_shape(entry, {.ranks = ranks, .block = size, .bytes = size});
                if (entry.takes("root"))
                    try_shape(entry, {.ranks = ranks, .root = ranks - 1, .block = size, .bytes = size});
            }
}

TEST_CASE("every other parameter") {
    for (const algorithm_entry& entry : support::registered())
        for (const auto& [name, member] : settings) {
            if (!entry.takes(name)) continue;
            for (const rank_t ranks : numbers)
                for (const std::int64_t value : numbers)
                    for (const bytes_t size : {value, INT64_C(1) << 40, most}) {
                        shape wanted{.ranks = ranks, .block = size, .bytes = size};
                        wanted.*member = value;
                        try_shape(entry, wanted);
                    }
        }
}
