#pragma once

#include "collsched/select/choice.hpp"
#include "options.hpp"

/// The options that limit the processors and the time of a search.
class search_options {
  public:
    explicit search_options(CLI::App& command);

    /// Returns resources whose time begins now. Throws usage_error for invalid values.
    collsched::choice::resources read() const;

    const text_option threads, budget;
};
