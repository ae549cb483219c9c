#include "text_output.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "usage_error.hpp"

namespace fs = std::filesystem;

void cannot_write(const std::string& argument, const std::string& value, int error) {
    throw usage_error(argument, value,
                      fmt::format("something that can be written; this cannot: {}", std::strerror(error)));
}

namespace {

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

/// A new file beside the target. It vanishes unless it takes the target's place.
class draft {
  public:
    draft(const std::string& argument, const std::string& path) : argument_(argument), path_(path) {
        std::error_code none;
        const fs::path real = fs::canonical(path, none);
        target_ = none ? path : real.string();
        name_ = target_ + ".XXXXXX";
        const int descriptor = mkstemp(name_.data());
        if (descriptor < 0) cannot_write(argument, path, errno);
        fchmod(descriptor, 0666 & ~file_mask());
        file_.reset(fdopen(descriptor, "w"));
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
    std::string argument_, path_, target_, name_;
    file_handle file_;
};

/// A new folder beside the target. It vanishes with all in it unless it takes the target's place.
class draft_folder {
  public:
    draft_folder(const std::string& argument, const std::string& path) : argument_(argument), path_(path) {
        std::error_code none;
        fs::path target = fs::canonical(path, none);
        if (none) target = fs::path(path).has_filename() ? fs::path(path) : fs::path(path).parent_path();
        target_ = target.string();
        std::string name = target_ + ".XXXXXX";
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
    std::string argument_, path_, target_, name_;
};

}  // namespace

void text_output::empty() {
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
    std::error_code none;
    const fs::file_status there = fs::status(path, none);
    if (path.empty() || fs::is_directory(there)) throw usage_error(argument, path, "the name of a file");
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
    write(fresh.name());
    fresh.take_place();
}
