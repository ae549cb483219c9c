#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/ranges.h>
#include <pugixml.hpp>

#include "collsched/format/text.hpp"
#include "collsched/format/files/text_file.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The elements of an XML text, with their lines. pugixml parses a copy in place, so names and values point into that
/// copy. Their addresses give the lines.
class xml_file {
  public:
    explicit xml_file(const text_file& file) : file_(file), text_(file.text) {
        for (std::size_t at = 0; (at = text_.find('\n', at)) != text_.npos; ++at) ends_.push_back(at);
        file_.refuse_zero_bytes("XML");
        const pugi::xml_parse_result parsed = document_.load_buffer_inplace(
            text_.data(), text_.size() + 1, (pugi::parse_default & ~pugi::parse_eol) | pugi::parse_fragment,
            pugi::encoding_utf8);
        if (parsed) return;
        std::string problem = parsed.description();
        problem[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(problem[0])));
        file_.refuse(line_at(static_cast<std::size_t>(parsed.offset)), problem, "XML");
    }
    xml_file(const xml_file&) = delete;
    xml_file& operator=(const xml_file&) = delete;

    /// Returns the root element.
    pugi::xml_node root(std::string_view name) const {
        const pugi::xml_node first = document_.first_child();
        if (!first) file_.refuse(1, "no element", fmt::format("<{}>", name));
        for (const pugi::xml_node node : document_.children()) {
            if (node.type() != pugi::node_element) refuse_child(node, fmt::format("<{}>", name));
            if (node != first || name != node.name())
                refuse(node, fmt::format("<{}>", node.name()), fmt::format("one <{}>", name));
        }
        return first;
    }

    int line(pugi::xml_node node) const {
        return line_of(node.type() == pugi::node_element ? node.name() : first_word(node));
    }
    int line(pugi::xml_attribute attribute) const { return line_of(attribute.name()); }

    template <class Part>
    [[noreturn]] void refuse(Part part, std::string_view value, std::string_view expected) const {
        file_.refuse(line(part), value, expected);
    }
    /// Returns the mistake of an attribute whose value is not the expected one.
    input_error::mistake mistake_of(pugi::xml_attribute attribute, std::string_view expected) const {
        return {attribute.name(), json_text(attribute.value()), std::string(expected), file_.name, line(attribute)};
    }
    /// Rejects the name and value of an attribute.
    [[noreturn]] void refuse_value(pugi::xml_attribute attribute, std::string_view expected) const {
        throw input_error(mistake_of(attribute, expected));
    }

    /// Rejects attributes with other names, and duplicates.
    void check_attributes(pugi::xml_node node, std::initializer_list<std::string_view> allowed) const {
        for (const pugi::xml_attribute attribute : node.attributes()) {
            if (std::find(allowed.begin(), allowed.end(), attribute.name()) == allowed.end())
                refuse(attribute, fmt::format("{} of <{}>", attribute.name(), node.name()),
                       fmt::format("{}", fmt::join(allowed, ", ")));
            if (node.attribute(attribute.name()) != attribute)
                refuse(attribute, fmt::format("{} of <{}> twice", attribute.name(), node.name()), "once");
        }
    }
    pugi::xml_attribute needed(pugi::xml_node node, const char* name) const {
        const pugi::xml_attribute found = node.attribute(name);
        if (!found) refuse(node, fmt::format("<{}> without {}", node.name(), name), fmt::format("{}=\"...\"", name));
        return found;
    }
    /// Rejects an element where it has no meaning.
    [[noreturn]] void refuse_child(pugi::xml_node node, std::string_view expected) const {
        if (node.type() != pugi::node_element) refuse(node, "text " + json_text(first_word(node)), expected);
        refuse(node, fmt::format("<{}> in <{}>", node.name(), node.parent().name()), expected);
    }

  private:
    /// Returns the first character of a text that is not whitespace.
    static const char* first_word(pugi::xml_node text) { return text.value() + std::strspn(text.value(), " \t\r\n"); }
    int line_of(const char* in_text) const { return line_at(static_cast<std::size_t>(in_text - text_.data())); }
    int line_at(std::size_t offset) const {
        return static_cast<int>(std::lower_bound(ends_.begin(), ends_.end(), offset) - ends_.begin()) + 1;
    }

    const text_file& file_;
    std::string text_;
    std::vector<std::size_t> ends_;  ///< ends of lines
    pugi::xml_document document_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
