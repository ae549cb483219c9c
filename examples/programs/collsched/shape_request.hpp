#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "catalogue.hpp"
#include "cluster_options.hpp"
#include "collsched/schedule/any_schedule.hpp"
#include "given_network.hpp"
#include "neighbor_options.hpp"
#include "numbering_option.hpp"
#include "options.hpp"
#include "text_table.hpp"
#include "usage_error.hpp"

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
    std::optional<given_numbering> numbering;
    std::string placement;
    std::optional<collsched::cluster::rank_hosts> hosts;  ///< in place of `placement`, without a cluster
    collsched::binding how = collsched::binding::separate;
    std::optional<placed_cluster> cluster;
    bool cluster_serves_model = false;  ///< schedules then need not take it
    std::optional<given_network> network;
    bool network_serves_model = false;             ///< schedules then need not take its forests
    std::vector<collsched::edge_path> file_paths;  ///< of the edges of `file`, in canonical order; empty: none

    bool has_counts() const { return !counts.empty(); }
    /// Calls f for the schedules of the name on all requested numbers of ranks. For "all", schedules that do not
    /// support p ranks are skipped; otherwise they are errors.
    void for_each(const std::function<void(const std::string& name, const collsched::any_schedule&)>& f) const;
    /// Calls f for the schedules of the name on the largest requested number of ranks, in the same way.
    void for_each_largest(const std::function<void(const std::string& name, const collsched::any_schedule&)>& f) const;
    /// Returns the length of the longest name that for_each() passes.
    std::size_t longest_name() const;
    /// Returns the paths of the edges of a schedule through the network: those of the file, or of the forest; empty: none.
    collsched::link_queue_model::router paths_of(const collsched::any_schedule& s) const;
    /// Returns the names of the paths of the edges of make_one(), for JSON; empty: none.
    collsched::edge_path::names path_names(const collsched::any_schedule& s) const;
    /// Returns the schedule, bound in place if --in-place was given.
    collsched::any_schedule as_bound(collsched::any_schedule made) const;
    /// Returns the schedule of the name on the only requested number of ranks.
    named_any_schedule make_one() const;
    /// Returns the schedules of the name. For "all" or a collective these are the schedules that take every given
    /// option and require no other.
    std::vector<listed_schedule> select() const;
    /// Returns the option that keeps every schedule of the collective from the request, if it is the same one.
    std::optional<std::string> untaken_option() const;
    /// Returns the shape of a schedule on p ranks. Throws usage_error for options that it does not take or that are
    /// missing.
    collsched::shape shape_for(const listed_schedule& which, collsched::rank_t p) const;

  private:
    collsched::any_schedule make(const listed_schedule& which, collsched::rank_t p) const;
    /// Returns the schedule in the file.
    collsched::any_schedule from_file() const;
    /// Returns the error of a schedule, attributed to an option.
    usage_error mistake(const collsched::argument_error& wrong, collsched::rank_t p) const;
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

/// Returns a table with the columns schedule and ranks, wide enough for all schedules of the request, and more columns.
text_table schedule_table(const shape_request& shape, std::vector<text_table::column> more);
