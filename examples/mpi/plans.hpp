#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "collsched/execute/engine.hpp"
#include "collsched/group/plan_cache.hpp"
#include "node.hpp"
#include "report.hpp"
#include "selection.hpp"

namespace collsched::preload {

/// The part of a call that determines its plan, its numbers aside.
struct plan_key {
    call_sizes how;
    bytes_t element = 1;
    binding place = binding::separate;
};

/// The part of a call that determines its plan.
struct call_to_plan {
    plan_key key{};
    std::span<const std::int64_t> numbers{};  ///< see prepared_plan

    bool is_of(const call_to_plan& other) const;
    std::uint64_t hash() const;
};

/// A plan for calls with equal keys.
struct prepared_plan {
    plan_key mine;
    std::vector<std::int64_t> numbers;                  ///< counts, or own_blocks
    choice::selection chosen;                           ///< its algorithm and reason; the schedule is given up
    bool native = false;                                ///< the MPI library executes the call
    rank_t nodes = 0;                                   ///< of the placement that the algorithm takes; 0: it takes none
    plan steps;                                         ///< unless native
    std::uint32_t pattern = 0;                          ///< equal on ranks whose plans have matching messages
    std::optional<execution<call_transport>> blocking;  ///< for blocking calls, which never overlap
    call_rows rows{};                                   ///< of the report
};

/// Returns the bytes of a call in the report: those of its sizes, or where a rank has its own counts alone the bytes
/// that it sends.
bytes_t bytes_of_report(const prepared_plan& one);

/// The rank and its communicator.
struct place_of_plan {
    const topology::placement& where;           ///< node of every rank, for tables; empty: unknown
    const wishes* by_info = nullptr;            ///< algorithms by info keys; null: none
    const ranks_on_cluster* cluster = nullptr;  ///< of COLLSCHED_CLUSTER; null: none
    int rank = 0;
    std::int64_t messages_a_pair = 0;  ///< at most, in one plan
    bool shared = false;               ///< all ranks share the memory of a node
};

/// The plans of a communicator. The plans of all communicators together are kept within a limit of memory: each gives
/// up those that it has not used for longest.
class plan_store {
  public:
    plan_store();

    /// Returns the plan for a call, made if there is none. The reference is valid until the next call.
    const std::shared_ptr<prepared_plan>& prepare(const call_to_plan& call, const place_of_plan& at);
    /// Gives up all plans.
    void clear() { plans_.trim(0); }
    /// Gives up those that were not used for longest, until the others take up to `most` bytes.
    void trim(bytes_t most) { plans_.trim(most); }

  private:
    struct shared_plan {
        call_to_plan key;
        std::shared_ptr<prepared_plan> plan;

        bytes_t footprint() const;
    };

    /// Memory of the plans of all communicators together, beyond which each keeps only the one of its last call.
    static ::collsched::plan_cache<shared_plan>::budget all_plans;

    ::collsched::plan_cache<shared_plan> plans_;
};

}  // namespace collsched::preload
