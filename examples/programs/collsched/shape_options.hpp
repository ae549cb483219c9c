#pragma once

#include "cluster_options.hpp"
#include "neighbor_options.hpp"
#include "given_network.hpp"
#include "options.hpp"
#include "shape_request.hpp"

/// NAME, and the options that select a schedule of an algorithm.
class shape_options {
  public:
    /// The accepted arguments of a command: one number of ranks, a range, a range with the name "all", or a collective
    /// with one number.
    enum class takes { one_p, range, range_of_all, collective };

    shape_options(CLI::App& command, takes what);
    shape_request read() const;

  private:
    collsched::rank_t ranks_of_options(const shape_request& shape, collsched::rank_t rows) const;
    bool takes_one() const { return what_ == takes::one_p || what_ == takes::collective; }
    /// Reads the options that determine the number of ranks. Throws usage_error if they differ.
    void read_ranks(shape_request& shape) const;
    /// Reads the options with one number each, and the displacements.
    void read_numbers_of(shape_request& shape) const;
    /// Reads the schedule of @FILE. Other options must not describe it.
    void read_file(shape_request& shape) const;

    takes what_;
    text_option name_, ranks_, root_, block_, bytes_, counts_, displs_, matrix_, element_, segment_, radix_, group_,
        aggregate_, order_, numbering_, window_;
    flag_option in_place_;
    cluster_options cluster_;
    planning_options network_;
    neighbor_options neighbors_;
};
