#include "collsched/select/openmpi_version.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace collsched;

TEST_CASE("versions of Open MPI have a name, and a tag or commit where their numbers were read") {
    for (const openmpi_version version : openmpi_versions) {
        CHECK(find_openmpi_version(name_of(version)) == version);
        const std::string_view source = source_of(version);
        const bool tag = source.starts_with("v" + std::string(name_of(version)));
        CHECK((tag || (source.size() == 40 && source.find_first_not_of("0123456789abcdef") == source.npos)));
    }
    CHECK(!find_openmpi_version("main"));
    CHECK(!find_openmpi_version("4.2"));
    CHECK(!find_openmpi_version(""));
}
