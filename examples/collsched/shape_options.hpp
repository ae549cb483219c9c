#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "catalogue.hpp"
#include "cluster_options.hpp"
#include "collsched/schedule/any_schedule.hpp"
#include "neighbor_options.hpp"
#include "options.hpp"
#include "usage_error.hpp"

/// The numbers of ranks first .. last.
struct rank_range {
    collsched::rank_t first = 1, last = 1;
};

/// Reads "P" or "A..B"; the default is first..last.
rank_range read_rank_range(const text_option& option, collsched::rank_t first, collsched::rank_t last);

/// A schedule and its name.
struct named_any_schedule {
    std::string name;
    collsched::any_schedule schedule;
};

/// The values of NAME and of the shape options, checked as far as possible without a schedule.
struct shape_request {
    std::string name;                        ///< as given
    std::optional<named_any_schedule> file;  ///< the schedule of @FILE
    rank_range ranks;
    collsched::bytes_t element = 1;
    std::optional<collsched::bytes_t> block, bytes;
    std::vector<collsched::bytes_t> counts, displs;
    std::optional<collsched::block_matrix> matrix;
    std::string matrix_file;
    std::optional<given_neighbors> neighbors;
    std::optional<std::int64_t> root, segment, radix, group, aggregate, window;
    std::vector<collsched::rank_t> order;
    std::string placement;
    collsched::binding how = collsched::binding::separate;
    std::optional<placed_cluster> cluster;
    bool cluster_serves_model = false;  ///< schedules then need not take it

    bool has_counts() const { return !counts.empty(); }
    /// Calls f for the schedules of the name on all requested numbers of ranks. For "all", schedules that do not
    /// support p ranks are skipped; otherwise they are errors.
    void for_each(const std::function<void(const std::string& name, const collsched::any_schedule&)>& f) const;
    /// Returns the schedule, bound in place if --in-place was given.
    collsched::any_schedule as_bound(collsched::any_schedule made) const;
    /// Returns the schedule of the name on the only requested number of ranks.
    named_any_schedule make_one() const;
    /// Returns the schedules of the name. For "all" or a collective these are the schedules that take every given
    /// option and require no other.
    std::vector<listed_schedule> select() const;
    /// Returns the shape of a schedule on p ranks. Throws usage_error for options that it does not take or that are
    /// missing.
    collsched::shape shape_for(const listed_schedule& which, collsched::rank_t p) const;

  private:
    collsched::any_schedule make(const listed_schedule& which, collsched::rank_t p) const;
    /// Returns the schedule in the file.
    collsched::any_schedule from_file() const;
    /// Returns the error of a schedule, attributed to an option.
    usage_error mistake(const collsched::argument_error& wrong) const;
    collsched::any_schedule made(const listed_schedule& which, collsched::rank_t p) const;
    collsched::block_layout layout(collsched::rank_t p) const;
    /// The first given option that the schedule does not take: its name and value.
    struct surplus_option {
        std::string name, value;
    };
    std::optional<surplus_option> surplus(const listed_schedule& which) const;
    /// The required number of sizes in --counts, and their meaning.
    struct counted_things {
        std::int64_t number = 0;
        std::string each;
    };
    counted_things counted(const listed_schedule& which, collsched::rank_t p) const;
};

/// NAME, and the options that select a schedule of an algorithm.
class shape_options {
  public:
    /// The accepted arguments of a command: one number of ranks, a range, a range with the name "all", or a collective
    /// with one number.
    enum class takes { one_p, range, range_of_all, collective };

    shape_options(CLI::App& command, takes what);
    shape_request read() const;

  private:
    collsched::rank_t ranks_told(const shape_request& shape, collsched::rank_t rows) const;
    bool takes_one() const { return what_ == takes::one_p || what_ == takes::collective; }
    /// Reads the schedule of @FILE. Other options must not describe it.
    void read_file(shape_request& shape) const;

    takes what_;
    text_option name_, ranks_, root_, block_, bytes_, counts_, displs_, matrix_, element_, segment_, radix_, group_,
        aggregate_, order_, window_;
    flag_option in_place_;
    cluster_options cluster_;
    neighbor_options neighbors_;
};
