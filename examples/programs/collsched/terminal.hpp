#pragma once

#include <string>
#include <string_view>

/// The styles of text on a terminal.
enum class text_style { plain, heading, best, failure };

/// Returns the text in a style if standard output shows colors: it is a terminal, TERM is set and not "dumb", and
/// NO_COLOR is unset or empty. Otherwise returns the text itself.
std::string styled(std::string_view text, text_style style);

/// A line on standard error that shows the progress of long work if standard error is a terminal. The destructor erases
/// it.
class progress_line {
  public:
    /// A quiet line shows nothing.
    explicit progress_line(bool quiet = false);
    progress_line(const progress_line&) = delete;
    progress_line& operator=(const progress_line&) = delete;
    ~progress_line() { erase(); }

    /// Replaces the line. Text beyond 78 characters is cut.
    void show(std::string_view text);
    /// Must be called before other output, which may share the terminal.
    void erase();

  private:
    bool shows_, visible_ = false;
};
