#include "text_output.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <stdexcept>

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "usage_error.hpp"

namespace fs = std::filesystem;

namespace {

struct unwritable : usage_error {
    unwritable(const std::string& argument, const std::string& value, int number)
        : usage_error(argument, value,
                      fmt::format("something that can be written; this cannot: {}", std::strerror(number))),
          error(number) {}
    int error;
};

mode_t file_mask() {
    const mode_t mask = umask(0);
    umask(mask);
    return mask;
}

struct closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using file_handle = std::unique_ptr<std::FILE, closer>;

void write_to(file_handle file, const std::string& argument, const std::string& path,
              const std::function<void(text_output::iterator)>& write) {
    text_output text(file.get(), argument, path);
    write(text.out());
    text.flush();
    if (std::fclose(file.release()) != 0) cannot_write(argument, path, errno);
}

/// Where a name leads in the end, whether anything is there or not.
fs::path followed(fs::path path) {
    std::error_code none;
    for (int links = 0; links < 40 && fs::is_symlink(fs::symlink_status(path, none)); ++links)
        path = path.parent_path() / fs::read_symlink(path, none);
    return path;
}

volatile std::sig_atomic_t interrupted = 0;  // the signal

/// While there is a draft, the signals that end a program only make the next write fail, so that the draft is taken away
/// before they do. A second one ends at once.
class held_signals {
  public:
    held_signals() {
        if (drafts++ > 0) return;
        for (std::size_t i = 0; i < count; ++i) {
            sigaction(numbers[i], nullptr, &before[i]);
            struct sigaction held{};
            held.sa_handler = [](int number) { interrupted = number; };
            held.sa_flags = static_cast<int>(SA_RESETHAND);
            if (before[i].sa_handler != SIG_IGN) sigaction(numbers[i], &held, nullptr);
        }
    }
    held_signals(const held_signals&) = delete;
    held_signals& operator=(const held_signals&) = delete;
    ~held_signals() {
        if (--drafts > 0) return;
        for (std::size_t i = 0; i < count; ++i) sigaction(numbers[i], &before[i], nullptr);
        if (interrupted != 0) std::raise(interrupted);
    }

  private:
    static constexpr int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    static constexpr std::size_t count = std::size(numbers);
    static inline struct sigaction before[count]{};
    static inline int drafts = 0;
};

/// A new file beside the target. It vanishes unless it takes the target's place.
class draft {
  public:
    draft(const std::string& argument, const std::string& path)
        : argument_(argument),
          path_(path),
          target_(followed(path)),
          name_((target_.parent_path() / "collsched.XXXXXX").string()) {
        mode_t mode = 0666 & ~file_mask();
        if (struct stat there{}; stat(path.c_str(), &there) == 0) {
            if (access(path.c_str(), W_OK) != 0) cannot_write(argument, path, errno);
            mode = there.st_mode & 0777;
        }
        const int descriptor = mkstemp(name_.data());
        if (descriptor < 0) cannot_write(argument, path, errno);
        fchmod(descriptor, mode);
        file_.reset(fdopen(descriptor, "w"));
        if (file_) return;
        const int error = errno;
        close(descriptor), unlink(name_.c_str());
        cannot_write(argument, path, error);
    }
    draft(const draft&) = delete;
    draft& operator=(const draft&) = delete;
    ~draft() {
        if (!name_.empty()) unlink(name_.c_str());
    }

    file_handle file() { return std::move(file_); }
    void take_place() {
        if (std::rename(name_.c_str(), target_.c_str()) != 0) cannot_write(argument_, path_, errno);
        name_.clear();
    }

  private:
    held_signals held_;
    std::string argument_, path_;
    fs::path target_;
    std::string name_;
    file_handle file_;
};

/// A new folder beside the target. It vanishes with all in it unless it takes the target's place.
class draft_folder {
  public:
    draft_folder(const std::string& argument, const std::string& path) : argument_(argument), path_(path) {
        std::error_code none;
        target_ = fs::canonical(path, none);
        if (none) target_ = followed(fs::path(path).has_filename() ? fs::path(path) : fs::path(path).parent_path());
        std::string name = (target_.parent_path() / "collsched.XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) cannot_write(argument, path, errno);
        name_ = name;
        chmod(name_.c_str(), 0777 & ~file_mask());
    }
    draft_folder(const draft_folder&) = delete;
    draft_folder& operator=(const draft_folder&) = delete;
    ~draft_folder() {
        std::error_code none;
        if (!name_.empty()) fs::remove_all(name_, none);
    }

    const std::string& name() const { return name_; }
    void take_place() {
        if (std::rename(name_.c_str(), target_.c_str()) != 0) cannot_write(argument_, path_, errno);
        name_.clear();
    }

  private:
    held_signals held_;
    std::string argument_, path_;
    fs::path target_;
    std::string name_;
};

}  // namespace

void cannot_write(const std::string& argument, const std::string& value, int error) {
    throw unwritable(argument, value, error);
}

void text_output::empty() {
    if (interrupted != 0) throw std::runtime_error("interrupted");  // which ends when the draft is gone
    errno = 0;
    if (std::fwrite(buffer_.data(), 1, used_, file_) != used_) cannot_write(argument_, value_, errno);
    used_ = 0;
}

void text_output::flush() {
    empty();
    if (std::fflush(file_) != 0) cannot_write(argument_, value_, errno);
}

text_output& standard_output() {
    static text_output output(stdout, "standard output", "stdout");
    return output;
}

void put_line(std::string_view line) {
    standard_output().write(line.substr(0, line.find_last_not_of(' ') + 1));
    standard_output().write("\n");
}

void write_file(const std::string& argument, const std::string& path,
                const std::function<void(text_output::iterator)>& write) {
    std::error_code wrong;
    const fs::file_status there = fs::status(path, wrong);
    if (path.empty() || fs::is_directory(there)) throw usage_error(argument, path, "the name of a file");
    if (there.type() == fs::file_type::none) cannot_write(argument, path, wrong.value());
    if (fs::exists(there) && !fs::is_regular_file(there)) {  // a device or a pipe: nothing to keep, nothing to replace
        file_handle file(std::fopen(path.c_str(), "w"));
        if (!file) cannot_write(argument, path, errno);
        return write_to(std::move(file), argument, path, write);
    }
    draft fresh(argument, path);
    write_to(fresh.file(), argument, path, write);
    fresh.take_place();
}

void write_folder(const std::string& argument, const std::string& path,
                  const std::function<void(const std::string& folder)>& write) {
    std::error_code none;
    const fs::file_status there = fs::status(path, none);
    if (path.empty() || (fs::exists(there) && !(fs::is_directory(there) && fs::is_empty(path, none))))
        throw usage_error(argument, path, "a folder that is not there yet, or an empty one");
    draft_folder fresh(argument, path);
    try {
        write(fresh.name());
    } catch (const unwritable& wrong) {  // it names a file of the draft
        cannot_write(argument, path, wrong.error);
    }
    fresh.take_place();
}
