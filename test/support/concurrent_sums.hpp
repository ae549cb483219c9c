#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/execute/communicator.hpp"
#include "collsched/execute/rank_memory.hpp"
#include "collsched/execute/reductions.hpp"

namespace support {

using namespace collsched;

/// Two allreduces per communicator of one rank, all at the same time: over the communicator of all ranks, disjoint and
/// overlapping parts of it, and parts of the parts.
template <transport Inner>
class concurrent_sums {
  public:
    using run_type = execution<communicator<Inner>>;

    concurrent_sums(Inner& over, rank_t ranks, rank_t rank) {
        communicator world(over, ranks, rank);
        std::vector<std::int64_t> halves, columns, odd, keys;
        for (rank_t r = 0; r < ranks; ++r) {
            halves.push_back(2 * r / ranks);
            columns.push_back(7 * (r % 3));
            odd.push_back(r % 2 == 0 ? world.undefined : 5);
            keys.push_back((r * 5 + 2) % 4);  // not sorted, and not distinct
        }
        add(world);
        add(world.dup());
        add(world.split(halves));
        add(world.split(columns, keys));
        add(world.split(odd, keys));
        std::vector<rank_t> first, last;
        for (rank_t r = ranks - 1; r >= 0; --r) {
            if (r <= ranks / 2) first.push_back(r);
            if (r >= ranks / 2) last.push_back(r);
        }
        add(world.subset(first));
        add(world.subset(last));
        communicator upper = world.split(halves, keys);
        add(upper);
        add(upper.dup());
        const std::vector<rank_t> alone{0};
        add(upper.subset(alone));
    }

    /// Starts all, in the order of communicators, or the other way round.
    void start(bool backward) {
        for (std::size_t i = 0; i < sums_.size(); ++i) {
            sum& one = sums_[backward ? sums_.size() - 1 - i : i];
            for (std::size_t k = 0; k < one.input.size(); ++k)
                one.input[k] = static_cast<double>(one.over.members()[static_cast<std::size_t>(one.over.rank())]) +
                               100.0 * static_cast<double>(k + 1);
            one.run.start(one.own.buffers(), reductions::sum<double>());
        }
    }
    std::vector<run_type*> runs() {
        std::vector<run_type*> all;
        for (sum& one : sums_) all.push_back(&one.run);
        return all;
    }
    /// Waits for all: the waits for one deliver completions of the others.
    void wait(std::chrono::nanoseconds timeout) {
        for (sum& one : sums_)
            if (one.run.wait_for(timeout).running()) one.run.fail(timed_out);
    }
    /// Returns what is wrong with the sums, or "".
    std::string fault() const {
        std::string text;
        for (const sum& one : sums_) {
            if (!one.run.state().done()) text += "error " + std::to_string(one.run.state().error) + "; ";
            for (std::size_t k = 0; k < one.output.size(); ++k) {
                double expected = 0;
                for (const rank_t r : one.over.members())
                    expected += static_cast<double>(r) + 100.0 * static_cast<double>(k + 1);
                if (one.output[k] != expected) text += "sum " + std::to_string(one.output[k]) + "; ";
            }
        }
        return text;
    }

  private:
    struct sum {
        sum(const communicator<Inner>& of, const execution_options& options)
            : over(of),
              own(allreduce::ring{.ranks = over.ranks(), .bytes = 40, .element = 8}, over.rank(),
                  {std::as_bytes(std::span(input)), std::as_writable_bytes(std::span(output))}),
              run(own.plan(), over, options) {}

        communicator<Inner> over;
        std::vector<double> input = std::vector<double>(5), output = std::vector<double>(5);
        bound_plan own;
        run_type run;
    };

    void add(communicator<Inner> over) {
        for (int i = 0; i < 2 && !over.empty(); ++i) sums_.emplace_back(over, over.open_channel());
    }

    std::deque<sum> sums_;
};

}  // namespace support
