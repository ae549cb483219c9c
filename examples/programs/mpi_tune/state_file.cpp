#include "state_file.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iterator>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>

#include "algorithms/algorithms.hpp"
#include "examples/programs/collsched/text_output.hpp"
#include "examples/programs/collsched/usage_error.hpp"

using namespace collsched;

void state_file::open_file(const std::string& path) {
    path_ = path;
    descriptor_ = open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) cannot_write("--state", path_, errno);
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0)
        throw usage_error("--state", path_, "a file that no other program uses");
    const text_file file = read_or_refuse("--state", [&] { return read_text_file(std::filesystem::path(path_)); });
    content_ = read_or_refuse("--state", [&] { return tuning::read_tuning(file, compiled::registry()); });
    if (content_.unfinished == 0) return;
    std::fputs(
        fmt::format("mpi_tune: {}: {} bytes removed, a last line without an end\n", path_, content_.unfinished).c_str(),
        stderr);
    const auto whole = lseek(descriptor_, 0, SEEK_END) - static_cast<off_t>(content_.unfinished);
    if (whole < 0 || ftruncate(descriptor_, whole) != 0) cannot_write("--state", path_, errno);
}

state_file::~state_file() {
    if (descriptor_ >= 0) close(descriptor_);
}

void state_file::begin(const tuning::tuning_run& run) {
    if (!content_.run) {
        std::string line;
        tuning::write_tuning_run(std::back_inserter(line), run);
        return write(line);
    }
    const auto refuse = [&](const char* key, std::int64_t value, std::int64_t expected) {
        if (value != expected)
            throw usage_error(fmt::format("--state: {}:1: {}", path_, key), std::to_string(value),
                              fmt::format("{}, that of this run", expected));
    };
    refuse("ranks", content_.run->ranks, run.ranks);
    refuse("ranks_per_node", content_.run->ranks_per_node, run.ranks_per_node);
    refuse("keep_order", content_.run->keeps_order, run.keeps_order);
}

void state_file::append(const decision& row) {
    std::string line;
    tuning::write_tuning_row(std::back_inserter(line), row);
    write(line);
}

void state_file::write(const std::string& text) const {
    if (descriptor_ < 0) return;
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t written = ::write(descriptor_, text.data() + done, text.size() - done);
        if (written < 0 && errno != EINTR) cannot_write("--state", path_, errno);
        if (written > 0) done += static_cast<std::size_t>(written);
    }
}
