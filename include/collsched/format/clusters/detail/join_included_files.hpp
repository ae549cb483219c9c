#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "collsched/format/text.hpp"
#include "collsched/format/clusters/detail/conf_records.hpp"
#include "collsched/format/files/text_file.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Joins a configuration file with the files that it includes.
class conf_joiner {
  public:
    explicit conf_joiner(std::string name) { joined_.name = std::move(name); }

    void append(const text_file& file, const std::filesystem::path& path) {
        if (open_.size() == most_levels) refuse_depth();
        open_.push_back(std::filesystem::weakly_canonical(path));
        bool continued = false;
        int line = 1;
        start(file.name, line);
        for (std::size_t begin = 0; begin < file.text.size(); ++line) {
            const std::size_t end = std::min(file.text.find('\n', begin), file.text.size());
            const std::string_view text = std::string_view(file.text).substr(begin, end - begin);
            const auto [kept, goes_on] = strip_conf(text);
            if (const auto name = included_name(kept); name && !continued) {
                if (goes_on) file.refuse(line, "an include line that continues", "include FILE in one line");
                include(file, path, *name, line);
                start(file.name, line + 1);
            } else {
                put(text);
                continued = goes_on;
            }
            begin = end + 1;
        }
        if (continued) put("");  // a record ends at the end of its file
        open_.pop_back();
    }

    text_file take() { return std::move(joined_); }

  private:
    static constexpr std::size_t most_levels = 8, most_files = 1000, most_bytes = std::size_t{1} << 28;

    void start(const std::string& name, int line) { joined_.origins.push_back({line_, name, line}); }
    void put(std::string_view text) {
        if (joined_.text.size() + text.size() >= most_bytes)
            throw input_error(
                {.value = "more than 2^28 bytes with the included files", .expected = "fewer", .file = joined_.name});
        (joined_.text += text) += '\n';
        ++line_;
    }
    [[noreturn]] void refuse_depth() const {
        throw input_error({.value = "more levels of included files",
                           .expected = fmt::format("at most {}", most_levels),
                           .file = joined_.name});
    }

    void include(const text_file& from, const std::filesystem::path& path, std::string_view name, int line) {
        const auto refuse = [&](std::string_view problem, std::string_view expected) {
            from.refuse(line, "include", fmt::format("{}{}", json_text(name.substr(0, 256)), problem), expected);
        };
        constexpr std::string_view inside = "a file in the folder of this one or below it";
        const std::filesystem::path relative(name);
        if (name.empty() || relative.is_absolute() || std::ranges::count(relative, std::filesystem::path("..")) > 0)
            refuse("", inside);
        const std::filesystem::path found = path.parent_path() / relative;
        std::error_code error;
        if (!std::filesystem::is_regular_file(found, error)) refuse(", which is no file", inside);
        if (std::ranges::count(open_, std::filesystem::weakly_canonical(found)) > 0)
            refuse(", which includes itself", "files that do not include themselves");
        if (++files_ > most_files) refuse("", fmt::format("at most {} files", most_files));
        append(read_text_file(found), found);
    }

    text_file joined_;
    std::vector<std::filesystem::path> open_;
    std::size_t files_ = 0;
    int line_ = 1;  ///< next line of the joined text
};

/// Returns the Slurm configuration file of this path, with each line `include FILE` replaced by the content of FILE.
/// FILE is relative to the folder of the including file and must be inside that folder. The limits are 8 levels, 1000
/// files and 2^28 bytes. Include lines are an error if the path is not a regular file, such as standard input. Throws
/// input_error.
inline text_file join_included_files(text_file file, const std::filesystem::path& path) {
    std::error_code error;
    const std::string plain = std::filesystem::absolute(path, error).lexically_normal().string();
    if (plain.starts_with("/dev/") || plain.starts_with("/proc/") || !std::filesystem::is_regular_file(path, error))
        return file;
    detail::conf_joiner joiner(file.name);
    joiner.append(file, path);
    return joiner.take();
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
