#pragma once

#include <array>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

/// Text on its way to a file, through a buffer; every write is checked. Writers put characters through out().
class text_output {
  public:
    /// Characters go through this one by one.
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

    /// `argument` and `value` name the file where it cannot be written.
    text_output(std::FILE* file, std::string argument, std::string value)
        : file_(file), argument_(std::move(argument)), value_(std::move(value)) {}
    text_output(const text_output&) = delete;
    text_output& operator=(const text_output&) = delete;

    iterator out() { return iterator(*this); }
    void write(std::string_view text) {
        for (const char c : text) put(c);
    }
    /// Hands on everything so far. To be called last: what is left behind is lost.
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

/// What the command prints.
text_output& standard_output();
/// A line there, without blanks at its end.
void put_line(std::string_view line);

/// What the system says about something that cannot be written: a mistake in `argument`.
[[noreturn]] void cannot_write(const std::string& argument, const std::string& value, int error);

/// Writes a file as a whole, beside its place until written_files publishes it: where something goes wrong before, what was
/// there stays.
void write_file(const std::string& argument, const std::string& path,
                const std::function<void(text_output::iterator)>& write);

/// Writes a folder as a whole in the same way: `write` fills a new one. It must not be there yet, or be empty.
void write_folder(const std::string& argument, const std::string& path,
                  const std::function<void(const std::string& folder)>& write);

/// The files and folders that a command has written. They take their places when all of its output has been written, standard
/// output included; what has not by the end of this object's life vanishes.
class written_files {
  public:
    written_files() = default;
    written_files(const written_files&) = delete;
    written_files& operator=(const written_files&) = delete;
    ~written_files();

    void publish();
};
