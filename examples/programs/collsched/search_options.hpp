#pragma once

#include <chrono>

#include "collsched/select/choice.hpp"
#include "options.hpp"

/// The options that limit the processors and the time of a search.
class search_options {
  public:
    explicit search_options(CLI::App& command);

    /// Returns the processor time of a search for so many ranks: --budget, the environment variable COLLSCHED_BUDGET, or 2 s
    /// up to 64 ranks, 5 s up to 256, 10 s up to 1000, and then 10 ms per rank up to 60 s. Throws usage_error for an
    /// invalid value.
    std::chrono::microseconds read_budget(collsched::rank_t ranks) const;
    /// Returns the resources of a search, without its time. Throws usage_error for an invalid value.
    collsched::choice::resources read() const;

    const text_option threads, budget;
};
