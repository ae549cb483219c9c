#pragma once

#include <optional>
#include <string>

#include "collsched/core/neighborhood.hpp"
#include "options.hpp"

/// Who is whose neighbor, and which option said so.
struct given_neighbors {
    collsched::neighborhood lists;
    std::string option, text;
};

/// The options that describe a neighborhood: a Cartesian grid, or a file with lists.
class neighbor_options {
  public:
    explicit neighbor_options(CLI::App& command);
    /// Nothing if none was given.
    std::optional<given_neighbors> read() const;

  private:
    text_option dims_, periodic_, file_;
};
