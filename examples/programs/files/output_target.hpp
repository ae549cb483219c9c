#pragma once

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/// The device and the number of a file; equal for all names of one file.
using file_identity = std::pair<dev_t, ino_t>;

/// Returns the identity of the file of a name, or nothing if there is no file.
inline std::optional<file_identity> identity_of(const std::filesystem::path& path) {
    struct stat there{};
    if (stat(path.c_str(), &there) != 0) return std::nullopt;
    return file_identity(there.st_dev, there.st_ino);
}

/// The place to which a program writes an output.
struct output_target {
    enum class way {
        descriptor,  ///< text is written to an open descriptor of this program, wherever it is in its file
        opened,      ///< a device, a pipe or a socket has no content, so it is opened and written
        replaced,    ///< a new file takes the place of the file, if there is one
    };
    way how = way::replaced;
    int descriptor = -1;                    ///< not owned
    std::filesystem::path path;             ///< without links, absolute if the folder exists
    std::optional<file_identity> identity;  ///< of the file as given, if there is one
    bool regular = false;                   ///< whether it is a file with content
};

namespace output_target_detail {

/// Returns the folder of a path without links; empty if there is none.
inline std::filesystem::path folder_of(const std::filesystem::path& path) {
    std::error_code none;
    const std::filesystem::path folder =
        std::filesystem::canonical(path.has_parent_path() ? path.parent_path() : ".", none);
    return none ? std::filesystem::path() : folder;
}

/// Returns whether the links in a folder are the descriptors of this program.
inline bool has_own_descriptors(const std::filesystem::path& folder) {
    std::error_code none;
    for (const char* name : {"/proc/self/fd", "/proc/thread-self/fd"})
        if (!folder.empty() && folder == std::filesystem::canonical(name, none)) return true;
    return false;
}

}  // namespace output_target_detail

/// Follows the links of the name of an output, whether or not a file exists there. A name such as /dev/stdout, /dev/fd/N
/// or /proc/self/fd/N is that of the descriptor, also if the descriptor has a file.
inline output_target target_of(const std::filesystem::path& name) {
    namespace fs = std::filesystem;
    output_target target{.path = name, .identity = identity_of(name)};
    std::error_code none;
    target.regular = target.identity && fs::is_regular_file(name, none);
    for (int links = 0; links <= 40; ++links) {
        const fs::path folder = output_target_detail::folder_of(target.path);
        const bool is_link = fs::is_symlink(fs::symlink_status(target.path, none));
        if (output_target_detail::has_own_descriptors(folder)) {
            target.how = output_target::way::descriptor;
            target.descriptor = is_link ? std::atoi(target.path.filename().c_str()) : -1;
            return target;
        }
        if (!is_link) {
            if (!folder.empty()) target.path = folder / target.path.filename();
            break;
        }
        target.path = target.path.parent_path() / fs::read_symlink(target.path, none);
    }
    if (!target.identity || target.regular) return target;
    target.how = output_target::way::opened;
    target.path = fs::absolute(name);  // a link of another program to its pipe has no target with a name
    return target;
}

/// Returns whether `path` names the file of the output. It does not where links form a cycle, or where another program's
/// link to a descriptor has a file that was removed.
inline bool names_its_file(const output_target& target) {
    std::error_code none;
    const bool is_link = std::filesystem::is_symlink(std::filesystem::symlink_status(target.path, none));
    return !is_link && identity_of(target.path) == target.identity;
}

/// Returns the first of the files that is the target, under any name; null if none is. Devices and pipes may be several
/// inputs and outputs.
inline const std::filesystem::path* input_at(const output_target& target,
                                             std::span<const std::filesystem::path> inputs) {
    if (!target.regular) return nullptr;
    for (const std::filesystem::path& input : inputs)
        if (identity_of(input) == target.identity) return &input;
    return nullptr;
}

/// Opens a target that is not replaced. Text is appended to what is there.
/// @return null after an error, with its number in errno
inline std::FILE* open_directly(const output_target& target) {
    const int descriptor = target.how == output_target::way::descriptor
                               ? fcntl(target.descriptor, F_DUPFD_CLOEXEC, 0)
                               : open(target.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0) return nullptr;
    std::FILE* const file = fdopen(descriptor, "w");
    if (file != nullptr) return file;
    const int error = errno;
    close(descriptor);
    errno = error;
    return nullptr;
}

/// Makes an empty file beside a target, with the permissions of the target's file or those of new files.
/// @param name  set to the name of the file; empty after an error
/// @return null after an error, with its number in errno
inline std::FILE* open_beside(const output_target& target, std::string& name) {
    name.clear();
    mode_t mode = 0666;
    struct stat there{};
    const bool exists = stat(target.path.c_str(), &there) == 0;
    if (exists && access(target.path.c_str(), W_OK) != 0) return nullptr;
    if (exists) mode = there.st_mode & 0777;
    int descriptor = -1;
    for (int attempt = 0; attempt < 1000 && descriptor < 0; ++attempt) {  // ranks of two nodes may have the same number
        name = "collsched." + std::to_string(getpid()) + "." + std::to_string(attempt);
        name = (target.path.parent_path() / name).string();
        descriptor = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (descriptor < 0 && errno != EEXIST) break;
    }
    if (descriptor >= 0 && exists) fchmod(descriptor, mode);
    std::FILE* const file = descriptor < 0 ? nullptr : fdopen(descriptor, "w");
    if (file != nullptr) return file;
    const int error = errno;
    if (descriptor >= 0) close(descriptor), unlink(name.c_str());
    name.clear();
    errno = error;
    return nullptr;
}
