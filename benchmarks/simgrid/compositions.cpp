#include "compositions.hpp"

#include <array>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "algorithms/algorithms.hpp"
#include "candidates.hpp"
#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/linear.hpp"
#include "collsched/collective/allreduce/allgather_reduce.hpp"
#include "collsched/collective/allreduce/by_reversal.hpp"
#include "collsched/collective/hierarchy.hpp"

namespace simulated {

namespace {

using namespace collsched;

/// An algorithm of the library, by its name.
const algorithm_entry& entry(collective what, std::string_view name) {
    if (const algorithm_entry* const found = compiled::find(what, name)) return *found;
    throw std::invalid_argument("no such algorithm: " + std::string(name));
}

using places = std::function<region(rank_t, buffer)>;
using parts = std::function<shape(rank_t)>;

location same_buffers(rank_t, buffer b) { return {b, 0}; }
location in_output(rank_t, buffer b) { return {b == buffer::input ? buffer::output : b, 0}; }

/// The algorithm in every group, with the shape that it has there.
template <class Groups>
any_schedule in_each(const Groups& groups, const algorithm_entry& what, const parts& shape_of, const places& where,
                     const contract& whole) {
    auto made = std::make_shared<std::vector<any_schedule>>();
    for (rank_t g = 0; g < groups.groups(); ++g) made->push_back(what.make(shape_of(g)));
    return any_schedule(run_in_groups(
        groups,
        [made = std::shared_ptr<const std::vector<any_schedule>>(made)](rank_t g) {
            return (*made)[static_cast<std::size_t>(g)];
        },
        where, whole));
}

any_schedule one_after_another(const any_schedule& a, const any_schedule& b) { return any_schedule(then(a, b)); }

/// Names of the algorithms in a cluster and among clusters.
struct names {
    std::string_view inner, outer;
};

any_schedule make_broadcast(const shape& wanted, const names& use, bytes_t segment) {
    const rank_groups groups = groups_of(wanted.placement, wanted.ranks);
    const contract whole{
        .collective = collective::broadcast, .ranks = wanted.ranks, .bytes = wanted.bytes, .element = wanted.element};
    const auto of = [=](rank_t ranks) {
        return shape{.ranks = ranks, .bytes = wanted.bytes, .element = wanted.element, .segment = segment};
    };
    return one_after_another(in_each(
                                 leaders_of(groups), entry(collective::broadcast, use.outer),
                                 [&](rank_t) { return of(groups.groups()); }, same_buffers, whole),
                             in_each(
                                 groups, entry(collective::broadcast, use.inner),
                                 [&](rank_t g) { return of(groups.size(g)); }, in_output, whole));
}

any_schedule make_allreduce(const shape& wanted, const names& use, bytes_t segment) {
    const rank_groups groups = groups_of(wanted.placement, wanted.ranks);
    const contract whole{.collective = collective::allreduce,
                         .ranks = wanted.ranks,
                         .bytes = wanted.bytes,
                         .element = wanted.element,
                         .commutative = true};
    const auto of = [=](rank_t ranks) {
        return shape{.ranks = ranks, .bytes = wanted.bytes, .element = wanted.element, .segment = segment};
    };
    const parts inside = [&](rank_t g) { return of(groups.size(g)); };
    return one_after_another(
        in_each(groups, entry(collective::reduce, use.inner), inside, same_buffers, whole),
        one_after_another(in_each(
                              leaders_of(groups), entry(collective::allreduce, use.outer),
                              [&](rank_t) { return of(groups.groups()); }, in_output, whole),
                          in_each(groups, entry(collective::broadcast, use.inner), inside, in_output, whole)));
}

any_schedule make_allgather(const shape& wanted, const names& use, bytes_t segment) {
    const rank_groups groups = groups_of(wanted.placement, wanted.ranks);
    const collsched::detail::blocks_in_groups blocks(wanted.block, groups);
    const contract whole{.collective = collective::allgather, .ranks = wanted.ranks, .blocks = wanted.block};
    const places to_leader = [=](rank_t r, buffer b) -> region {
        if (b == buffer::output) return blocks.of_group(groups.group(r), b);
        return {{b, 0}};
    };
    const places own_known = [=](rank_t r, buffer b) -> region {
        if (b == buffer::scratch) return {{b, 0}};
        return b == buffer::input ? blocks.of_group(groups.group(r), buffer::output) : blocks.in(b);
    };
    const places all_known = [=](rank_t, buffer b) -> region {
        if (b == buffer::scratch) return {{b, 0}};
        return blocks.in(buffer::output);
    };
    const bytes_t total = wanted.block.prefix(wanted.ranks);
    return one_after_another(
        in_each(
            groups, entry(collective::gather, "linear"),
            [&](rank_t g) { return shape{.ranks = groups.size(g), .block = blocks.inside(g)}; }, to_leader, whole),
        one_after_another(
            in_each(
                leaders_of(groups), entry(collective::allgather, use.outer),
                [&](rank_t) { return shape{.ranks = groups.groups(), .block = blocks.among()}; }, own_known, whole),
            in_each(
                groups, entry(collective::broadcast, use.inner),
                [&](rank_t g) { return shape{.ranks = groups.size(g), .bytes = total, .segment = segment}; }, all_known,
                whole)));
}

struct composition {
    collective what;
    any_schedule (*make)(const shape&, const names&, bytes_t segment);
    std::vector<std::string_view> inner, outer;
};

const std::array<composition, 3> compositions{{
    {collective::broadcast,
     make_broadcast,
     {"binomial", "chain", "linear", "in-order-binary", "k-ary", "two-tree", "circulant", "scatter-ring"},
     {"linear", "chain", "binomial"}},
    {collective::allreduce,
     make_allreduce,
     {"binomial", "chain", "in-order-binary", "k-ary", "two-tree", "circulant"},
     {"recursive-doubling", "circulant", "ring", "chain", "k-ary"}},
    {collective::allgather,
     make_allgather,
     {"binomial", "chain", "in-order-binary", "k-ary", "two-tree", "circulant", "scatter-ring"},
     {"linear", "circulant", "ring"}},
}};

/// Longer messages are not gathered everywhere, which would take p times their memory.
constexpr bytes_t longest_to_gather = 65536;

/// Allreduces made of an allgather: after it every rank combines for itself, or it runs backwards and then forwards.
template <class Allgather>
void add_gather_and_combine(std::vector<candidate>& found, const shape& wanted, const std::string& name,
                            const Allgather& part) {
    found.push_back({"allgather-reduce over " + name, 0, [wanted, part] {
                         return any_schedule(allreduce::allgather_reduce<Allgather>{
                             .ranks = wanted.ranks, .bytes = wanted.bytes, .element = wanted.element, .of = part});
                     }});
}
void add_back_and_forth(std::vector<candidate>& found, const shape& wanted) {
    found.push_back({"back and forth over linear", 0, [wanted] {
                         return any_schedule(allreduce::by_reversal<allgather::linear>{
                             .ranks = wanted.ranks, .bytes = wanted.bytes, .element = wanted.element});
                     }});
}

void add_two_level(std::vector<candidate>& found, collective what, const shape& wanted, bytes_t bytes) {
    // An allgather spreads all blocks in the clusters.
    const std::vector<bytes_t> lengths = segments(what == collective::allgather ? bytes * wanted.ranks : bytes);
    for (const composition& one : compositions) {
        if (one.what != what) continue;
        for (const std::string_view inner : one.inner)
            for (const std::string_view outer : one.outer)
                for (const bytes_t segment : lengths) {
                    const bool cuts = entry(collective::broadcast, inner).takes("segment");
                    if (segment > 0 && !cuts) continue;
                    std::string name = "two-level " + std::string(inner) + " under " + std::string(outer);
                    if (segment > 0) name += " segment=" + std::to_string(segment);
                    found.push_back({name, segment, [make = one.make, wanted, use = names{inner, outer}, segment] {
                                         return make(wanted, use, segment);
                                     }});
                }
    }
}

}  // namespace

void add_compositions(std::vector<candidate>& found, collective what, const shape& wanted, bytes_t bytes,
                      bool one_switch) {
    if (what == collective::allreduce) {
        add_back_and_forth(found, wanted);
        if (bytes <= longest_to_gather) {
            add_gather_and_combine(found, wanted, "linear", allgather::linear{.window = 0});
            for (const std::int64_t radix : {4, 8, 16})
                add_gather_and_combine(found, wanted, "bruck radix=" + std::to_string(radix),
                                       allgather::bruck{.radix = radix});
        }
    }
    if (!one_switch) add_two_level(found, what, wanted, bytes);
}

}  // namespace simulated
