#pragma once

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "collsched/format/pictures/write_html.hpp"
#include "collsched/format/text.hpp"

namespace collsched::page_list {

/// A schedule in a list of pages, with links relative to the list.
struct indexed_page {
    std::string name;     ///< such as "allgather/ring"
    std::string facts;    ///< result of facts_text
    std::string page;     ///< file of write_html
    std::string picture;  ///< file of write_svg; empty: none
};

/// Writes a page that lists others, with one section per collective in order of first occurrence. `words` is the
/// introduction.
template <std::output_iterator<char> Out>
Out write_html_index(Out out, std::string_view title, std::string_view words, std::span<const indexed_page> pages) {
    const auto put = [&](const auto& format, const auto&... values) {
        out = fmt::format_to(std::move(out), format, values...);
    };
    std::vector<std::string_view> collectives;
    for (const indexed_page& page : pages) {
        const std::string_view collective = split_name(page.name).collective;
        if (std::find(collectives.begin(), collectives.end(), collective) == collectives.end())
            collectives.push_back(collective);
    }
    out = write_html_head(std::move(out), title);
    put(FMT_COMPILE("<header>\n<h1>{}</h1>\n<p class=\"facts\">{}</p>\n<nav aria-label=\"Collectives\"><ul>\n"),
        xml_text(title), xml_text(words));
    for (const std::string_view collective : collectives)
        put(FMT_COMPILE("<li><a href=\"#{0}\">{0}</a></li>\n"), xml_text(collective));
    put(FMT_COMPILE("</ul></nav>\n</header>\n<main>\n"));
    for (const std::string_view collective : collectives) {
        put(FMT_COMPILE("<section id=\"{0}\" aria-label=\"{0}\">\n<h2>{0}</h2>\n<ul class=\"gallery\">\n"),
            xml_text(collective));
        for (const indexed_page& page : pages) {
            const auto name = split_name(page.name);
            if (name.collective != collective) continue;
            put(FMT_COMPILE("<li><a href=\"{}\">{}</a>\n<div class=\"hint\">{}</div>\n"), xml_text(page.page),
                xml_text(name.algorithm), xml_text(page.facts));
            if (!page.picture.empty())
                put(FMT_COMPILE("<a href=\"{0}\" title=\"the picture alone\"><img src=\"{0}\" loading=\"lazy\" "
                                "alt=\"picture of {1}\"></a>\n"),
                    xml_text(page.picture), xml_text(page.name));
            put(FMT_COMPILE("</li>\n"));
        }
        put(FMT_COMPILE("</ul>\n</section>\n"));
    }
    put(FMT_COMPILE("</main>\n</body>\n</html>\n"));
    return out;
}

}  // namespace collsched::page_list
