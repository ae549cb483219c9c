#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collsched/execute/plan_buffers.hpp"
#include "collsched/execute/plan.hpp"
#include "collsched/group/collective_call.hpp"
#include "collsched/group/plan_cache.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The part of a call that determines its plan on one rank. Refers to the arrays of the call.
class call_key {
  public:
    /// Key of no call.
    call_key() = default;
    explicit call_key(const collective_call& call)
        : kind_(kind_of(call)),
          root_(root_of(call)),
          bytes_(call.bytes),
          value_(call.value),
          graph_(graph_of(call)),
          numbers_(numbers_of(call)) {}

    /// Returns whether it is the key of a call. O(1), or O(numbers) for irregular calls.
    bool is_of(const collective_call& call) const {
        const std::int64_t different =
            (kind_ ^ kind_of(call)) | (root_ ^ root_of(call)) | (bytes_ ^ call.bytes) | (value_ ^ call.value);
        return different == 0 && (call.neighbors == nullptr || graph_ == graph_of(call)) &&
               (!call.is_irregular() || same_numbers(numbers_of(call)));
    }

    /// Returns a hash. O(1), or O(numbers) for irregular calls.
    std::uint64_t hash() const {
        std::uint64_t mixed = 0;
        const auto mix = [&](std::int64_t word) {
            mixed = (std::rotl(mixed, 29) ^ static_cast<std::uint64_t>(word)) * 0x9e3779b97f4a7c15U;
        };
        for (const std::int64_t word : {kind_, root_, bytes_, value_}) mix(word);
        mix(static_cast<std::int64_t>(std::bit_cast<std::uintptr_t>(graph_)));
        if (!numbers_[0].empty())
            for (const auto& numbers : numbers_) {
                mix(std::ssize(numbers));
                for (const std::int64_t number : numbers) mix(number);
            }
        return mixed ^ mixed >> 32;
    }
    /// Copies the arrays into memory that outlives the call, and refers to them there.
    void keep_numbers(std::vector<std::int64_t>& memory) {
        for (const auto& numbers : numbers_) memory.insert(memory.end(), numbers.begin(), numbers.end());
        std::size_t at = 0;
        for (auto& numbers : numbers_) {
            numbers = std::span(memory).subspan(at, numbers.size());
            at += numbers.size();
        }
    }

  private:
    using arrays = std::array<std::span<const std::int64_t>, 4>;

    static std::int64_t kind_of(const collective_call& call) {
        return static_cast<std::int64_t>(call.collective) | static_cast<std::int64_t>(call.binding) << 8 |
               static_cast<std::int64_t>(call.sizes) << 16 | std::int64_t{call.op.commutative} << 24;
    }
    /// Collectives of neighbors have no root, and the size of the output may determine that of a block.
    static std::int64_t root_of(const collective_call& call) {
        return call.neighbors == nullptr ? call.root : std::ssize(call.output);
    }
    static const void* graph_of(const collective_call& call) {
        return call.neighbors == nullptr ? nullptr : call.neighbors->identity();
    }
    static arrays numbers_of(const collective_call& call) {
        if (!call.is_irregular()) return {};
        return {call.blocks.counts, call.blocks.displs, call.received.counts, call.received.displs};
    }
    bool same_numbers(const arrays& other) const {
        for (std::size_t i = 0; i < numbers_.size(); ++i)
            if (!std::ranges::equal(numbers_[i], other[i])) return false;
        return true;
    }

    std::int64_t kind_ = -1, root_ = 0, bytes_ = 0, value_ = 0;
    const void* graph_ = nullptr;  // of a neighborhood that the plan holds too
    arrays numbers_{};
};

/// A plan for calls with equal keys, and its runs.
template <class Run>
struct cached_plan {
    call_key key;
    std::vector<std::int64_t> numbers{};  ///< of the key
    neighborhood neighbors{};             ///< keeps the graph of the key
    plan steps{};
    std::string reason{};                      ///< why the schedule was chosen
    bytes_t input = 0, output = 0;             ///< bytes that the memory of a call has at least
    bytes_t input_at = 0, output_at = 0;       ///< offsets of the buffers of the plan in that memory
    std::vector<std::unique_ptr<Run>> runs{};  ///< all, in use or not
    Run* idle = nullptr;                       ///< first of those that are not in use; the others follow by `next`
    bytes_t copied_bytes = 0;                  ///< bytes of input that a start copies: the plan overwrites it too early
    bool compares = true;                      ///< the schedule is equal on all ranks

    /// Returns the bytes of the plan, its runs aside.
    bytes_t footprint() const {
        return static_cast<bytes_t>(sizeof(*this) - sizeof(plan) + numbers.size() * sizeof(std::int64_t)) +
               steps.footprint();
    }
    /// Returns the addresses of the plan's buffers within the memory of a call, which has the sizes of this plan.
    plan::buffers buffers(const collective_call& call) const {
        plan::buffers bound;
        bound.input = call.input.data() + input_at;
        bound.output = call.output.data() + output_at;
        return bound;
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
