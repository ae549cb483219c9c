#pragma once

#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "collsched/execute/thread_fabric.hpp"

namespace support {

using namespace collsched;

/// Runs f(endpoint, rank), which returns a fault or "", in one thread per rank. Returns the faults of all ranks.
template <class F>
std::string thread_faults(rank_t ranks, F f) {
    thread_fabric fabric(ranks);
    std::vector<std::string> faults(static_cast<std::size_t>(ranks));
    {
        std::vector<std::jthread> threads;
        for (rank_t r = 0; r < ranks; ++r)
            threads.emplace_back([&, r] {
                auto endpoint = fabric.at(r);
                faults[static_cast<std::size_t>(r)] = f(endpoint, r);
            });
    }
    std::string all;
    for (const std::string& fault : faults) all += fault;
    return all;
}

}  // namespace support
