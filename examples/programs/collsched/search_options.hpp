#pragma once

#include "collsched/select/choice.hpp"
#include "options.hpp"
#include "search_time.hpp"

/// The options that limit the processors and the time of a search.
class search_options {
  public:
    explicit search_options(CLI::App& command);

    /// Returns the time of a search for so many ranks, which begins now: --budget, the environment variable
    /// COLLSCHED_BUDGET, or 2 s up to 64 ranks, 5 s up to 256, 10 s up to 1000, and then 10 ms per rank up to 60 s. Throws usage_error for an invalid value.
    search_time read_time(collsched::rank_t ranks) const;
    /// Returns the resources of a search, without its time. Throws usage_error for an invalid value.
    collsched::choice::resources read() const;

    const text_option threads, budget;
};
