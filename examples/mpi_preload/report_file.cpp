#include "report_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#ifndef FMT_HEADER_ONLY
#define FMT_HEADER_ONLY  // the program need not have the library of fmt
#endif

#include "collsched/format/text.hpp"
#include "greeting.hpp"
#include "native_mpi.hpp"
#include "nodes.hpp"

namespace collsched::preload {

namespace {

const char* name_of(call_form form) {
    constexpr const char* names[] = {"blocking", "non-blocking", "persistent"};
    return names[static_cast<int>(form)];
}

/// Returns parameters such as "segment=4096 radix=4" as members of a JSON object.
std::string members_text(std::string_view parameters) {
    std::string text;
    while (!parameters.empty()) {
        const std::string_view one = parameters.substr(0, parameters.find(' '));
        parameters.remove_prefix(std::min(one.size() + 1, parameters.size()));
        const std::size_t equals = std::min(one.find('='), one.size());
        text += text.empty() ? "" : ",";
        text += json_text(one.substr(0, equals)) + ":";
        text += one.substr(std::min(equals + 1, one.size()));
    }
    return text;
}

/// Returns the row as a JSON object. Members that are unknown are left out.
std::string row_text(const call_class& which, const call_sums& sums) {
    std::string text = fmt::format(R"({{"function":"{}","form":"{}")", name_of(which.what), name_of(which.form));
    if (which.ranks > 0) text += fmt::format(R"(,"ranks":{},"ranks_per_node":{})", which.ranks, which.ranks_per_node);
    if (which.commutative == 0) text += R"(,"commutative":false)";
    if (which.bytes_from >= 0) {
        const std::int64_t to = which.bytes_from == 0 ? 0 : which.bytes_from + (which.bytes_from - 1);
        text += fmt::format(R"(,"bytes_from":{},"bytes_to":{})", which.bytes_from, to);
    }
    text += fmt::format(R"(,"algorithm":{})", json_text(which.algorithm));
    if (!which.parameters.empty()) text += fmt::format(R"(,"parameters":{{{}}})", members_text(which.parameters));
    text +=
        fmt::format(R"(,"reason":{},"calls":{},"calls_max":{})", json_text(which.reason), sums.calls, sums.most_calls);
    if (which.bytes_from >= 0) text += fmt::format(R"(,"bytes":{})", sums.bytes);
    if (sums.timed_calls > 0)
        text += fmt::format(R"(,"timed_calls":{},"seconds":{:.9f},"seconds_max":{:.9f})", sums.timed_calls,
                            sums.seconds, sums.most_seconds);
    return text + "}";
}

std::string text_of(const merged_rows& rows) {
    int ranks = 1;
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::string text = fmt::format(
        R"({{"format":"collsched report","version":1,"library":{},"mpi":{},"ranks":{},"nodes":{},"rows":[)",
        json_text(library_version()), json_text(mpi_version()), ranks, placement_of(MPI_COMM_WORLD).nodes());
    const char* before = "\n";
    for (const auto& [which, sums] : rows) {
        text += before + row_text(which, sums);
        before = ",\n";
    }
    return text + "\n]}\n";
}

}  // namespace

std::string write_report(const std::string& path, const merged_rows& rows) {
    const std::string beside = path + "." + std::to_string(getpid()) + ".part";
    const std::string text = text_of(rows);
    std::FILE* const file = std::fopen(beside.c_str(), "wxe");
    if (file == nullptr) return std::strerror(errno);
    bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    int error = errno;
    if (std::fclose(file) != 0 && written) written = false, error = errno;
    if (written && std::rename(beside.c_str(), path.c_str()) != 0) written = false, error = errno;
    if (written) return {};
    std::remove(beside.c_str());
    return std::strerror(error);
}

}  // namespace collsched::preload
