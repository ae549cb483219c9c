#include "support/registry.hpp"

#include "collsched/collective.hpp"

namespace support {

using namespace collsched;

std::span<const algorithm_entry> registered() { return registry::entries; }
std::span<const algorithm_entry> registered_planned() { return planned_registry::entries; }
std::span<const algorithm_entry> registered_all() { return whole_registry::entries; }

}  // namespace support
