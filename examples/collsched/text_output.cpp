#include "text_output.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "collsched/format/readers/read_log.hpp"
#include "printable.hpp"
#include "usage_error.hpp"

namespace fs = std::filesystem;

namespace {

struct unwritable : usage_error {
    unwritable(const std::string& argument, const std::string& value, int number)
        : usage_error(argument, value, fmt::format("a writable target ({})", std::strerror(number))), error(number) {}
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
using owned_file = std::unique_ptr<std::FILE, closer>;

void write_to(owned_file file, const std::string& argument, const std::string& path,
              const std::function<void(text_output::iterator)>& write) {
    text_output text(file.get(), argument, path);
    write(text.out());
    text.flush();
    if (std::fclose(file.release()) != 0) cannot_write(argument, path, errno);
}

/// Returns the absolute path of a name, whether or not a file exists there. All names of one file give the same path.
/// If the directory does not exist, returns the name itself.
fs::path followed(fs::path path) {
    std::error_code none;
    for (int links = 0; links < 40 && fs::is_symlink(fs::symlink_status(path, none)); ++links)
        path = path.parent_path() / fs::read_symlink(path, none);
    std::error_code missing;
    const fs::path directory = fs::canonical(path.has_parent_path() ? path.parent_path() : ".", missing);
    return missing ? path : directory / path.filename();
}

/// The device and the number of a file; equal for all names of one file.
using file_identity = std::pair<dev_t, ino_t>;

/// Returns the identity of the file of a name, or nothing if there is no file.
std::optional<file_identity> identity_of(const fs::path& path) {
    struct stat there{};
    if (stat(path.c_str(), &there) != 0) return std::nullopt;
    return file_identity(there.st_dev, there.st_ino);
}

/// The files that the program has read: no output may replace one of them.
const collsched::read_log inputs;

volatile std::sig_atomic_t interrupted = 0;  // number of the signal

/// While a draft exists, signals that end a program only make the next write fail, so that the draft is removed first.
/// A second signal ends the program at once.
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
    static constexpr int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    static constexpr std::size_t count = std::size(numbers);
    static inline struct sigaction before[count]{};
    static inline int drafts = 0;
};

/// A draft that replaces its target when published. Otherwise its destructor removes it.
class draft {
  public:
    draft(const draft&) = delete;
    draft& operator=(const draft&) = delete;
    virtual ~draft() {
        std::error_code none;
        if (!name_.empty()) fs::remove_all(name_, none);
    }

    /// The drafts that have not been published.
    static std::vector<std::unique_ptr<draft>> unpublished;

    void take_place() {
        if (interrupted != 0) throw std::runtime_error("interrupted");  // the program ends after the draft is removed
        refuse_input();
        if (std::rename(name_.c_str(), target_.c_str()) != 0) cannot_write(argument_, path_, errno);
        name_.clear();
    }

  protected:
    draft(std::string argument, std::string path, fs::path target)
        : argument_(std::move(argument)),
          path_(std::move(path)),
          target_(std::move(target)),
          replaced_(identity_of(target_)) {
        for (const auto& other : unpublished)
            if (other->target_ == target_ || (replaced_ && other->replaced_ == replaced_))
                throw usage_error(argument_, path_, "a different file for each output");
        refuse_input();
    }
    std::string beside() const { return (target_.parent_path() / "collsched.XXXXXX").string(); }

    std::string argument_, path_, name_;

  private:
    void refuse_input() const {
        if (!replaced_) return;
        for (const fs::path& input : inputs.files())
            if (identity_of(input) == replaced_)
                throw usage_error(argument_, path_, fmt::format("a file other than the input {}", input.string()));
    }

    held_signals held_;
    fs::path target_;
    std::optional<file_identity> replaced_;  ///< of the target before it is replaced
};

std::vector<std::unique_ptr<draft>> draft::unpublished;

/// A new file beside the target.
class draft_file : public draft {
  public:
    draft_file(const std::string& argument, const std::string& path) : draft(argument, path, followed(path)) {
        mode_t mode = 0666 & ~file_mask();
        if (struct stat there{}; stat(path.c_str(), &there) == 0) {
            if (access(path.c_str(), W_OK) != 0) cannot_write(argument, path, errno);
            mode = there.st_mode & 0777;
        }
        std::string name = beside();
        const int descriptor = mkstemp(name.data());
        if (descriptor < 0) cannot_write(argument, path, errno);
        name_ = name;
        fchmod(descriptor, mode);
        file_.reset(fdopen(descriptor, "w"));
        if (file_) return;
        const int error = errno;
        close(descriptor);
        cannot_write(argument, path, error);
    }

    owned_file file() { return std::move(file_); }

  private:
    owned_file file_;
};

/// A new folder beside the target.
class draft_folder : public draft {
  public:
    draft_folder(const std::string& argument, const std::string& path) : draft(argument, path, folder(path)) {
        std::string name = beside();
        if (mkdtemp(name.data()) == nullptr) cannot_write(argument, path, errno);
        name_ = name;
        chmod(name_.c_str(), 0777 & ~file_mask());
    }

    const std::string& name() const { return name_; }

  private:
    static fs::path folder(const fs::path& path) {
        std::error_code none;
        const fs::path there = fs::canonical(path, none);
        return none ? followed(path.has_filename() ? path : path.parent_path()) : there;
    }
};

bool in_folder = false;  // whether the output is itself a draft, whose files need none

}  // namespace

void cannot_write(const std::string& argument, const std::string& value, int error) {
    throw unwritable(argument, value, error);
}

void text_output::empty() {
    if (interrupted != 0) throw std::runtime_error("interrupted");  // the program ends after the draft is removed
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

void put_note(std::string_view line) {
    std::fputs(fmt::format("collsched: {}\n", printable(line, 1024)).c_str(), stderr);  // may be closed
}

void write_file(const std::string& argument, const std::string& path,
                const std::function<void(text_output::iterator)>& write) {
    std::error_code wrong;
    const fs::file_status there = fs::status(path, wrong);
    if (path.empty() || fs::is_directory(there)) throw usage_error(argument, path, "the name of a file");
    if (there.type() == fs::file_type::none) cannot_write(argument, path, wrong.value());
    if (fs::exists(there) && !fs::is_regular_file(there)) {  // a device or a pipe: there is no content to replace
        owned_file file(std::fopen(path.c_str(), "w"));
        if (!file) cannot_write(argument, path, errno);
        return write_to(std::move(file), argument, path, write);
    }
    auto fresh = std::make_unique<draft_file>(argument, path);
    write_to(fresh->file(), argument, path, write);
    if (in_folder) fresh->take_place();
    else draft::unpublished.push_back(std::move(fresh));
}

void write_folder(const std::string& argument, const std::string& path,
                  const std::function<void(const std::string& folder)>& write) {
    std::error_code none;
    const fs::file_status there = fs::status(path, none);
    if (path.empty() || (fs::exists(there) && !(fs::is_directory(there) && fs::is_empty(path, none))))
        throw usage_error(argument, path, "a folder that does not exist, or an empty folder");
    auto fresh = std::make_unique<draft_folder>(argument, path);
    in_folder = true;
    try {
        write(fresh->name());
    } catch (const unwritable& wrong) {  // it names a file of the draft
        cannot_write(argument, path, wrong.error);
    }
    in_folder = false;
    draft::unpublished.push_back(std::move(fresh));
}

written_files::~written_files() { draft::unpublished.clear(); }

void written_files::publish() {
    for (const auto& one : draft::unpublished) one->take_place();
}
