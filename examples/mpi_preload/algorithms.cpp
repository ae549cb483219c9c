#include "algorithms.hpp"

#include "collsched/collective.hpp"

namespace collsched::preload {

std::span<const algorithm_entry> algorithms() { return registry::entries; }

const algorithm_entry* find_algorithm(collective what, std::string_view name) {
    for (const algorithm_entry& entry : algorithms())
        if (entry.info.what == what && name == entry.info.name) return &entry;
    return nullptr;
}

}  // namespace collsched::preload
