#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/permutation.hpp"
#include "collsched/cost/cluster_model.hpp"
#include "collsched/schedule/any_schedule.hpp"
#include "collsched/topology/placement.hpp"
#include "collsched/tree/planned_forest.hpp"
#include "collsched/tree/planned_transfers.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Values for the parameters of any algorithm. make() copies the values whose names an algorithm has and ignores the
/// others.
struct shape {
    static constexpr std::int64_t as_it_is = INT64_MIN;  ///< the algorithm's own default

    rank_t ranks = 1;               ///< number of ranks p, 1 or more
    rank_t root = 0;                ///< root, 0 .. ranks-1
    block_layout block = 0;         ///< sizes and displacements of blocks, in bytes
    block_matrix matrix{};          ///< sizes of an irregular complete exchange; replaces block
    bytes_t bytes = 0;              ///< bytes m of the message or operand, 0 or more
    bytes_t element = 1;            ///< bytes of an element, 1 or more
    bytes_t segment = 0;            ///< largest size of a segment in bytes; 0: no segmentation
    std::int64_t radix = as_it_is;  ///< radix k, 2 or more
    rank_t group = as_it_is;        ///< ranks per group, 1 or more
    rank_t aggregate = as_it_is;    ///< most blocks per message, a power of two
    step_t window = as_it_is;       ///< pacing window in steps, 0 or more
    permutation order{};            ///< order in which groups of a complete exchange send
    neighborhood neighbors{};  ///< of neighborhood collectives; block has then the blocks of ranks, or of all out-slots
    topology::placement placement{};          ///< node of every rank
    cluster_model cluster{};                  ///< cluster for planned trees
    trees::planned_forest forest{};           ///< forest of a network
    trees::planned_forest reversed_forest{};  ///< forest of the network with reversed links, if it differs
    trees::planned_transfers transfers{};     ///< transfers that were matched to a network
    permutation numbering{};                  ///< for make_numbered(): the rank that rank v of the algorithm is

    /// Sets a parameter of an algorithm to the member of its type; the overloads are those of make().
    ///
    /// @param parameter  the parameter, of any type but an integer
    constexpr void give(const char*, block_layout& parameter) const { parameter = block; }
    /// @copydoc give(const char*, block_layout&) const
    constexpr void give(const char*, block_matrix& parameter) const {
        parameter = matrix.irregular() ? matrix : block_matrix(block);
    }
    /// @copydoc give(const char*, block_layout&) const
    constexpr void give(const char*, neighborhood& parameter) const { parameter = neighbors; }
    /// @copydoc give(const char*, block_layout&) const
    constexpr void give(const char*, slot_layout::gathered& parameter) const { parameter = {neighbors, block, ranks}; }
    /// @copydoc give(const char*, block_layout&) const
    constexpr void give(const char*, slot_layout::exchanged& parameter) const { parameter = {neighbors, block}; }
    /// @copydoc give(const char*, block_layout&) const
    constexpr void give(const char*, permutation& parameter) const { parameter = order; }
    /// @copydoc give(const char*, block_layout&) const
    constexpr void give(const char*, topology::placement& parameter) const { parameter = placement; }
    /// @copydoc give(const char*, block_layout&) const
    constexpr void give(const char*, cluster_model& parameter) const { parameter = cluster; }
    /// @copydoc give(const char*, block_layout&) const
    constexpr void give(const char* name, trees::planned_forest& parameter) const {
        parameter = detail::same_text(name, "reversed_forest") ? reversed_forest : forest;
    }
    /// @copydoc give(const char*, block_layout&) const
    constexpr void give(const char*, trees::planned_transfers& parameter) const { parameter = transfers; }
    /// Sets an integer parameter of an algorithm to the member of its name. Leaves it unchanged if no member has that
    /// name, or if the member is as_it_is.
    ///
    /// @param name       name of the parameter
    /// @param parameter  the parameter
    constexpr void give(const char* name, std::int64_t& parameter) const {
        constexpr struct {
            const char* name;
            std::int64_t shape::* value;
        } table[] = {{"ranks", &shape::ranks},     {"root", &shape::root},       {"bytes", &shape::bytes},
                     {"element", &shape::element}, {"segment", &shape::segment}, {"radix", &shape::radix},
                     {"group", &shape::group},     {"window", &shape::window},   {"aggregate", &shape::aggregate}};
        for (const auto& row : table)
            if (detail::same_text(row.name, name) && this->*row.value != as_it_is) parameter = this->*row.value;
    }
};

/// A description of an algorithm with its parameter names and a function that makes its schedule from a shape.
struct algorithm_entry {
    static constexpr std::size_t parameter_limit = 12;  ///< most parameters of an algorithm

    algorithm_info info;                                    ///< description of the algorithm
    std::array<const char*, parameter_limit> parameters{};  ///< names; null after the last
    any_schedule (*make)(const shape&) = nullptr;           ///< returns the schedule for a shape

    /// Returns whether the algorithm has a parameter of this name.
    ///
    /// @param parameter  a name, as in parameters() of an algorithm
    constexpr bool takes(const char* parameter) const {
        for (const char* name : parameters)
            if (name != nullptr && detail::same_text(name, parameter)) return true;
        return false;
    }
};

/// Returns the algorithm A with its parameters set from a shape.
///
/// @param values  values for its parameters; the others are ignored
template <algorithm A>
constexpr A make(const shape& values) {
    A result{};
    A::parameters(result, [&](const char* name, auto& parameter) { values.give(name, parameter); });
    return result;
}

/// Returns the entry of the algorithm A.
template <algorithm A>
constexpr algorithm_entry entry_of() {
    algorithm_entry entry{.info = A::info, .make = [](const shape& values) { return any_schedule(make<A>(values)); }};
    const A example{};
    std::size_t n = 0;
    A::parameters(example, [&](const char* name, const auto&) { entry.parameters[n++] = name; });
    return entry;
}

template <described... Algorithms>
struct algorithm_list;

namespace detail {

template <class... Lists>
struct joined;
template <class List>
struct joined<List> {
    using type = List;
};
template <class... A, class... B, class... Rest>
struct joined<algorithm_list<A...>, algorithm_list<B...>, Rest...> : joined<algorithm_list<A..., B...>, Rest...> {};

/// The concatenation of lists.
template <class... Lists>
using joined_lists = typename joined<Lists...>::type;

}  // namespace detail

/// A list of algorithms, as types at compile time and as entries at run time.
template <described... Algorithms>
struct algorithm_list {
    /// Calls f.template operator()<A>() for every algorithm A.
    ///
    /// @param f  callable with one template parameter, a type
    static constexpr void for_each(auto f) { (f.template operator()<Algorithms>(), ...); }

    /// Entries of the algorithms, in the order of the list.
    static constexpr std::array<algorithm_entry, sizeof...(Algorithms)> entries{entry_of<Algorithms>()...};

    /// The algorithms of one collective. Compile time is proportional to the length of this list only.
    template <collective Collective>
    using of =
        detail::joined_lists<algorithm_list<>, std::conditional_t<Algorithms::info.collective == Collective,
                                                                  algorithm_list<Algorithms>, algorithm_list<>>...>;
};

}}  // namespace collsched::COLLSCHED_ABI
