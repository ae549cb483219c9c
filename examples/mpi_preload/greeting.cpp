#include "greeting.hpp"

#include <array>

#include "communicator.hpp"
#include "table.hpp"

namespace collsched::preload {

std::string library_version() {
    return std::to_string(COLLSCHED_VERSION_MAJOR) + "." + std::to_string(COLLSCHED_VERSION_MINOR) + "." +
           std::to_string(COLLSCHED_VERSION_PATCH);
}

std::string mpi_version() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING + 1> text{};
    int length = 0;
    PMPI_Get_library_version(text.data(), &length);
    std::string name = text.data();
    name.resize(std::min(name.size(), name.find_first_of(",\n")));
    for (std::size_t at; (at = name.find_first_of("\t")) != name.npos;) name[at] = ' ';
    return name;
}

std::string greeting(communicator& world) {
    const auto counted = [](std::int64_t n, const char* what) {
        return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
    };
    std::string text = "version " + library_version() + ", " + mpi_version() + ", " + counted(world.size(), "rank");
    if (const rank_t nodes = world.where().nodes(); nodes > 0) text += " on " + counted(nodes, "node");
    return text + "; table: " + table_text() + "; variables: " + variables_in_effect();
}

}  // namespace collsched::preload
