#pragma once

#include <cstddef>

#include <collsched/collective.hpp>
#include <collsched/verify.hpp>

// Both files of the program instantiate the same templates.
static_assert(collsched::verify(collsched::allgather::ring{.ranks = 4, .block = 8}).ok());

inline std::size_t edges_of_ring(collsched::rank_t ranks) {
    const auto stored = collsched::materialize(collsched::allgather::ring{.ranks = ranks, .block = 8});
    return stored.edges().size();
}

std::size_t edges_there(collsched::rank_t ranks);
