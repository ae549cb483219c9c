#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "collsched/execute/engine.hpp"
#include "node.hpp"
#include "report.hpp"
#include "selection.hpp"

namespace collsched::preload {

/// A plan for calls with equal keys.
struct prepared_plan {
    struct key {
        decision how;
        bytes_t element = 1;
        binding place = binding::separate;
    };

    key mine;
    std::vector<std::int64_t> numbers;  ///< counts, or own_blocks
    choice chosen;
    plan steps;                                ///< unless native
    std::uint32_t pattern = 0;                 ///< equal on ranks whose plans have matching messages
    std::optional<execution<route>> blocking;  ///< for blocking calls, which never overlap
    call_rows rows{};                          ///< of the report
};

/// Returns the bytes of a call in the report: those of its decision, or where a rank has its own counts alone the bytes
/// that it sends.
bytes_t bytes_of_report(const prepared_plan& one);

/// The part of a call that determines its plan.
struct call_to_plan {
    prepared_plan::key key;
    std::span<const std::int64_t> numbers;  ///< see prepared_plan
};

/// The rank and its communicator.
struct place_of_plan {
    const topology::placement& where;
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
    plan_store() = default;
    plan_store(const plan_store&) = delete;
    plan_store& operator=(const plan_store&) = delete;
    ~plan_store();

    /// Returns the plan for a call, made if there is none. The reference is valid until the next call.
    const std::shared_ptr<prepared_plan>& prepare(const call_to_plan& call, const place_of_plan& at);
    /// Gives up all plans.
    void clear();
    /// Gives up those that were not used for longest, until the others take up to `most` bytes.
    void trim(bytes_t most);

  private:
    struct entry {
        std::shared_ptr<prepared_plan> plan;
        std::uint64_t hash = 0;
        bytes_t memory = 0;
    };

    void forget_last();

    bytes_t memory_ = 0;
    std::list<entry> all_;  // most recently used first
    std::unordered_multimap<std::uint64_t, std::list<entry>::iterator> by_hash_;
};

}  // namespace collsched::preload
