#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collsched/format/schedules/read_json_lines.hpp"
#include "collsched/core/permutation.hpp"
#include "collsched/format/schedules/write_json_lines.hpp"
#include "collsched/schedule/any_schedule.hpp"
#include "collsched/select/choice.hpp"
#include "collsched/simulate/link_queue_model.hpp"
#include "collsched/simulate/simulation.hpp"
#include "collsched/tree/planned_forest.hpp"
#include "network_option.hpp"

/// The network of --network, with the forests that were packed for it. Copies share the forests.
class given_network {
  public:
    /// @param trees  sum of the weights of the trees of a root, 0: as much as the bound needs
    explicit given_network(read_network_file read, std::int64_t trees = 0) : read_(std::move(read)), trees_(trees) {}

    const read_network_file& file() const { return read_; }
    collsched::rank_t ranks() const { return read_.net.ranks(); }
    /// Returns the sum of the weights of the trees of a root, 0: as much as the bound needs.
    std::int64_t trees() const { return trees_; }

    /// Returns the forest of a collective: trees of the root, or of all ranks; for reductions, those of the network with
    /// reversed links. Packs each forest once. Throws usage_error if that fails.
    collsched::trees::planned_forest forest(collsched::collective what, collsched::rank_t root) const;

    /// Returns the forest of the reduction in an allreduce; that of one rank if the network equals its reverse, so that
    /// forest() serves. Throws usage_error as forest() does.
    collsched::trees::planned_forest reversed_forest() const;

    /// Returns the transfers of an allgather or a reduce_scatter of these blocks: those of 1 to 16 parts
    /// per rank that complete first, of those that end_plans() leaves time for. Matches each size once. Throws usage_error
    /// if that fails.
    collsched::trees::planned_transfers transfers(collsched::collective what,
                                                  const collsched::block_layout& blocks) const;
    /// Adds the plan that an algorithm needs to its parameters, or nothing. Throws usage_error if it cannot be made.
    void plan(const collsched::algorithm_entry& entry, collsched::shape& parameters) const;
    /// The algorithms without a plan: those that the end of the time leaves out, and the first usage_error of the others.
    struct left_out {
        std::vector<const collsched::algorithm_entry*> late;
        std::exception_ptr failure;
    };
    /// Adds the plans of all algorithms of a list for the collective of a request.
    left_out plan(collsched::choice::request& request, std::span<const collsched::algorithm_entry> list) const;
    /// Sets the end of the time for plans. A plan that has begun is completed.
    void end_plans(std::function<bool()> is_over) { is_over_ = std::move(is_over); }
    /// Returns the ranks in the order of a cycle of neighbors. Throws usage_error if none is found.
    collsched::permutation cycle() const;
    /// Lets the links be occupied for latencies too, in transfers and simulated runs.
    void occupy_latencies(bool occupied) { latency_occupies_ = occupied; }

    /// Returns the model of the links, with the paths of a schedule.
    collsched::link_queue_model model(const collsched::link_queue_model::router& paths) const {
        return {read_.net, paths, latency_occupies_};
    }
    /// Simulates a schedule on the links. Throws usage_error for two ranks without a path.
    collsched::simulation simulated(const collsched::any_schedule& s, const collsched::link_queue_model::router& paths,
                                    const collsched::simulation::conditions& when) const;
    /// Returns the paths of a schedule: those of a forest or of transfers if every edge between two ranks is one of
    /// them. Otherwise empty.
    collsched::link_queue_model::router paths(const collsched::any_schedule& s) const;
    /// Returns the names of these paths, for JSON; empty if the network has no switches or the schedule no paths.
    collsched::edge_path::names path_names(const collsched::any_schedule& s) const;
    /// Returns a router over paths of a file, which are those of the edges in canonical order. Throws usage_error with
    /// file and line for an unknown vertex, and for a path that does not lead over links from src to dst.
    collsched::link_queue_model::router paths(const collsched::any_schedule& s,
                                              const std::vector<collsched::edge_path>& read,
                                              const std::string& file) const;

  private:
    read_network_file read_;
    std::int64_t trees_;
    std::function<bool()> is_over_;
    /// Plans by direction, true for reductions, and by root or by bytes of the largest block.
    template <class Plan>
    using plans = std::shared_ptr<std::map<std::pair<bool, std::int64_t>, Plan>>;
    plans<collsched::trees::planned_forest> packed_ = std::make_shared<decltype(packed_)::element_type>();
    plans<collsched::trees::planned_transfers> matched_ = std::make_shared<decltype(matched_)::element_type>();
    bool latency_occupies_ = false;
};

/// The options --network, --without and --trees of commands with schedules that are planned for networks.
class planning_options {
  public:
    explicit planning_options(CLI::App& command);
    /// Returns nothing without --network. Throws usage_error for the others without it, and for a malformed file.
    std::optional<given_network> read() const;
    /// Returns the given options and their values, such as " --network network.json".
    std::string text() const;

  private:
    network_option network_;
    text_option trees_;
};
