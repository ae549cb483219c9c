#include <cstdio>

#include "edges.hpp"

int main() {
    const auto mine = edges_of_ring(5);
    std::printf("collsched %d.%d.%d: %lld edges\n", COLLSCHED_VERSION_MAJOR, COLLSCHED_VERSION_MINOR,
                COLLSCHED_VERSION_PATCH, static_cast<long long>(mine));
    return mine == edges_there(5) ? 0 : 1;
}
