#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "collsched/core/config.hpp"

namespace collsched::foreign {

/// The extensions of JSON that a parser accepts: a comma after the last element of an object or list, or comments as well.
enum class json_dialect { last_commas, last_commas_and_comments };

/// Replaces the extensions of a dialect by blanks, so that the text is JSON with the same lines if the parser of
/// the dialect accepts it. O(size).
class lenient_json {
  public:
    lenient_json(std::string_view text, json_dialect dialect) : text_(text), dialect_(dialect) {
        while (at_ < text_.size()) step();
    }
    std::string take() { return std::move(text_); }

  private:
    void step() {
        const char c = text_[at_];
        if (c == '"') return pass_string();
        if (c == '/' && dialect_ == json_dialect::last_commas_and_comments && blank_comment()) return;
        if ((c == '}' || c == ']') && comma_ != text_.npos) text_[comma_] = ' ';
        if (c == ',') comma_ = follows_value_ ? at_ : text_.npos;
        else if (!is_blank(c)) comma_ = text_.npos;
        if (!is_blank(c)) follows_value_ = c != ',' && c != '[' && c != '{' && c != ':';
        ++at_;
    }
    static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

    void pass_string() {
        for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_)
            if (text_[at_] == '\\') ++at_;
        ++at_;
        comma_ = text_.npos;
        follows_value_ = true;
    }
    /// Returns whether a comment begins here, which is then passed. One without an end stays, and is no JSON.
    bool blank_comment() {
        const std::string_view rest = std::string_view(text_).substr(at_);
        if (!rest.starts_with("//") && !rest.starts_with("/*")) return false;
        const std::size_t end = rest[1] == '/' ? rest.find('\n') : rest.find("*/", 2);
        const bool is_open = rest[1] == '*' && end == rest.npos;
        const std::size_t stop = end == rest.npos ? text_.size() : at_ + end + (rest[1] == '/' ? 0 : 2);
        for (; at_ < stop; ++at_)
            if (!is_open && !is_blank(text_[at_])) text_[at_] = ' ';
        return true;
    }

    std::string text_;
    json_dialect dialect_;
    std::size_t at_ = 0;
    std::size_t comma_ = std::string::npos;  ///< the comma after a value since which there are only blanks
    bool follows_value_ = false;             ///< whether the last character that is not blank ends a value
};

/// Returns a text of a dialect as JSON with the same lines.
/// @param text     the text
/// @param dialect  extensions that the parser of the text accepts
inline std::string json_of_dialect(std::string_view text, json_dialect dialect) {
    return lenient_json(text, dialect).take();
}

}  // namespace collsched::foreign
