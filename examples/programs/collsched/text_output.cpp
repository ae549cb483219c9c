#include "text_output.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "collsched/format/files/text_file.hpp"
#include "files/output_target.hpp"
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

/// The files that the program has read: no output may replace one of them.
const collsched::text_file::log inputs;

/// The files with content that outputs have been written to by an open descriptor.
std::vector<file_identity> written_through;

void refuse_input(const std::string& argument, const std::string& path, const output_target& target) {
    if (const fs::path* input = input_at(target, inputs.files()))
        throw usage_error(argument, path, fmt::format("a file other than the input {}", input->string()));
}

void refuse_repeated(const std::string& argument, const std::string& path, bool repeated) {
    if (repeated) throw usage_error(argument, path, "a different file for each output");
}

/// Returns whether text on standard output goes to this file.
bool is_standard_output(const output_target& target) {
    struct stat printed{};
    return target.regular && fstat(STDOUT_FILENO, &printed) == 0 &&
           target.identity == file_identity(printed.st_dev, printed.st_ino);
}

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

    /// Returns whether the file of the target is that of another output: a draft, or one written by a descriptor.
    static bool is_taken(const output_target& target) {
        return (target.identity && std::ranges::count(written_through, *target.identity) > 0) ||
               std::ranges::any_of(unpublished, [&](const auto& one) {
                   return one->target_.path == target.path ||
                          (target.identity && one->target_.identity == target.identity);
               });
    }

    void take_place() {
        if (interrupted != 0) throw std::runtime_error("interrupted");  // the program ends after the draft is removed
        refuse_input(argument_, path_, target_);
        if (std::rename(name_.c_str(), target_.path.c_str()) != 0) cannot_write(argument_, path_, errno);
        name_.clear();
    }

  protected:
    draft(std::string argument, std::string path, output_target target)
        : argument_(std::move(argument)), path_(std::move(path)), target_(std::move(target)) {
        refuse_repeated(argument_, path_, is_standard_output(target_) || is_taken(target_));
        refuse_input(argument_, path_, target_);
        if (!names_its_file(target_)) cannot_write(argument_, path_, ENOENT);
    }

    std::string argument_, path_, name_;
    output_target target_;

  private:
    held_signals held_;
};

std::vector<std::unique_ptr<draft>> draft::unpublished;

/// A new file beside the target.
class draft_file : public draft {
  public:
    draft_file(const std::string& argument, const std::string& path, const output_target& target)
        : draft(argument, path, target), file_(open_beside(target_, name_)) {
        if (!file_) cannot_write(argument, path, errno);
    }

    owned_file file() { return std::move(file_); }

  private:
    owned_file file_;
};

/// A new folder beside the target.
class draft_folder : public draft {
  public:
    draft_folder(const std::string& argument, const std::string& path) : draft(argument, path, folder(path)) {
        std::string name = (target_.path.parent_path() / "collsched.XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) cannot_write(argument, path, errno);
        name_ = name;
        chmod(name_.c_str(), 0777 & ~file_mask());
    }

    const std::string& name() const { return name_; }

  private:
    static output_target folder(const fs::path& path) {
        std::error_code none;
        const fs::path there = fs::canonical(path, none);
        output_target target = target_of(none && !path.has_filename() ? path.parent_path() : path);
        target.how = output_target::way::replaced;
        if (!none) target.path = there;
        return target;
    }
};

bool in_folder = false;  // whether the output is itself a draft, whose files need none

/// Writes to an open descriptor, a device or a pipe, in order with what is printed.
void write_through(const std::string& argument, const std::string& path, const output_target& target,
                   const std::function<void(text_output::iterator)>& write) {
    refuse_input(argument, path, target);
    if (target.regular) {
        refuse_repeated(argument, path, draft::is_taken(target));
        written_through.push_back(*target.identity);
    }
    standard_output().flush();
    owned_file file(open_directly(target));
    if (!file) cannot_write(argument, path, errno);
    write_to(std::move(file), argument, path, write);
}

}  // namespace

const std::vector<fs::path>& read_files() { return inputs.files(); }

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
    const output_target target = target_of(path);
    if (target.how != output_target::way::replaced) return write_through(argument, path, target, write);
    auto fresh = std::make_unique<draft_file>(argument, path, target);
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

written_files::~written_files() {
    draft::unpublished.clear();
    written_through.clear();
}

void written_files::publish() {
    for (const auto& one : draft::unpublished) one->take_place();
}
