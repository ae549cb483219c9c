#include "greeting.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "communicator_state.hpp"
#include "fingerprint.hpp"
#include "given_cluster.hpp"
#include "table.hpp"

namespace collsched::preload {

std::string library_version() {
    return std::to_string(COLLSCHED_VERSION_MAJOR) + "." + std::to_string(COLLSCHED_VERSION_MINOR) + "." +
           std::to_string(COLLSCHED_VERSION_PATCH);
}

std::string mpi_version() {
    std::array<char, 16384> text{};  // longer than any MPI's MPI_MAX_LIBRARY_VERSION_STRING
    int length = 0;
    PMPI_Get_library_version(text.data(), &length);
    const std::string_view version = text.data();
    return printable(version.substr(0, std::min(version.find_first_of(",\n"), std::size_t{64})));
}

std::string greeting(communicator_state& world) {
    const auto counted = [](std::int64_t n, const char* what) {
        return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
    };
    std::string text = "version " + library_version() + ", " + mpi_version() + ", " + counted(world.size(), "rank");
    if (const rank_t nodes = world.where().nodes(); nodes > 0) text += " on " + counted(nodes, "node");
    text += std::string("; messages: ") + (world.shares_memory() ? "shared memory" : "MPI");
    return text + "; table: " + table_text() + cluster_text() + "; variables: " + variables_in_effect();
}

}  // namespace collsched::preload
