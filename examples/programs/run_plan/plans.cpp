#include "plans.h"

#include "collsched/collective.hpp"
#include "collsched/execute/flat_plan.hpp"

using namespace collsched;

namespace {

struct owned_plan : collsched_plan {
    explicit owned_plan(const plan& made) : collsched_plan(), arrays(made) {
        static_cast<collsched_plan&>(*this) = arrays.view();
    }
    flat_plan arrays;
};

const collsched_plan* flat(const auto& algorithm, rank_t rank) {
    try {
        return new owned_plan(plan(algorithm, rank));
    } catch (...) {  // no exception propagates into C
        return nullptr;
    }
}

}  // namespace

const collsched_plan* allgather_plan(std::int64_t ranks, std::int64_t block, std::int64_t rank) {
    return flat(allgather::bruck{.ranks = ranks, .block = block}, rank);
}

const collsched_plan* allreduce_plan(std::int64_t ranks, std::int64_t bytes, std::int64_t rank) {
    return flat(allreduce::ring{.ranks = ranks, .bytes = bytes, .element = 8}, rank);
}

void free_plan(const collsched_plan* plan) { delete static_cast<const owned_plan*>(plan); }
