#pragma once

#include <type_traits>

#include "collsched/core/argument_error.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Converts to a member of any type.
struct any_member {
    template <class Member>
    operator Member() const;
};
/// Converts to a base class of A.
template <class A>
struct any_base {
    template <class Base>
        requires(std::is_base_of_v<Base, A> && !std::is_same_v<Base, A>)
    operator Base() const;
};

template <class A, class... Members>
constexpr int count_members() {
    if constexpr (requires { A{Members{}..., any_member{}}; }) return count_members<A, Members..., any_member>();
    else return static_cast<int>(sizeof...(Members));
}

/// Data members of an algorithm that named_members() can compare: an aggregate without bases, of at most 8 members.
template <class A>
constexpr int comparable_members() {
    if constexpr (std::is_aggregate_v<A> && !requires { A{any_base<A>{}}; }) {
        constexpr int members = count_members<A>();
        return members <= 8 ? members : 0;
    } else {
        return 0;
    }
}

/// Addresses of the parameters that parameters() of an algorithm, a tree or another part calls back with.
struct named_addresses {
    const void* of[64]{};
    int count = 0;

    constexpr void add(const auto& parameter) {
        if (count < 64) of[count++] = static_cast<const void*>(__builtin_addressof(parameter));
    }
    constexpr bool has(const void* address) const {
        for (int i = 0; i < count; ++i)
            if (of[i] == address) return true;
        return false;
    }
};

/// Parameters that a composition sets in its parts, from its own contract.
constexpr bool is_of_contract(const char* name) {
    constexpr const char* names[] = {"ranks", "root", "block", "bytes", "element", "neighbors"};
    for (const char* const set : names)
        if (same_text(name, set)) return true;
    return false;
}

/// Returns the number, from 0, of the first of these members that is neither named itself nor a part with only named
/// parameters; -1 if there is none. A member without state needs no name.
constexpr int first_unnamed(const named_addresses& named, const auto&... members) {
    int number = 0, found = -1;
    const auto check = [&]<class Member>(const Member& member) {
        bool is_named = std::is_empty_v<Member> || named.has(static_cast<const void*>(__builtin_addressof(member)));
        if constexpr (requires { Member::parameters(member, [](const char*, const auto&) {}); }) {
            bool all = true;
            Member::parameters(member, [&](const char* name, const auto& parameter) {
                all = all &&
                      (is_of_contract(name) || named.has(static_cast<const void*>(__builtin_addressof(parameter))));
            });
            is_named = is_named || all;
        }
        if (!is_named && found < 0) found = number;
        ++number;
    };
    (check(members), ...);
    return found;
}

template <int Members>
constexpr int first_unnamed_of(const named_addresses& named, const auto& a) {
    if constexpr (Members == 1) {
        const auto& [m0] = a;
        return first_unnamed(named, m0);
    } else if constexpr (Members == 2) {
        const auto& [m0, m1] = a;
        return first_unnamed(named, m0, m1);
    } else if constexpr (Members == 3) {
        const auto& [m0, m1, m2] = a;
        return first_unnamed(named, m0, m1, m2);
    } else if constexpr (Members == 4) {
        const auto& [m0, m1, m2, m3] = a;
        return first_unnamed(named, m0, m1, m2, m3);
    } else if constexpr (Members == 5) {
        const auto& [m0, m1, m2, m3, m4] = a;
        return first_unnamed(named, m0, m1, m2, m3, m4);
    } else if constexpr (Members == 6) {
        const auto& [m0, m1, m2, m3, m4, m5] = a;
        return first_unnamed(named, m0, m1, m2, m3, m4, m5);
    } else if constexpr (Members == 7) {
        const auto& [m0, m1, m2, m3, m4, m5, m6] = a;
        return first_unnamed(named, m0, m1, m2, m3, m4, m5, m6);
    } else if constexpr (Members == 8) {
        const auto& [m0, m1, m2, m3, m4, m5, m6, m7] = a;
        return first_unnamed(named, m0, m1, m2, m3, m4, m5, m6, m7);
    } else {
        return -1;
    }
}

/// Returns the number, from 0, of the first data member of an algorithm that neither parameters() nor parts() names; -1
/// if all are named.
template <class A>
constexpr int forgotten_member() {
    const A example{};
    named_addresses named;
    A::parameters(example, [&](const char*, const auto& parameter) { named.add(parameter); });
    const auto add = [&](const auto& part) { named.add(part); };
    if constexpr (requires { A::parts(example, add); }) A::parts(example, add);
    return first_unnamed_of<comparable_members<A>()>(named, example);
}

/// Compile error if parameters() of an algorithm omits a data member: values that differ only in it would have equal
/// fingerprints, and a cache of plans would confuse them.
template <class A, int Forgotten = forgotten_member<A>()>
struct names_every_member {
    static_assert(
        Forgotten < 0,
        "parameters(self, f) must call f(name, self.member) for every data member; the second template argument is "
        "the number, from 0, of the first member that it leaves out");
    static constexpr bool value = true;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
