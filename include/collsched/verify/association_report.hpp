#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "collsched/core/bits.hpp"
#include "collsched/schedule/contract.hpp"
#include "collsched/verify/verdict.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Class of the brackets of a reduction. Each class implies those before it.
enum class association_class : std::uint8_t {
    any,        ///< two ranks of an allreduce hold a result byte with different trees
    rank,       ///< all ranks that hold a result byte have the same tree for it
    position,   ///< all bytes of the result have one tree; scan and exscan: all bytes of a rank
    canonical,  ///< that tree is the canonical one
};

/// Returns the name of a class, such as "position".
/// @param level  a class
constexpr const char* name_of(association_class level) {
    constexpr const char* names[] = {"any", "rank", "position", "canonical"};
    return names[static_cast<int>(level)];
}

/// Returns the class that users name rank, position or canonical; nothing for other texts.
/// @param name  name of a class
constexpr std::optional<association_class> find_association_class(std::string_view name) {
    for (const association_class level :
         {association_class::rank, association_class::position, association_class::canonical})
        if (name == name_of(level)) return level;
    return std::nullopt;
}

/// Result of association(): the class of a schedule and, where the next class fails, two bytes of the result whose trees
/// differ.
struct association_report {
    /// A byte of a result: a rank, and an offset in its output.
    struct result_byte {
        rank_t rank = 0;   ///< rank that holds it
        bytes_t byte = 0;  ///< offset in bytes from the beginning of its output
        bool operator==(const result_byte&) const = default;
    };
    /// Classes of a reduction for any number of ranks.
    struct summary {
        association_class any_ranks = association_class::canonical;      ///< for every number of ranks that it accepts
        association_class powers_of_two = association_class::canonical;  ///< for those that are powers of two
        bool operator==(const summary&) const = default;
    };

    verdict proof{};                                   ///< verdict of verify(); where it is not ok(), level is any
    association_class level = association_class::any;  ///< the last class that the schedule has
    /// Where level is any or rank, `first` and `second` have different trees. Where it is position, both are a byte
    /// whose tree is not the canonical one.
    result_byte first{}, second{};

    /// Returns whether the schedule is correct and of this class.
    /// @param required  a class
    constexpr bool has(association_class required) const { return proof.ok() && level >= required; }
    bool operator==(const association_report&) const = default;
};

/// Returns how many ranks the first part of the canonical tree of n ranks has. The other part has the others, and both are
/// canonical.
/// @param kind  a reduction. scan, exscan: the largest power of two below n; others: ceil(n / 2)
/// @param n     number of ranks, 2 or more
constexpr rank_t canonical_split(collective kind, rank_t n) {
    return kind == collective::scan || kind == collective::exscan ? floor_power_of_two(n - 1) : n - n / 2;
}

namespace detail {

template <association_report Report, association_class Required>
constexpr bool prove_association() {
    static_assert(Report.has(Required),
                  "the schedule is not of this class: the template arguments are {{finding, step, rank, buffer, byte}, "
                  "class, {rank, byte}, {rank, byte}} and the class that is required");
    return Report.has(Required);
}

}  // namespace detail

/// True. For a report without the class that is required, a compile error whose message contains the report:
/// static_assert(reproducible<association(x), association_class::canonical>).
template <association_report Report, association_class Required>
inline constexpr bool reproducible = detail::prove_association<Report, Required>();

}}  // namespace collsched::COLLSCHED_ABI
