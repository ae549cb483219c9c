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

struct rank_range {
    collsched::rank_t first = 1, last = 1;
};

/// "P" or "A..B"; first..last if not given.
rank_range read_rank_range(const text_option& option, collsched::rank_t first, collsched::rank_t last);

/// A schedule, and what it is called.
struct named_any_schedule {
    std::string name;
    collsched::any_schedule schedule;
};

/// What NAME and the options of a shape say, checked as far as it does not depend on a schedule.
struct shape_request {
    std::string name;                        ///< as it was given
    std::optional<named_any_schedule> file;  ///< what it names, if it is @FILE
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
    bool cluster_serves_model = false;  ///< so schedules need not take it

    bool has_counts() const { return !counts.empty(); }
    /// Calls f for the schedules of the name on all numbers of ranks asked for; of "all" without those that p ranks
    /// cannot do. What a schedule cannot do is a mistake.
    void for_each(const std::function<void(const std::string& name, const collsched::any_schedule&)>& f) const;
    /// The edges as they are where the input lies in the output, if that was asked for.
    collsched::any_schedule as_bound(collsched::any_schedule made) const;
    /// The schedule of the name on the one number of ranks that was asked for.
    named_any_schedule make_one() const;
    /// The schedules that the name stands for; of "all", or of a collective, those that take every option given, and need
    /// no other.
    std::vector<listed_schedule> select() const;
    /// What is asked of an algorithm on p ranks. What it does not take, or needs and was not given, is a mistake.
    collsched::shape wanted(const listed_schedule& which, collsched::rank_t p) const;

  private:
    collsched::any_schedule make(const listed_schedule& which, collsched::rank_t p) const;
    /// What the file holds.
    collsched::any_schedule from_file() const;
    /// What is wrong with the schedule, by the option that said so.
    usage_error mistake(const collsched::argument_error& wrong) const;
    collsched::any_schedule made(const listed_schedule& which, collsched::rank_t p) const;
    collsched::block_layout layout(collsched::rank_t p) const;
    /// The first option given that the schedule does not take: its name and value.
    struct surplus_option {
        std::string name, value;
    };
    std::optional<surplus_option> surplus(const listed_schedule& which) const;
    /// How many sizes --counts has to give, and of what.
    struct counted_things {
        std::int64_t number = 0;
        std::string each;
    };
    counted_things counted(const listed_schedule& which, collsched::rank_t p) const;
};

/// NAME, and the options that say which schedule of an algorithm is meant.
class shape_options {
  public:
    /// Whether a command takes one number of ranks or a range of them, and "all" for a name; or a collective and one
    /// number.
    enum class takes { one_p, range, range_of_all, collective };

    shape_options(CLI::App& command, takes what);
    shape_request read() const;

  private:
    collsched::rank_t ranks_told(const shape_request& shape, collsched::rank_t rows) const;
    bool takes_one() const { return what_ == takes::one_p || what_ == takes::collective; }
    /// NAME is @FILE: nothing else says what the schedule is.
    void read_file(shape_request& shape) const;

    takes what_;
    text_option name_, ranks_, root_, block_, bytes_, counts_, displs_, matrix_, element_, segment_, radix_, group_,
        aggregate_, order_, window_;
    flag_option in_place_;
    cluster_options cluster_;
    neighbor_options neighbors_;
};
