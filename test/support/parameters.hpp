#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "collsched/collective/algorithm_list.hpp"
#include "collsched/schedule/fingerprint.hpp"

namespace support {

using namespace collsched;

/// A parameter with a default of its own.
struct own_default {
    const char* name;
    std::int64_t value;
};

/// The names that parameters() of an algorithm lists.
struct named_members {
    struct row {
        const char* name;
        const void* member;
    };
    std::array<row, algorithm_entry::parameter_limit> rows{};
    std::size_t count = 0;

    constexpr bool has(const char* name) const {
        for (std::size_t i = 0; i < count; ++i)
            if (detail::same_text(rows[i].name, name)) return true;
        return false;
    }
    constexpr bool has(const char* name, const void* member) const {
        for (std::size_t i = 0; i < count; ++i)
            if (detail::same_text(rows[i].name, name)) return rows[i].member == member;
        return false;
    }
};

/// Whether the members that algorithms share have their names.
template <class Algorithm>
constexpr bool shared_members_named(const Algorithm& a, const named_members& named) {
    bool all = named.has("ranks", &a.ranks);
    if constexpr (requires { a.root; }) all = all && named.has("root", &a.root);
    if constexpr (requires { a.block; }) all = all && named.has("block", &a.block);
    if constexpr (requires { a.bytes; }) all = all && named.has("bytes", &a.bytes);
    if constexpr (requires { a.element; }) all = all && named.has("element", &a.element);
    if constexpr (requires { a.segment; }) all = all && named.has("segment", &a.segment);
    if constexpr (requires { a.radix; }) all = all && named.has("radix", &a.radix);
    if constexpr (requires { a.group; }) all = all && named.has("group", &a.group);
    if constexpr (requires { a.aggregate; }) all = all && named.has("aggregate", &a.aggregate);
    if constexpr (requires { a.window; }) all = all && named.has("window", &a.window);
    if constexpr (requires { a.order; }) all = all && named.has("order", &a.order);
    if constexpr (requires { a.neighbors; }) all = all && named.has("neighbors", &a.neighbors);
    if constexpr (requires { a.placement; }) all = all && named.has("placement", &a.placement);
    if constexpr (requires { a.cluster; }) all = all && named.has("cluster", &a.cluster);
    if constexpr (requires { a.transfers; }) all = all && named.has("transfers", &a.transfers);
    if constexpr (requires { a.forest; }) all = all && named.has("forest", &a.forest);
    return all;
}

/// Whether parts() visits the parts of an algorithm.
template <class Algorithm>
constexpr bool parts_visited(const Algorithm& a) {
    const auto visited = [&](const auto& member) {
        bool found = false;
        detail::parts_of(a, [&]<class Part>(const Part& part) {
            if constexpr (std::is_same_v<const Part&, decltype(member)>) found = found || &part == &member;
        });
        return found;
    };
    bool all = true;
    if constexpr (requires { a.inner; }) all = all && visited(a.inner);
    if constexpr (requires { a.outer; }) all = all && visited(a.outer);
    if constexpr (requires { a.inner_gather; }) all = all && visited(a.inner_gather);
    if constexpr (requires { a.inner_scatter; }) all = all && visited(a.inner_scatter);
    if constexpr (requires { a.inner_broadcast; }) all = all && visited(a.inner_broadcast);
    return all;
}

/// Whether parameters() names every member, parts() visits every algorithm that this one is made of, and the default values
/// are one rank, elements of one byte and zero for all other parameters, except for `own`.
template <class Algorithm>
constexpr bool has_parameters(std::initializer_list<own_default> own = {}) {
    const Algorithm made{};
    named_members named;
    bool as_expected = true;
    Algorithm::parameters(made, [&]<class T>(const char* name, const T& value) {
        T expected{};
        if constexpr (std::is_same_v<T, std::int64_t>) {
            const shape conventional{.radix = 0, .group = 0, .aggregate = 0, .window = 0};
            conventional.give(name, expected);
            for (const own_default& other : own)
                if (detail::same_text(other.name, name)) expected = other.value;
        }
        as_expected = as_expected && value == expected;
        named.rows[named.count++] = {name, &value};
    });
    for (const own_default& other : own) as_expected = as_expected && named.has(other.name);
    return as_expected && shared_members_named(made, named) && parts_visited(made);
}

}  // namespace support
