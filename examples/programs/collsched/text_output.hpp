#pragma once

#include <array>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>
#include <utility>

/// Buffered text output to a file, in which every write is checked. Writers use out().
class text_output {
  public:
    /// An output iterator for single characters.
    class iterator {
      public:
        using iterator_category = std::output_iterator_tag;
        using value_type = void;
        using difference_type = std::ptrdiff_t;
        using pointer = void;
        using reference = void;

        iterator() = default;
        explicit iterator(text_output& to) : to_(&to) {}
        iterator& operator*() { return *this; }
        iterator& operator++() { return *this; }
        iterator operator++(int) { return *this; }
        iterator& operator=(char c) {
            to_->put(c);
            return *this;
        }

      private:
        text_output* to_ = nullptr;
    };

    /// `argument` and `value` name the file in errors.
    text_output(std::FILE* file, std::string argument, std::string value)
        : file_(file), argument_(std::move(argument)), value_(std::move(value)) {}
    text_output(const text_output&) = delete;
    text_output& operator=(const text_output&) = delete;

    iterator out() { return iterator(*this); }
    void write(std::string_view text) {
        for (const char c : text) put(c);
    }
    /// Writes all buffered text. Must be called last: the destructor discards unwritten text.
    void flush();

  private:
    void put(char c) {
        if (used_ == buffer_.size()) empty();
        buffer_[used_++] = c;
    }
    void empty();

    std::FILE* file_;
    std::string argument_, value_;
    std::array<char, 1 << 16> buffer_;
    std::size_t used_ = 0;
};

/// Returns the standard output of the command.
text_output& standard_output();
/// Writes a line to standard output, without trailing blanks.
void put_line(std::string_view line);
/// Writes a line to standard error, for what does not change the status. Characters that are not printable are escaped.
void put_note(std::string_view line);

/// Returns the names of the files that the program has read, in the order of reading.
const std::vector<std::filesystem::path>& read_files();

/// Throws usage_error for `argument` with the system's description of a failed write.
[[noreturn]] void cannot_write(const std::string& argument, const std::string& value, int error);

/// Writes a whole file beside its target until written_files publishes it. After an error the target is unchanged. The
/// target must be neither a file that the program has read nor another output, under any name. The name of an open
/// descriptor, a device or a pipe is written at once, after all printed text.
void write_file(const std::string& argument, const std::string& path,
                const std::function<void(text_output::iterator)>& write);

/// Writes a whole folder in the same way: `write` fills a new one. The target must not exist, or must be empty.
void write_folder(const std::string& argument, const std::string& path,
                  const std::function<void(const std::string& folder)>& write);

/// The files and folders that a command has written. They replace their targets when all of its output has been
/// written, including standard output. The destructor removes unpublished ones.
class written_files {
  public:
    written_files() = default;
    written_files(const written_files&) = delete;
    written_files& operator=(const written_files&) = delete;
    ~written_files();

    void publish();
};
