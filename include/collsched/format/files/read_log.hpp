#pragma once

#include <filesystem>
#include <utility>
#include <vector>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// A record of the files that readers read in this thread while the log exists. The files that a file includes are among
/// them. Only the innermost log of a thread records. Logs must be destroyed in the reverse order of their construction.
class read_log {
  public:
    read_log() : outer_(std::exchange(innermost(), this)) {}
    read_log(const read_log&) = delete;
    read_log& operator=(const read_log&) = delete;
    ~read_log() { innermost() = outer_; }

    /// Returns the names of the files in the order of reading, as the readers received them.
    /// @return reference to a member of this log
    const std::vector<std::filesystem::path>& files() const noexcept { return files_; }

    /// Adds a file to the innermost log of this thread, if there is one.
    /// @param file  name of a file that was read
    static void add(const std::filesystem::path& file) {
        if (innermost() != nullptr) innermost()->files_.push_back(file);
    }

  private:
    static const read_log*& innermost() {
        static thread_local const read_log* log = nullptr;
        return log;
    }

    mutable std::vector<std::filesystem::path> files_{};  // also grows in a log that is const
    const read_log* outer_;
};

}}  // namespace collsched::COLLSCHED_ABI
