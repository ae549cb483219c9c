#pragma once

#include <optional>
#include <string>

#include "collsched/core/neighborhood.hpp"
#include "options.hpp"

/// A neighborhood, and the option that defines it.
struct given_neighbors {
    collsched::neighborhood lists;
    std::string option, text;
};

/// The options that describe a neighborhood: a Cartesian grid, or a file with lists.
class neighbor_options {
  public:
    explicit neighbor_options(CLI::App& command);
    /// Returns nothing if no option was given.
    std::optional<given_neighbors> read() const;

  private:
    text_option dims_, periodic_, file_;
};
