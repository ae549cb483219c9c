#include "compositions.hpp"

#include <array>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "algorithms/algorithms.hpp"
#include "candidates.hpp"
#include "collsched/collective/hierarchy.hpp"
#include "collsched/combine/run_in_groups.hpp"
#include "collsched/combine/then.hpp"

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

struct composition {
    collective what;
    any_schedule (*make)(const shape&, const names&, bytes_t segment);
    std::vector<std::string_view> inner, outer;
};

const std::array<composition, 2> compositions{{
    {collective::broadcast,
     make_broadcast,
     {"binomial", "chain", "linear", "in-order-binary", "k-ary", "two-tree", "circulant", "scatter-ring"},
     {"linear", "chain", "binomial"}},
    {collective::allreduce,
     make_allreduce,
     {"binomial", "chain", "in-order-binary", "k-ary", "two-tree", "circulant"},
     {"recursive-doubling", "circulant", "ring", "chain", "k-ary"}},
}};

void add_two_level(std::vector<candidate>& found, collective what, const shape& wanted, bytes_t bytes) {
    const std::vector<bytes_t> lengths = segments(bytes);
    for (const composition& one : compositions) {
        if (one.what != what) continue;
        for (const std::string_view inner : one.inner)
            for (const std::string_view outer : one.outer)
                for (const bytes_t segment : lengths) {
                    const bool cuts = entry(collective::broadcast, inner).takes(&shape::segment);
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
    if (!one_switch) add_two_level(found, what, wanted, bytes);
}

}  // namespace simulated
