#include "support/registry.hpp"

#include <string_view>

#include "support/brief.hpp"

namespace support {

using namespace collsched;

bool can_do(const algorithm_entry& entry, rank_t ranks) {
    if (entry.info.ranks == std::string_view("any")) return true;
    const argument_error error = entry.make({.ranks = ranks}).check();
    return !error || error.argument != std::string_view("ranks");
}

std::vector<algorithm_entry> registered_at(rank_t ranks) {
    std::vector<algorithm_entry> able;
    std::size_t place = static_cast<std::size_t>(ranks);
    for (const algorithm_entry& entry : compiled::registry())
        if (can_do(entry, ranks) && !entry.takes(&shape::neighbors) && place++ % one_of() == 0) able.push_back(entry);
    return able;
}

}  // namespace support
