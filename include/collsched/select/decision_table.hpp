#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "collsched/collective/algorithm_list.hpp"
#include "collsched/cost/picoseconds.hpp"
#include "collsched/verify/association_report.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// A row of a decision table: the algorithm with its parameters for the calls of a collective from a number of ranks, a
/// number of ranks per node and a size on. Plain data.
struct decision {
    struct free_parameter;  ///< a parameter that choose() sets and a row may set
    struct result;          ///< result of decide()

    /// The origin of a row.
    enum class source : std::uint8_t {
        stated,     ///< by the author of the table
        simulated,  ///< the cheapest under a cost model; `time` is its price
        measured    ///< the fastest of those that were run; `time` is the median
    };

    /// A call for which find_decision() searches a row.
    struct call {
        collsched::collective collective = collsched::collective::barrier;  ///< the collective
        rank_t ranks = 1;                                                   ///< number of ranks, 1 or more
        bytes_t bytes = 0;          ///< of the message, or of the blocks of all ranks together
        rank_t ranks_per_node = 1;  ///< largest number of these ranks on one node, 1 or more
        bool commutative = true;    ///< whether the operation is commutative; true for collectives without one
        association_class association = association_class::any;  ///< class that the brackets of a reduction must have
    };

    collsched::collective collective = collsched::collective::barrier;  ///< the collective
    rank_t ranks = 1;                                                   ///< smallest number of ranks
    rank_t ranks_per_node = 1;  ///< smallest number of ranks on the node with the most
    bytes_t bytes = 0;          ///< smallest size: of the message, or of the blocks of all ranks together
    bool commutative = false;   ///< whether the row is for commutative operations only
    /// any: the row is for all calls; else for calls that need this class or a lower one
    association_class association = association_class::any;
    const char* algorithm = "";              ///< name of the algorithm, such as "rabenseifner"
    std::int64_t segment = shape::as_it_is,  ///< bytes; shape::as_it_is: that of the request
        radix = shape::as_it_is,             ///< parameter `radix`; shape::as_it_is: the algorithm's default
        group = shape::as_it_is,             ///< parameter `group`; shape::as_it_is: the algorithm's default
        aggregate = shape::as_it_is,         ///< parameter `aggregate`; shape::as_it_is: the algorithm's default
        window = shape::as_it_is;            ///< parameter `window`; shape::as_it_is: the algorithm's default
    source origin = source::stated;          ///< origin of the row
    picoseconds time = 0,                    ///< time of the collective at the smallest ranks and size; 0: not given
        time_low = 0, time_high = 0;         ///< confidence interval of a measured time; 0: not given
    std::int64_t runs = 0;                   ///< number of measured runs

    /// Compares all members, the name of the algorithm by its characters.
    /// @param other  another row
    /// @return whether both rows are equal
    constexpr bool operator==(const decision& other) const {
        return same_calls(other) && bytes == other.bytes && same_choice(other) && origin == other.origin &&
               time == other.time && time_low == other.time_low && time_high == other.time_high && runs == other.runs;
    }
    /// Returns whether both rows have the same algorithm with the same values.
    /// @param other  another row
    constexpr bool same_choice(const decision& other) const {
        return detail::same_text(algorithm, other.algorithm) && segment == other.segment && radix == other.radix &&
               group == other.group && aggregate == other.aggregate && window == other.window;
    }
    /// Returns whether both rows are for the same calls, apart from their size.
    /// @param other  another row
    constexpr bool same_calls(const decision& other) const {
        return collective == other.collective && ranks == other.ranks && ranks_per_node == other.ranks_per_node &&
               commutative == other.commutative && association == other.association;
    }
    /// Returns whether the row may serve a call.
    /// @param request  a call
    constexpr bool fits(const call& request) const {
        return collective == request.collective && ranks <= request.ranks && ranks_per_node <= request.ranks_per_node &&
               bytes <= request.bytes && (request.commutative || !commutative) &&
               (association == association_class::any ||
                (request.association != association_class::any && request.association <= association));
    }
    /// Returns whether the row takes precedence over another that fits the same call and precedes it in the table: it
    /// has more ranks; or as many, and more ranks per node; or as many, and as many bytes or more. With the same values
    /// a row for commutative operations precedes one for all; then a row for all calls precedes one for a class, and
    /// this one for a higher class.
    /// @param other  another row
    constexpr bool precedes(const decision& other) const { return precedence() >= other.precedence(); }
    /// Returns the values by which rows that fit one call take precedence: the first that differs decides, and the larger
    /// one precedes.
    /// @return ranks, ranks per node, bytes, 1 for commutative operations only, and the class, negated
    constexpr std::array<std::int64_t, 5> precedence() const {
        return {ranks, ranks_per_node, bytes, commutative ? 1 : 0, -static_cast<std::int64_t>(association)};
    }
};

/// A parameter that choose() sets where a shape has shape::as_it_is, and that a row may set.
struct decision::free_parameter {
    const char* name;              ///< name of the parameter, as in parameters() of an algorithm
    std::int64_t shape::* value;   ///< the member of a shape with its value
    std::int64_t decision::* row;  ///< the member of a row with its value
};

/// All parameters that choose() sets, in the order in which it tries values.
inline constexpr std::array<decision::free_parameter, 5> free_parameters{
    {{"segment", &shape::segment, &decision::segment},
     {"group", &shape::group, &decision::group},
     {"radix", &shape::radix, &decision::radix},
     {"aggregate", &shape::aggregate, &decision::aggregate},
     {"window", &shape::window, &decision::window}}};

/// Returns the name of an origin, such as "measured".
/// @param origin  an origin
constexpr const char* name_of(decision::source origin) {
    constexpr const char* names[] = {"stated", "simulated", "measured"};
    return names[static_cast<int>(origin)];
}

/// Returns the calls that a row is for, such as "from 3 ranks, 2 per node and 1024 bytes, class canonical".
/// @param row  a row
inline std::string text_of(const decision& row) {
    std::string text = "from " + std::to_string(row.ranks) + (row.ranks == 1 ? " rank" : " ranks");
    if (row.ranks_per_node > 1) text += ", " + std::to_string(row.ranks_per_node) + " per node";
    text += " and " + std::to_string(row.bytes) + " bytes";
    if (row.association != association_class::any) text.append(", class ").append(name_of(row.association));
    return text;
}

/// Returns the row that takes precedence among those that fit a call; null if there is none. For a call that needs a
/// class of brackets only rows that state this class, or one that implies it, are taken; decide() proves the class, and
/// takes rows for all calls too. O(rows).
/// @param table  rows in any order; the last of equal rows takes precedence
/// @param call   the call
constexpr const decision* find_decision(std::span<const decision> table, const decision::call& call) {
    const decision* found = nullptr;
    for (const decision& row : table)
        if (row.fits(call) && (row.association >= call.association || !reduces(call.collective)) &&
            (found == nullptr || row.precedes(*found)))
            found = &row;
    return found;
}

namespace detail {

/// Returns a segment of whole elements, at least one: the largest that is not longer. Values that are no segment remain.
constexpr bytes_t whole_elements(bytes_t segment, bytes_t element) {
    if (segment <= 0 || element <= 1) return segment;
    return segment < element ? element : segment - segment % element;
}

}  // namespace detail

/// Returns the shape with the parameters of the decision. Segments become whole elements, at least one.
/// @param row         a row
/// @param parameters  the request
constexpr shape decided(const decision& row, shape parameters) {
    if (row.segment != shape::as_it_is) parameters.segment = detail::whole_elements(row.segment, parameters.element);
    for (const decision::free_parameter& parameter : free_parameters)
        if (parameter.row != &decision::segment) parameters.*parameter.value = row.*parameter.row;
    return parameters;
}

}}  // namespace collsched::COLLSCHED_ABI
