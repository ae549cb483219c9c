#pragma once

#include <concepts>
#include <cstdint>
#include <span>  // has std::construct_at; <memory> would double the lines of this header
#include <utility>

#include "collsched/core/block_layout.hpp"
#include "collsched/core/block_matrix.hpp"
#include "collsched/core/neighborhood.hpp"
#include "collsched/core/slot_layout.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Blocks of a contract, in the form of its collective: none, a block_layout, a block_matrix, or the slots of a
/// neighborhood. The other forms are empty: reading one returns blocks without bytes.
///
/// A std::variant would cost each header 1,500 lines, and a proof at compile time 40 % more steps of clang.
class contract_blocks {
    enum class form : std::uint8_t { none, layout, matrix, neighbors };

    // The private part is first, since clang evaluates a call in a constant only behind the definition of a template.
    struct neighbor_blocks {
        neighborhood neighbors;
        slot_layout slots;
        bool operator==(const neighbor_blocks&) const = default;
    };

    template <class Form>
    static constexpr Form empty{};

    form form_ = form::none;
    union {
        char none_;
        block_layout layout_;
        block_matrix matrix_;
        neighbor_blocks neighbors_;
    };

    constexpr const neighbor_blocks& slots_or_none() const {
        return form_ == form::neighbors ? neighbors_ : empty<neighbor_blocks>;
    }

    /// Constructs the form of `other`, a reference to contract_blocks, where no form is held.
    template <class Other>
    constexpr void hold(Other&& other) {
        switch (other.form_) {
            case form::none: break;
            case form::layout: std::construct_at(&layout_, std::forward<Other>(other).layout_); break;
            case form::matrix: std::construct_at(&matrix_, std::forward<Other>(other).matrix_); break;
            case form::neighbors: std::construct_at(&neighbors_, std::forward<Other>(other).neighbors_); break;
        }
        form_ = other.form_;
    }

    /// Destroys the form that is held.
    constexpr void drop() {
        switch (form_) {
            case form::none: break;
            case form::layout: std::destroy_at(&layout_); break;
            case form::matrix: std::destroy_at(&matrix_); break;
            case form::neighbors: std::destroy_at(&neighbors_); break;
        }
        form_ = form::none;
    }

  public:
    constexpr contract_blocks() : none_() {}
    /// Returns no blocks. g++ 12 rejects the constructor as the initializer of a member of a constant.
    static constexpr contract_blocks none() { return {}; }
    template <std::integral Integer>
        requires(!std::same_as<Integer, bool>)
    constexpr contract_blocks(Integer block) : contract_blocks(block_layout(block)) {}
    constexpr contract_blocks(block_layout layout) : form_(form::layout), layout_(std::move(layout)) {}
    constexpr contract_blocks(block_matrix matrix) : form_(form::matrix), matrix_(std::move(matrix)) {}
    constexpr contract_blocks(neighborhood neighbors, slot_layout slots)
        : form_(form::neighbors), neighbors_{std::move(neighbors), std::move(slots)} {}

    constexpr contract_blocks(const contract_blocks& other) : none_() { hold(other); }
    constexpr contract_blocks(contract_blocks&& other) noexcept : none_() { hold(std::move(other)); }
    constexpr contract_blocks& operator=(contract_blocks other) noexcept {
        drop();
        hold(std::move(other));
        return *this;
    }
    constexpr ~contract_blocks() { drop(); }

    constexpr const block_layout& layout() const { return form_ == form::layout ? layout_ : empty<block_layout>; }
    constexpr const block_matrix& matrix() const { return form_ == form::matrix ? matrix_ : empty<block_matrix>; }
    constexpr const neighborhood& neighbors() const { return slots_or_none().neighbors; }
    constexpr const slot_layout& slots() const { return slots_or_none().slots; }

    constexpr bool operator==(const contract_blocks& other) const {
        return form_ == other.form_ && layout() == other.layout() && matrix() == other.matrix() &&
               slots_or_none() == other.slots_or_none();
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
