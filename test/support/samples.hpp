#pragma once

#include <string>
#include <vector>

#include "support/registry.hpp"

namespace support {

using namespace collsched;

/// The tested roots: first, last, and one in the middle; in long runs all of up to 32 ranks.
std::vector<rank_t> roots(const algorithm_entry& entry, rank_t ranks);

/// The bindings in which schedules keep this contract. (A complete exchange would overwrite bytes that are still to be sent;
/// neighborhood collectives have no binding in place.)
std::vector<binding> bindings(const contract& contract);

struct message_shape {
    bytes_t bytes, element;
};

/// No bytes, one, some, and more than divide evenly; of reductions also elements of an int, a double, a matrix and
/// three doubles, at each p another one.
std::vector<message_shape> messages(const algorithm_entry& entry, rank_t ranks, bytes_t unit);

/// An algorithm of the registry in some shape.
struct sample {
    std::string name;
    any_schedule schedule;
};

/// The shapes in which an algorithm is tried at this number of ranks: every layout for block algorithms; for the others
/// no bytes, one, some, and more than divide evenly, in one piece and in several. None if it rejects this number of
/// ranks.
std::vector<sample> samples(const algorithm_entry& entry, rank_t ranks, bytes_t unit = 4);

/// Every algorithm of the registry in all its shapes, and planned ones.
std::vector<sample> samples(rank_t ranks, bytes_t unit = 4);

}  // namespace support
