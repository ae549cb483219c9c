#include "algorithms/algorithms.hpp"

#include "collsched/collective/registry.hpp"
#include "collsched/select/choice.hpp"

namespace compiled {

using collsched::algorithm_entry;

std::span<const algorithm_entry> registry() { return collsched::registry::entries; }
std::span<const algorithm_entry> planned_registry() { return collsched::registry::planned::entries; }
std::span<const algorithm_entry> whole_registry() { return collsched::registry::complete::entries; }

const algorithm_entry* find(collsched::collective what, std::string_view name) {
    return find_algorithm(registry(), what, name);
}

}  // namespace compiled
