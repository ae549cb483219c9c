#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collsched/core/permutation.hpp"
#include "collsched/format/write_json_lines.hpp"
#include "collsched/schedule/any_schedule.hpp"
#include "collsched/simulate/link_queue_model.hpp"
#include "collsched/tree/planned_forest.hpp"
#include "collsched/tree/planned_transfers.hpp"
#include "network_option.hpp"

/// The network of --network, with the forests that were packed for it. Copies share the forests.
class given_network {
  public:
    explicit given_network(read_network_file read) : read_(std::move(read)) {}

    const read_network_file& file() const { return read_; }
    collsched::rank_t ranks() const { return read_.net.ranks(); }

    /// Returns the forest of a collective: trees of the root, or of all ranks; for reductions, those of the network with
    /// reversed links. Packs each forest once. Throws usage_error if that fails.
    collsched::trees::planned_forest forest(collsched::collective what, collsched::rank_t root) const;

    /// Returns the forest of the reduction in an allreduce; that of one rank if the network equals its reverse, so that
    /// forest() serves. Throws usage_error as forest() does.
    collsched::trees::planned_forest reversed_forest() const;

    /// Returns the transfers of an allgather or a reduce_scatter of these blocks: those of 1 to 16 parts
    /// per rank that complete first. Matches each size once. Throws usage_error if that fails.
    collsched::trees::planned_transfers transfers(collsched::collective what,
                                                  const collsched::block_layout& blocks) const;
    /// Returns the ranks in the order of a cycle of neighbors. Throws usage_error if none is found.
    collsched::permutation cycle() const;
    /// Lets the links be occupied for latencies too, in transfers and simulated runs.
    void occupy_latencies(bool occupied) { latency_occupies_ = occupied; }

    /// Returns the model of the links, with the paths of a schedule.
    collsched::link_queue_model model(const collsched::link_queue_model::router& paths) const {
        return {read_.net, paths, latency_occupies_};
    }
    /// Returns the paths of a schedule: those of a forest or of transfers if every edge between two ranks is one of
    /// them. Otherwise empty.
    collsched::link_queue_model::router paths(const collsched::any_schedule& s) const;
    /// Returns the names of these paths, for JSON; empty if the network has no switches or the schedule no paths.
    collsched::edge_path_names path_names(const collsched::any_schedule& s) const;
    /// Returns a router over paths of a file, which are those of the edges in canonical order. Throws usage_error for an
    /// unknown vertex.
    collsched::link_queue_model::router paths(const collsched::any_schedule& s,
                                              const std::vector<std::vector<std::string>>& names) const;

  private:
    read_network_file read_;
    /// Plans by direction, true for reductions, and by root or by bytes of the largest block.
    template <class Plan>
    using plans = std::shared_ptr<std::map<std::pair<bool, std::int64_t>, Plan>>;
    plans<collsched::trees::planned_forest> packed_ = std::make_shared<decltype(packed_)::element_type>();
    plans<collsched::trees::planned_transfers> matched_ = std::make_shared<decltype(matched_)::element_type>();
    bool latency_occupies_ = false;
};
