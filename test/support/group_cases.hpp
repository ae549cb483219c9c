#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "collsched/group/calls.hpp"

namespace support {

using namespace collsched;

/// An associative operation on numbers that does not commute: maps x -> a x + b modulo 2^32, one after the other. A
/// number holds a in its upper and b in its lower half.
struct map_after {
    std::int64_t operator()(std::int64_t first, std::int64_t second) const {
        const auto upper = [](std::int64_t n) {
            return static_cast<std::uint32_t>(static_cast<std::uint64_t>(n) >> 32);
        };
        const auto lower = [](std::int64_t n) { return static_cast<std::uint32_t>(n); };
        const std::uint32_t a = upper(first) * upper(second);
        const std::uint32_t b = lower(first) * upper(second) + lower(second);
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << 32 | b);
    }
};

/// The call of one rank, with its memory and the result that it must have.
struct group_case {
    std::string name;
    std::vector<std::int64_t> in, out;   ///< one of them alone in place: `out`
    std::vector<std::int64_t> expected;  ///< of `out`
    std::function<collective_call(group_case&)> make;
    std::vector<std::int64_t> counts{}, displs{}, recv_counts{};
    neighborhood neighbors{};

    collective_call call() { return make(*this); }
    bool is_right() const { return out == expected; }
};

/// Makes the calls of all collectives for one rank of a group, with the results by the definition of each collective.
class group_cases {
  public:
    /// @param n  values of a message or block
    group_cases(rank_t ranks, rank_t rank, std::int64_t n, rank_t root) : p_(ranks), r_(rank), n_(n), root_(root) {}

    std::vector<group_case> all() {
        moving();
        reducing("sum", std::plus<>(), [](std::int64_t a, std::int64_t b) { return a + b; });
        reducing("map", map_after(), map_after());
        irregular();
        neighboring();
        return std::move(made_);
    }

  private:
    using numbers = std::vector<std::int64_t>;

    static std::int64_t value(rank_t rank, std::int64_t i) { return (rank * 7919 + i * 31 + 3) * 0x100000001 + i % 7; }
    /// Values first .. first+count-1 of a rank.
    static numbers values(rank_t rank, std::int64_t first, std::int64_t count) {
        numbers some;
        for (std::int64_t i = first; i < first + count; ++i) some.push_back(value(rank, i));
        return some;
    }
    /// Values at `first` of all ranks, one after the other.
    numbers of_all(std::int64_t first, std::int64_t count) const {
        numbers some;
        for (rank_t i = 0; i < p_; ++i)
            for (const std::int64_t one : values(i, first, count)) some.push_back(one);
        return some;
    }
    numbers blanks(std::int64_t count) const { return numbers(static_cast<std::size_t>(count), -1); }
    numbers at_root(const numbers& some) const { return r_ == root_ ? some : numbers(); }
    bool is_root() const { return r_ == root_; }

    /// Two arrays.
    void add(std::string name, numbers in, numbers expected, std::function<collective_call(group_case&)> make) {
        made_.push_back(
            {std::move(name), std::move(in), blanks(std::ssize(expected)), std::move(expected), std::move(make)});
    }
    /// One array, in place.
    void add_in_place(std::string name, numbers before, numbers expected,
                      std::function<collective_call(group_case&)> make) {
        made_.push_back({std::move(name) + " in place", {}, std::move(before), std::move(expected), std::move(make)});
    }

    void moving() {
        const rank_t root = root_;
        add("barrier", {}, {}, [](group_case&) { return calls::barrier(); });
        add_in_place("broadcast", is_root() ? values(r_, 0, n_) : blanks(n_), values(root, 0, n_),
                     [root](group_case& c) { return calls::broadcast(c.out, root); });
        add("scatter", at_root(values(root, 0, p_ * n_)), values(root, r_ * n_, n_),
            [root](group_case& c) { return calls::scatter(c.in, c.out, root); });
        add_in_place("scatter", is_root() ? values(root, 0, p_ * n_) : blanks(n_),
                     is_root() ? values(root, 0, p_ * n_) : values(root, r_ * n_, n_),
                     [root](group_case& c) { return calls::scatter(c.out, root); });
        add("gather", values(r_, 0, n_), at_root(of_all(0, n_)),
            [root](group_case& c) { return calls::gather(c.in, c.out, root); });
        numbers own = blanks(p_ * n_);
        for (std::int64_t i = 0; i < n_; ++i) own[static_cast<std::size_t>(r_ * n_ + i)] = value(r_, i);
        add_in_place("gather", is_root() ? own : values(r_, 0, n_), is_root() ? of_all(0, n_) : values(r_, 0, n_),
                     [root](group_case& c) { return calls::gather(c.out, root); });
        add("allgather", values(r_, 0, n_), of_all(0, n_), [](group_case& c) { return calls::allgather(c.in, c.out); });
        add_in_place("allgather", own, of_all(0, n_), [](group_case& c) { return calls::allgather(c.out); });
        numbers crossed;
        for (rank_t i = 0; i < p_; ++i)
            for (const std::int64_t one : values(i, r_ * n_, n_)) crossed.push_back(one);
        add("alltoall", values(r_, 0, p_ * n_), crossed, [](group_case& c) { return calls::alltoall(c.in, c.out); });
        add_in_place("alltoall", values(r_, 0, p_ * n_), crossed, [](group_case& c) { return calls::alltoall(c.out); });
    }

    /// Values first .. first+count-1 of ranks 0 .. last-1, combined in order of ranks.
    template <class F>
    static numbers folded(rank_t last, std::int64_t first, std::int64_t count, F f) {
        numbers sum = values(0, first, count);
        for (rank_t i = 1; i < last; ++i)
            for (std::int64_t k = 0; k < count; ++k)
                sum[static_cast<std::size_t>(k)] = f(sum[static_cast<std::size_t>(k)], value(i, first + k));
        return sum;
    }

    template <class Operation, class F>
    void reducing(const std::string& with, Operation op, F f) {
        const rank_t root = root_;
        const numbers own = values(r_, 0, n_), whole = folded(p_, 0, n_, f);
        add("reduce " + with, own, at_root(whole),
            [root, op](group_case& c) { return calls::reduce(c.in, c.out, op, root); });
        add_in_place("reduce " + with, own, is_root() ? whole : own,
                     [root, op](group_case& c) { return calls::reduce(c.out, op, root); });
        add("allreduce " + with, own, whole, [op](group_case& c) { return calls::allreduce(c.in, c.out, op); });
        add_in_place("allreduce " + with, own, whole, [op](group_case& c) { return calls::allreduce(c.out, op); });
        add("scan " + with, own, folded(r_ + 1, 0, n_, f),
            [op](group_case& c) { return calls::scan(c.in, c.out, op); });
        add_in_place("scan " + with, own, folded(r_ + 1, 0, n_, f),
                     [op](group_case& c) { return calls::scan(c.out, op); });
        if (r_ > 0) {
            add("exscan " + with, own, folded(r_, 0, n_, f),
                [op](group_case& c) { return calls::exscan(c.in, c.out, op); });
        } else {
            add("exscan " + with, own, blanks(n_), [op](group_case& c) { return calls::exscan(c.in, c.out, op); });
            made_.back().name += ", rank 0";  // its result is not specified
        }
        const numbers block = folded(p_, r_ * n_, n_, f);
        add("reduce_scatter " + with, values(r_, 0, p_ * n_), block,
            [op](group_case& c) { return calls::reduce_scatter(c.in, c.out, op); });
        numbers counts;
        std::int64_t first = 0, total = 0;
        for (rank_t i = 0; i < p_; ++i) {
            counts.push_back(count_of(i));
            if (i < r_) first += count_of(i);
            total += count_of(i);
        }
        add("reduce_scatterv " + with, values(r_, 0, total), folded(p_, first, count_of(r_), f),
            [op](group_case& c) { return calls::reduce_scatterv(c.in, c.out, c.counts, op); });
        made_.back().counts = counts;
    }

    /// Values of the block of a rank where they differ; some are empty.
    std::int64_t count_of(rank_t rank) const { return (rank * 5 + n_) % 4 == 0 ? 0 : n_ + rank % 3; }

    void irregular() {
        const rank_t root = root_;
        numbers counts, displs, packed, spread;
        std::int64_t at = 0;
        for (rank_t i = 0; i < p_; ++i) {
            counts.push_back(count_of(i));
            displs.push_back(at + 1);
            spread.push_back(-1);
            for (const std::int64_t one : values(i, 0, count_of(i))) packed.push_back(one), spread.push_back(one);
            at = std::ssize(spread);
        }
        const auto blocks = [](group_case& c) { return collective_call::value_blocks(c.counts, c.displs); };
        add("gatherv", values(r_, 0, count_of(r_)), at_root(packed),
            [=](group_case& c) { return calls::gatherv(c.in, c.out, c.counts, root); });
        made_.back().counts = counts;
        add("gatherv with gaps", values(r_, 0, count_of(r_)), at_root(spread),
            [=](group_case& c) { return calls::gatherv(c.in, c.out, blocks(c), root); });
        made_.back().counts = counts, made_.back().displs = displs;
        add("scatterv", at_root(spread), values(r_, 0, count_of(r_)),
            [=](group_case& c) { return calls::scatterv(c.in, c.out, blocks(c), root); });
        made_.back().counts = counts, made_.back().displs = displs;
        add("allgatherv", values(r_, 0, count_of(r_)), spread,
            [=](group_case& c) { return calls::allgatherv(c.in, c.out, blocks(c)); });
        made_.back().counts = counts, made_.back().displs = displs;
        numbers own = blanks(std::ssize(packed));
        std::int64_t first = 0;
        for (rank_t i = 0; i < r_; ++i) first += count_of(i);
        for (std::int64_t i = 0; i < count_of(r_); ++i) own[static_cast<std::size_t>(first + i)] = value(r_, i);
        add_in_place("allgatherv", own, packed, [](group_case& c) { return calls::allgatherv(c.out, c.counts); });
        made_.back().counts = counts;

        const auto between = [&](rank_t from, rank_t to) {
            return (from * 3 + to) % 5 == 0 ? 0 : n_ + (from + to) % 2;
        };
        numbers sent, received, data, result;
        for (rank_t i = 0; i < p_; ++i) {
            sent.push_back(between(r_, i));
            received.push_back(between(i, r_));
            for (const std::int64_t one : values(r_, i * 100, between(r_, i))) data.push_back(one);
            for (const std::int64_t one : values(i, r_ * 100, between(i, r_))) result.push_back(one);
        }
        add("alltoallv", data, result,
            [](group_case& c) { return calls::alltoallv(c.in, c.counts, c.out, c.recv_counts); });
        made_.back().counts = sent, made_.back().recv_counts = received;
    }

    /// Each rank sends to the next one, and to the one after it.
    void neighboring() {
        numbers degrees, targets;
        for (rank_t i = 0; i < p_; ++i) {
            degrees.push_back(2);
            targets.push_back((i + 1) % p_);
            targets.push_back((i + 2) % p_);
        }
        const neighborhood graph(degrees, targets);
        numbers gathered, exchanged;
        for (rank_t j = 0; j < graph.in_degree(r_); ++j) {
            const rank_t from = graph.source(r_, j);
            for (const std::int64_t one : values(from, 0, n_)) gathered.push_back(one);
            for (const std::int64_t one : values(from, graph.departure(r_, j) * n_, n_)) exchanged.push_back(one);
        }
        add("neighbor_allgather", values(r_, 0, n_), gathered,
            [](group_case& c) { return calls::neighbor_allgather(c.in, c.out, c.neighbors); });
        made_.back().neighbors = graph;
        add("neighbor_alltoall", values(r_, 0, 2 * n_), exchanged,
            [](group_case& c) { return calls::neighbor_alltoall(c.in, c.out, c.neighbors); });
        made_.back().neighbors = graph;

        numbers of_ranks, of_slots, gathered_v, exchanged_v;
        for (rank_t i = 0; i < p_; ++i) {
            of_ranks.push_back(count_of(i));
            of_slots.push_back(count_of(i));
            of_slots.push_back(n_);
        }
        for (rank_t j = 0; j < graph.in_degree(r_); ++j) {
            const rank_t from = graph.source(r_, j);
            for (const std::int64_t one : values(from, 0, count_of(from))) gathered_v.push_back(one);
            const bool second = graph.departure(r_, j) == 1;
            for (const std::int64_t one : values(from, second ? count_of(from) : 0, second ? n_ : count_of(from)))
                exchanged_v.push_back(one);
        }
        add("neighbor_allgatherv", values(r_, 0, count_of(r_)), gathered_v,
            [](group_case& c) { return calls::neighbor_allgatherv(c.in, c.out, c.counts, c.neighbors); });
        made_.back().neighbors = graph, made_.back().counts = of_ranks;
        add("neighbor_alltoallv", values(r_, 0, count_of(r_) + n_), exchanged_v,
            [](group_case& c) { return calls::neighbor_alltoallv(c.in, c.out, c.counts, c.neighbors); });
        made_.back().neighbors = graph, made_.back().counts = of_slots;
    }

    rank_t p_, r_;
    std::int64_t n_;
    rank_t root_;
    std::vector<group_case> made_;
};

/// Runs all collectives on a group, blocking. Returns the first fault; "" if all results are right.
template <class Group>
std::string run_group_cases(Group& all, std::int64_t n, rank_t root) {
    for (group_case& one : group_cases(all.ranks(), all.rank(), n, root).all()) {
        const outcome end = all.run(one.call());
        if (!end.ok()) return one.name + ": " + end.text();
        if (!one.is_right() && !one.name.ends_with("rank 0")) return one.name + ": wrong values";
    }
    return "";
}

}  // namespace support
