#pragma once

#include <concepts>
#include <variant>

#include "collsched/core/block_layout.hpp"
#include "collsched/core/block_matrix.hpp"
#include "collsched/core/neighborhood.hpp"
#include "collsched/core/slot_layout.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Blocks of a contract, in the form of its collective: none, a block_layout, a block_matrix, or the slots of a
/// neighborhood. The other forms are empty: reading one returns blocks without bytes.
class contract_blocks {
    // These are first, since clang evaluates a call in a constant only behind the definition of a template.
    struct neighbor_blocks {
        neighborhood neighbors;
        slot_layout slots;
        bool operator==(const neighbor_blocks&) const = default;
    };

    template <class Form>
    static constexpr Form empty{};

    template <class Form>
    constexpr const Form& get() const {
        return std::holds_alternative<Form>(held_) ? std::get<Form>(held_) : empty<Form>;
    }

  public:
    constexpr contract_blocks() = default;
    /// Returns no blocks. g++ 12 rejects the constructor as the initializer of a member of a constant.
    static constexpr contract_blocks none() { return {}; }
    template <std::integral Integer>
        requires(!std::same_as<Integer, bool>)
    constexpr contract_blocks(Integer block) : contract_blocks(block_layout(block)) {}
    constexpr contract_blocks(const block_layout& layout) : held_(layout) {}
    constexpr contract_blocks(const block_matrix& matrix) : held_(matrix) {}
    constexpr contract_blocks(const neighborhood& neighbors, const slot_layout& slots)
        : held_(neighbor_blocks{neighbors, slots}) {}

    constexpr contract_blocks(const contract_blocks&) = default;
    constexpr contract_blocks(contract_blocks&&) noexcept = default;
    /// Constructs the other form anew: clang rejects an assignment of a variant of g++ 12 in a constant.
    constexpr contract_blocks& operator=(contract_blocks other) noexcept {
        std::destroy_at(&held_);
        std::construct_at(&held_, static_cast<decltype(held_)&&>(other.held_));
        return *this;
    }
    constexpr ~contract_blocks() = default;

    constexpr const block_layout& layout() const { return get<block_layout>(); }
    constexpr const block_matrix& matrix() const { return get<block_matrix>(); }
    constexpr const neighborhood& neighbors() const { return get<neighbor_blocks>().neighbors; }
    constexpr const slot_layout& slots() const { return get<neighbor_blocks>().slots; }

    bool operator==(const contract_blocks&) const = default;

  private:
    std::variant<std::monostate, block_layout, block_matrix, neighbor_blocks> held_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
