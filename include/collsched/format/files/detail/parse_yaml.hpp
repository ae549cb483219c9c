#pragma once

#include <cstddef>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <yaml-cpp/anchor.h>
#include <yaml-cpp/emitterstyle.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "collsched/format/files/detail/json_value.hpp"
#include "collsched/format/files/text_file.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Builds the values of a YAML text, whose scalars are texts, from the events of the parser. It uses neither the parser's
/// tree nor aliases, so a text gives at most as many values as it has characters. The depth is limited before the parser
/// descends.
class yaml_builder final : public YAML::EventHandler {
  public:
    explicit yaml_builder(const text_file& file) : file_(file) {}

    json_value take() { return std::move(root_); }

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (++documents_ > 1) refuse(mark, "a second document", "one document");
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
        if (wants_key()) return put_key(mark, "");
        const bool has_key = !open_.empty() && open_.back().has_key;  // the mark is that of the next value
        const int at = has_key ? std::get<map>(open_.back().value->content)->back().line : line(mark);
        place() = {at, nullptr};
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse(mark, "an alias", "YAML without aliases"); }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, const std::string& text) override {
        check_tag(mark, tag);
        if (wants_key()) put_key(mark, text);
        else place() = {line(mark), std::make_unique<std::string>(text)};
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                         YAML::EmitterStyle::value) override {
        open(mark, tag, std::make_unique<json_value::list>());
    }
    void OnSequenceEnd() override { open_.pop_back(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                    YAML::EmitterStyle::value) override {
        open(mark, tag, std::make_unique<json_value::object>());
    }
    void OnMapEnd() override { open_.pop_back(); }

    [[noreturn]] void refuse(const YAML::Mark& mark, std::string_view problem, std::string_view expected) const {
        file_.refuse(line(mark), problem, expected);
    }

  private:
    using map = std::unique_ptr<json_value::object>;
    static constexpr std::size_t deepest = 16;
    struct level {
        json_value* value;  ///< only its last list grows, so these pointers remain valid
        bool has_key = false;
    };

    static int line(const YAML::Mark& mark) { return mark.is_null() ? 1 : mark.line + 1; }
    bool wants_key() const {
        return !open_.empty() && open_.back().value->as<json_value::object>() != nullptr && !open_.back().has_key;
    }
    void check_tag(const YAML::Mark& mark, const std::string& tag) const {
        if (!tag.empty() && tag != "?" && tag != "!") refuse(mark, "a tag", "YAML without tags");
    }
    void put_key(const YAML::Mark& mark, const std::string& text) {
        std::get<map>(open_.back().value->content)->push_back({text, line(mark), {}});
        open_.back().has_key = true;
    }
    template <class T>
    void open(const YAML::Mark& mark, const std::string& tag, T empty) {
        check_tag(mark, tag);
        if (wants_key()) refuse(mark, "a key that is no text", "KEY: VALUE");
        if (open_.size() == deepest) refuse(mark, "too deep a nest", "at most 16 levels");
        json_value& container = place();
        container = {line(mark), std::move(empty)};
        open_.push_back({&container});
    }
    /// Returns the destination of the next value.
    json_value& place() {
        if (open_.empty()) return root_;
        level& inner = open_.back();
        if (auto* items = std::get_if<std::unique_ptr<json_value::list>>(&inner.value->content))
            return (*items)->emplace_back();
        inner.has_key = false;
        return std::get<map>(inner.value->content)->back().value;
    }

    const text_file& file_;
    json_value root_;
    std::vector<level> open_;
    int documents_ = 0;
};

/// Parses a YAML text, all of whose scalars are texts, of one document and at most 2^21 bytes, without aliases and tags,
/// and with at most 16 levels. Takes up to 250 times the size of the text in memory. Requires yaml-cpp. Throws input_error.
inline json_value parse_yaml(const text_file& file) {
    if (file.text.size() > std::size_t{1} << 21) file.refuse(1, "more than 2^21 bytes", "YAML of at most 2^21 bytes");
    file.refuse_zero_bytes("YAML");
    detail::yaml_builder builder(file);
    try {
        std::istringstream in(file.text);
        YAML::Parser parser(in);
        while (parser.HandleNextDocument(builder)) {}
    } catch (const YAML::Exception& error) {
        builder.refuse(error.mark, error.msg, "YAML");
    }
    return builder.take();
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
