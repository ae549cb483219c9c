#include "report_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string_view>

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

/// While it exists, a pipe without a reader is an error of the write and does not end the program.
class held_pipe_signal {
  public:
    held_pipe_signal() {
        sigset_t pending;
        sigpending(&pending);
        pends_ = sigismember(&pending, SIGPIPE) == 1;
        sigemptyset(&pipe_);
        sigaddset(&pipe_, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    }
    held_pipe_signal(const held_pipe_signal&) = delete;
    held_pipe_signal& operator=(const held_pipe_signal&) = delete;
    ~held_pipe_signal() {
        const timespec at_once{};
        if (!pends_) sigtimedwait(&pipe_, nullptr, &at_once);
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }

  private:
    sigset_t pipe_, before_;
    bool pends_ = false;
};

/// Writes a text and closes the file. Returns the number of an error; 0: none.
int put(std::FILE* file, const std::string& text) {
    const held_pipe_signal held;
    errno = 0;
    int error = std::fwrite(text.data(), 1, text.size(), file) == text.size() ? 0 : errno;
    if (std::fclose(file) != 0 && error == 0) error = errno;
    return error;
}

/// Returns the number of an error; 0: none.
int replace(const output_target& target, const std::string& text) {
    std::string beside;
    std::FILE* const file = open_beside(target, beside);
    if (file == nullptr) return errno;
    int error = put(file, text);
    if (error == 0 && std::rename(beside.c_str(), target.path.c_str()) != 0) error = errno;
    if (error != 0) std::remove(beside.c_str());
    return error;
}

bool can_write(const output_target& target) {
    std::error_code none;
    if (std::filesystem::is_directory(target.path, none) || !target.path.has_filename()) return false;
    if (target.how == output_target::way::descriptor) {
        const int flags = fcntl(target.descriptor, F_GETFL);
        return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
    }
    if (target.identity && access(target.path.c_str(), W_OK) != 0) return false;
    if (target.how == output_target::way::opened) return true;
    return names_its_file(target) && access(target.path.parent_path().c_str(), W_OK | X_OK) == 0;
}

}  // namespace

bool report_place::open(const std::string& name) {
    target_ = target_of(name);
    if (!can_write(target_)) return false;
    if (target_.how == output_target::way::descriptor)
        target_.descriptor = fcntl(target_.descriptor, F_DUPFD_CLOEXEC, 0);
    return target_.how != output_target::way::descriptor || target_.descriptor >= 0;
}

std::string report_place::expected_instead(const ::collsched::text_file::log& inputs) const {
    const std::filesystem::path* const input = input_at(target_, inputs.files());
    return input == nullptr ? "" : "a file other than the input " + input->string();
}

std::string report_place::write(const merged_rows& rows) const {
    const std::string text = text_of(rows);
    if (target_.how == output_target::way::replaced) {
        const int error = replace(target_, text);
        return error == 0 ? "" : std::strerror(error);
    }
    std::fflush(stdout);  // the report follows what the program has printed
    std::FILE* const file = open_directly(target_);
    const int error = file == nullptr ? errno : put(file, text);
    return error == 0 ? "" : std::strerror(error);
}

}  // namespace collsched::preload
