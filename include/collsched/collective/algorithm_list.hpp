#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/permutation.hpp"
#include "collsched/cost/lob.hpp"
#include "collsched/schedule/any_schedule.hpp"
#include "collsched/topology/placement.hpp"
#include "collsched/tree/planned_forest.hpp"

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
    std::int64_t radix = as_it_is;  ///< radix k, 2 or more; number of chains, 1 or more
    rank_t group = as_it_is;        ///< ranks per group, 1 or more
    rank_t aggregate = as_it_is;    ///< most blocks per message, a power of two
    step_t window = as_it_is;       ///< pacing window in steps, 0 or more
    permutation order{};            ///< order in which groups of a complete exchange send
    neighborhood neighbors{};  ///< of neighborhood collectives; block has then the blocks of ranks, or of all out-slots
    topology::placement placement{};          ///< node of every rank
    lob_model cluster{};                      ///< cluster for planned trees
    trees::planned_forest forest{};           ///< forest of a network
    trees::planned_forest reversed_forest{};  ///< forest of the network with reversed links, if it differs
    trees::planned_transfers transfers{};     ///< transfers that were matched to a network
    permutation numbering{};                  ///< for make_numbered(): the rank that rank v of the algorithm is

    /// Calls f(name, member) for the members that are parameters of algorithms, by their names there.
    /// @param f  callable, f(const char*, T shape::*)
    static constexpr void parameters(auto f) {
        f("ranks", &shape::ranks), f("root", &shape::root), f("block", &shape::block), f("bytes", &shape::bytes);
        f("element", &shape::element), f("segment", &shape::segment), f("radix", &shape::radix);
        f("group", &shape::group), f("aggregate", &shape::aggregate), f("window", &shape::window);
        f("order", &shape::order), f("neighbors", &shape::neighbors), f("placement", &shape::placement);
        f("cluster", &shape::cluster), f("forest", &shape::forest), f("reversed_forest", &shape::reversed_forest);
        f("transfers", &shape::transfers);
    }

    /// Sets a parameter of an algorithm to the member of its name and type. Leaves it unchanged if there is none, or if
    /// the member is as_it_is.
    /// @param name       name of the parameter
    /// @param parameter  the parameter
    template <class T>
    constexpr void give(const char* name, T& parameter) const {
        static_assert(is_listed<T>(), "no member of a shape has the type of this parameter");
        parameters([&]<class M>(const char* member_name, M shape::* member) {
            if constexpr (std::is_same_v<T, M>)
                if (detail::same_text(member_name, name) && !is_default(this->*member)) parameter = this->*member;
        });
    }
    /// Sets the sizes of a complete exchange to `matrix`, or to `block` if the matrix has no sizes.
    /// @param parameter  the parameter `block` of an algorithm
    constexpr void give(const char*, block_matrix& parameter) const {
        parameter = matrix.irregular() ? matrix : block_matrix(block);
    }
    /// Sets the slots of a neighborhood collective to the blocks of ranks.
    /// @param parameter  the parameter `block` of an algorithm
    constexpr void give(const char*, slot_layout::gathered& parameter) const { parameter = {neighbors, block, ranks}; }
    /// Sets the slots of a neighborhood collective to the blocks of all out-slots.
    /// @param parameter  the parameter `block` of an algorithm
    constexpr void give(const char*, slot_layout::exchanged& parameter) const { parameter = {neighbors, block}; }

  private:
    template <class T>
    static constexpr bool is_listed() {
        bool listed = false;
        parameters([&]<class M>(const char*, M shape::*) { listed = listed || std::is_same_v<T, M>; });
        return listed;
    }
    static constexpr bool is_default(std::int64_t value) { return value == as_it_is; }
    static constexpr bool is_default(const auto&) { return false; }
};

/// A description of an algorithm with its parameter names and a function that makes its schedule from a shape.
struct algorithm_entry {
    static constexpr std::size_t parameter_limit = 12;  ///< most parameters of an algorithm

    algorithm_info info;                                    ///< description of the algorithm
    std::array<const char*, parameter_limit> parameters{};  ///< names; null after the last
    any_schedule (*make)(const shape&) = nullptr;           ///< returns the schedule for a shape

    /// Returns whether the algorithm has the parameter that this member of a shape sets.
    ///
    /// @param member  a member that shape::parameters() lists, such as &shape::root
    template <class T>
    constexpr bool takes(T shape::* member) const {
        bool found = false;
        shape::parameters([&]<class M>(const char* name, M shape::* listed) {
            if constexpr (std::is_same_v<T, M>)
                if (listed == member) found = has(name);
        });
        return found;
    }

  private:
    constexpr bool has(const char* parameter) const {
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
