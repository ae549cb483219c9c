// Numbers at the ends of 64 bits give an error, or the first edges of a rank at once. Under the sanitizers no sum or
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
    return std::string(collsched::name_of(entry.info.collective)) + "/" + entry.info.name;
}

/// Whether the algorithm has tables of all ranks, or visits all blocks for a message, which takes too long for many ranks.
bool takes_all_ranks(const algorithm_entry& entry) {
    constexpr const char* names[] = {"allgather/circulant-blocks",
                                     "allreduce/allgather-reduce",
                                     "allreduce/allgather-reduce-by-dimension",
                                     "allgather/interval-halving",
                                     "alltoall/bruck",
                                     "alltoall/by-dimension",
                                     "gather/k-ary",
                                     "reduce_scatter/butterfly",
                                     "reduce_scatter/circulant-blocks",
                                     "reduce_scatter/interval-halving",
                                     "scatter/k-ary"};
    return std::find(std::begin(names), std::end(names), name_of(entry)) != std::end(names);
}

/// Whether a rank visits very many peers in a step, most of them with empty blocks.
bool has_empty_messages(const shape& wanted) {
    const bool few_bytes = wanted.ranks >= many && wanted.bytes / wanted.element < wanted.ranks;
    return few_bytes && (wanted.radix >= many || wanted.group >= many || wanted.aggregate >= many);
}

/// Thrown if a rank has more edges in a step than the test visits.
struct enough {};

/// The members of a schedule called for one rank, and the first fault found.
class answers {
  public:
    answers(const any_schedule& s, rank_t r) : s_(s), contract_(s.contract()), r_(r), steps_(s.steps()) {}

    void ask() {
        expect(steps_ >= 0, "steps");
        expect(contract_.input_bytes(r_) >= 0 && contract_.output_bytes(r_) >= 0, "buffers");
        expect(s_.pacing().window >= 0, "window");
        expect(s_.next(r_, steps_) == steps_, "next");
    }
    /// Checks the first edges of the rank.
    void ask_edges() {
        expect(s_.scratch(r_) >= 0, "scratch");
        bool all = true;
        int times = 0;
        for (step_t k = s_.next(r_, 0); k < steps_ && times < 4; k = s_.next(r_, k + 1), ++times)
            all = ask_step(k) && all;
        if (steps_ > 0) ask_step(steps_ - 1);
        if (all && times < 4) expect(s_.staging(r_) >= 0, "staging");
    }
    const char* fault() const { return fault_; }

  private:
    void expect(bool holds, const char* what) {
        if (!holds && fault_[0] == 0) fault_ = what;
    }
    void look(const edge& e, step_t k) {
        expect(e.step == k && (e.src == r_ || e.dst == r_), "an edge of another");
        expect(e.src >= 0 && e.src < s_.ranks && e.dst >= 0 && e.dst < s_.ranks, "a rank");
        expect(e.size >= 0 && e.from_offset >= 0 && e.from_offset <= most - e.size, "a source");
        expect(e.into_offset >= 0 && e.into_offset <= most - e.size, "a target");
        if (fault_[0] != 0) return;
        if (e.src == r_ && e.from == buffer::input) expect(e.source().end() <= contract_.input_bytes(r_), "input");
        if (e.dst == r_ && e.into == buffer::output) expect(e.target().end() <= contract_.output_bytes(r_), "output");
    }
    /// Whether there were no more edges in this step.
    bool ask_step(step_t k) {
        int left = 8;
        const auto visit = [&](const edge& e) {
            look(e, k);
            if (--left == 0) throw enough{};
        };
        try {
            s_.sends(r_, k, visit);
            s_.receives(r_, k, visit);
        } catch (enough) {
            return false;
        }
        return true;
    }

    const any_schedule& s_;
    contract contract_;
    rank_t r_;
    step_t steps_;
    const char* fault_ = "";
};

void try_shape(const algorithm_entry& entry, const shape& wanted) {
    INFO(name_of(entry), " ranks=", wanted.ranks, " root=", wanted.root, " size=", wanted.bytes,
         " element=", wanted.element, " segment=", wanted.segment, " radix=", wanted.radix, " group=", wanted.group,
         " window=", wanted.window, " aggregate=", wanted.aggregate);
    if (takes_all_ranks(entry) && wanted.ranks > many && wanted.ranks < rank_t{1} << 62) return;
    const any_schedule s = entry.make(wanted);
    if (const argument_error error = s.check()) {
        REQUIRE(error.argument != nullptr);
        return;
    }
    (void)s.fingerprint();
    for (const rank_t r : {rank_t{0}, wanted.ranks / 2, wanted.ranks - 1}) {
        answers answers_of_rank(s, r);
        answers_of_rank.ask();
        if (!has_empty_messages(wanted)) answers_of_rank.ask_edges();
        REQUIRE(std::string(answers_of_rank.fault()) == "");
    }
}

}  // namespace

TEST_CASE("extremes: extreme numbers of ranks and sizes are accepted or rejected, never wrapped") {
    for (const algorithm_entry& entry : compiled::registry())
        for (const rank_t ranks : numbers)
            for (const bytes_t size : numbers) {
                try_shape(entry, {.ranks = ranks, .block = size, .bytes = size});
                if (ranks > 0)  // all together, so that most have none where ranks are many
                    try_shape(entry, {.ranks = ranks, .block = block_layout::partition(size, ranks), .bytes = size});
                if (entry.takes(&shape::root))
                    try_shape(entry, {.ranks = ranks, .root = ranks - 1, .block = size, .bytes = size});
            }
}

TEST_CASE("extremes: extreme values of every other parameter are accepted or rejected, never wrapped") {
    for (const algorithm_entry& entry : compiled::registry())
        for (const auto& [name, member] : settings) {
            if (!entry.takes(member)) continue;
            for (const rank_t ranks : numbers)
                for (const std::int64_t value : numbers)
                    for (const bytes_t size : {value, INT64_C(1) << 40, most}) {
                        shape wanted{.ranks = ranks, .block = size, .bytes = size};
                        wanted.*member = value;
                        try_shape(entry, wanted);
                    }
        }
}
