#pragma once

#include <vector>

#include "collsched/cost/concepts.hpp"
#include "model_option.hpp"
#include "options.hpp"
#include "shape_request.hpp"

/// The option --starts, the time at which each rank begins.
class starts_option {
  public:
    explicit starts_option(CLI::App& command);

    bool given() const { return file_.given(); }
    /// Returns the start times in picoseconds, one per rank; empty if the option is not given. Throws usage_error for a
    /// malformed file, for another number of ranks, and for a model without start times.
    std::vector<collsched::picoseconds> read(const rank_range& ranks, const any_model& model) const;

  private:
    text_option file_;
};
