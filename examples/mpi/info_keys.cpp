#include "info_keys.hpp"

#include <array>
#include <cstdint>
#include <string_view>

#include "communicator_state.hpp"
#include "nearest_name.hpp"
#include "progress.hpp"

namespace collsched::preload {

namespace {

constexpr std::string_view key_prefix = "collsched_";

/// The texts of all functions; empty: no key.
using key_values = std::array<std::string, functions>;

std::string value_of(MPI_Info info, const std::string& key) {
    int length = 0, found = 0;
    PMPI_Info_get_valuelen(info, key.c_str(), &length, &found);
    if (found == 0 || length < 0 || length > MPI_MAX_INFO_VAL) return {};
    std::string value(static_cast<std::size_t>(length) + 1, '\0');
    PMPI_Info_get(info, key.c_str(), length, value.data(), &found);
    value.resize(value.find('\0'));
    return value;
}

[[noreturn]] void refuse_key(const std::string& key) {
    std::vector<std::string> known;
    for (int f = 0; f < functions; ++f) known.push_back(info_key_of(static_cast<function>(f)));
    refuse("info key", key, nearest_name(key, known) + " (the nearest key), or another of a function");
}

key_values values_of(MPI_Info info) {
    key_values values;
    if (info == MPI_INFO_NULL) return values;
    int keys = 0;
    PMPI_Info_get_nkeys(info, &keys);
    for (int i = 0; i < keys; ++i) {
        std::array<char, MPI_MAX_INFO_KEY + 1> name{};
        PMPI_Info_get_nthkey(info, i, name.data());
        const std::string key = name.data();
        if (!key.starts_with(key_prefix)) continue;
        int f = 0;
        while (f < functions && key != info_key_of(static_cast<function>(f))) ++f;
        if (f == functions) refuse_key(key);
        values[static_cast<std::size_t>(f)] = value_of(info, key);
    }
    return values;
}

/// Returns a hash of the texts, 0 or more.
std::int64_t hash_of(const key_values& values) {
    std::uint64_t hash = 14695981039346656037U;
    const auto add = [&](unsigned char c) { hash = (hash ^ c) * 1099511628211U; };
    for (const std::string& value : values) {
        for (const char c : value) add(static_cast<unsigned char>(c));
        add(0);
    }
    return static_cast<std::int64_t>(hash >> 1);
}

/// Returns whether the texts are equal on all ranks.
bool equal_on_all(const communicator_state& on, const key_values& values) {
    if (on.own() == MPI_COMM_NULL) return true;
    const std::int64_t hash = hash_of(values);
    const std::array<std::int64_t, 2> mine{hash, -hash};
    std::array<std::int64_t, 2> most{};
    const int error = complete([&](MPI_Request* request) {
        return PMPI_Iallreduce(mine.data(), most.data(), 2, MPI_INT64_T, MPI_MAX, on.own(), request);
    });
    return error == MPI_SUCCESS && most == mine;
}

}  // namespace

std::string info_key_of(function f) { return std::string(key_prefix) + name_of(f); }

void take_info(communicator_state& on, MPI_Info info) {
    const key_values values = values_of(info);
    if (!equal_on_all(on, values)) {
        std::string mine;
        for (int f = 0; f < functions; ++f)
            if (const std::string& value = values[static_cast<std::size_t>(f)]; !value.empty())
                mine.append(mine.empty() ? "" : " ").append(info_key_of(static_cast<function>(f)) + "=" + value);
        refuse("info keys", mine.empty() ? "none" : mine, "the same on all ranks of the communicator");
    }
    wishes made;
    bool any = false;
    for (std::size_t f = 0; f < values.size(); ++f) {
        if (values[f].empty()) continue;
        const auto what = static_cast<function>(f);
        if (!read_wish(what, values[f], made[f]))
            refuse("info key " + info_key_of(what), values[f], valid_wishes(what));
        any = true;
    }
    if (any) on.prefer(made);
}

}  // namespace collsched::preload
