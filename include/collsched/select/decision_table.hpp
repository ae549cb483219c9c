#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "collsched/collective/algorithm_list.hpp"
#include "collsched/core/digits.hpp"
#include "collsched/cost/concepts.hpp"
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

namespace detail {

/// Returns the bytes of a message or of all blocks together; 0 for an invalid layout.
inline bytes_t total_bytes(const shape& parameters) {
    if (parameters.bytes > 0) return parameters.bytes;
    return parameters.block.check(parameters.ranks) ? 0 : parameters.block.prefix(parameters.ranks);
}

/// Returns the least radix in which the numbers below p have at most `digits` digits: ceil(p^(1 / digits)).
inline std::int64_t root_of(rank_t p, int digits) {
    std::int64_t radix = 2;
    while (ceil_log(radix, p) > digits) ++radix;
    return radix;
}

/// Returns candidate values of a parameter for the given sizes and ranks. The default of the algorithm is tried in
/// addition. Segments: none, and powers of two of bytes from the whole message down to 8, in whole elements, with at
/// most 4,096 segments per message, or 65,536 if there is a forest, whose trees divide it. Radices: small numbers,
/// powers of two, p and its roots. Groups: powers of two and divisors of p. Other parameters: powers of two. All but
/// segments ascend.
inline std::vector<std::int64_t> values_of(const decision::free_parameter& parameter, const shape& parameters) {
    std::vector<std::int64_t> values;
    const rank_t p = parameters.ranks;
    if (parameter.value == &shape::segment) {
        values.push_back(0);
        const bytes_t all = total_bytes(parameters);
        const bytes_t element = std::max<bytes_t>(1, parameters.element);
        bytes_t size = 8;
        while (size < all - size) size *= 2;
        const std::int64_t most = parameters.forest.value().trees.empty() ? 4096 : 65'536;
        for (; size >= 8 && size < all && all / size <= most; size /= 2)
            values.push_back(std::max(size - size % element, element));
    } else if (parameter.value == &shape::radix) {
        for (const std::int64_t k : {2, 3, 4, 5, 6, 7, 8, 12, 16, 32, 64})
            if (k <= p) values.push_back(k);
        if (p > 1) values.insert(values.end(), {p, root_of(p, 2), root_of(p, 3)});
        std::ranges::sort(values);
    } else if (parameter.value == &shape::group) {
        for (std::int64_t q = 1; q <= p; q *= 2) values.push_back(q);
        for (std::int64_t q = 1; q * q <= p; ++q)
            if (p % q == 0) values.insert(values.end(), {q, p / q});
        std::ranges::sort(values);
    } else if (parameter.value == &shape::aggregate) {
        for (std::int64_t a = 1; a < 2 * p; a *= 2) values.push_back(a);
    } else {
        values = {0, 1, 2};
        for (std::int64_t w = 4; w < p; w *= 2) values.push_back(w);
    }
    const auto duplicates = std::ranges::unique(values);
    values.erase(duplicates.begin(), duplicates.end());
    return values;
}

/// Makes the rows for the calls of one collective from one number of ranks and ranks per node, size by size.
class fastest_rows {
  public:
    explicit fastest_rows(std::vector<decision>& table) : table_(table) {}

    /// Adds rows for a size, the next larger one, if they differ from those before.
    /// @param timed  rows of this size, one or more
    void add(std::span<const decision* const> timed) {
        const decision *any = nullptr, *ordered = nullptr;
        for (const decision* row : timed) {
            if (any == nullptr || row->time < any->time) any = row;
            if (!row->commutative && (ordered == nullptr || row->time < ordered->time)) ordered = row;
        }
        if (ordered != nullptr && !is_last(ordered_, *ordered)) ordered_ = any_ = push(*ordered);
        if (!is_last(any_, *any)) any_ = push(*any);
        if (!any->commutative) ordered_ = any_;
        first_ = false;
    }

  private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    bool is_last(std::size_t last, const decision& row) const { return last != none && table_[last].same_choice(row); }
    /// Adds a row. The rows of the smallest size serve all smaller calls.
    std::size_t push(const decision& row) {
        table_.push_back(row);
        if (first_) table_.back().bytes = 0;
        return table_.size() - 1;
    }

    std::vector<decision>& table_;
    std::size_t any_ = none, ordered_ = none;  // rows that serve commutative operations, and all others
    bool first_ = true;
};

}  // namespace detail

/// Returns a decision table of the fastest of measured or priced rows. For each number of ranks, ranks per node, class of
/// the brackets and size it has the fastest row; and the fastest one that keeps the order of operands, if the former requires a commutative operation. A
/// row equal to that before it is left out. The rows of the smallest size apply from 0 bytes on. O(n log n).
/// @param timed  rows in any order, several for a size; `bytes` is the size, `time` the median or price
/// @return the table, by collective, ranks, ranks per node, class and size
inline std::vector<decision> fastest_decisions(std::span<const decision> timed) {
    const auto group = [](const decision* row) {
        return std::tuple(row->collective, row->ranks, row->ranks_per_node, row->association);
    };
    std::vector<const decision*> rows;
    for (const decision& row : timed) rows.push_back(&row);
    std::ranges::sort(rows, {}, [&](const decision* row) { return std::tuple(group(row), row->bytes, row); });
    std::vector<decision> table;
    for (std::size_t begin = 0; begin < rows.size();) {
        detail::fastest_rows fastest(table);
        const decision* const first = rows[begin];
        while (begin < rows.size() && group(rows[begin]) == group(first)) {
            std::size_t end = begin + 1;
            while (end < rows.size() && group(rows[end]) == group(first) && rows[end]->bytes == rows[begin]->bytes)
                ++end;
            fastest.add(std::span(rows).subspan(begin, end - begin));
            begin = end;
        }
    }
    return table;
}

}}  // namespace collsched::COLLSCHED_ABI
