#pragma once

#include <string>
#include <string_view>

#include "collsched/format/pictures/detail/html_network_script.hpp"
#include "collsched/format/pictures/detail/html_script.hpp"
#include "collsched/format/pictures/detail/html_style.hpp"
#include "collsched/format/detail/pen.hpp"
#include "collsched/format/text.hpp"
#include "collsched/format/pictures/detail/write_html_data.hpp"
#include "collsched/format/pictures/write_svg.hpp"
#include "collsched/simulate/link_queue_model.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Returns the explanation of the rows and columns of the table of held data.
inline std::string held_hint(const stored_schedule& s, const held_table& table) {
    const contract& c = s.contract();
    std::string hint =
        c.collective == collective::barrier
            ? "Ranks (columns) from which each rank (row) has received signals, directly or through others."
        : reduces(c.collective)
            ? "For each rank (row) and piece of the operands (column), the ranks whose operands it has combined: "
              "the most in any one of its buffers. The fuller the color, the more."
        : c.collective == collective::broadcast ? "Pieces of the message (columns) in the buffers of each rank (row)."
        : c.collective == collective::alltoall || c.collective == collective::neighbor_alltoall
            ? "Blocks (columns, by sender and by receiver) in the buffers of each rank (row)."
            : "Blocks (columns) in the buffers of each rank (row).";
    if (table.merged) hint += " There are too many blocks for that: a column is all that one rank brings.";
    if (table.columns.size() < table.of)
        hint += fmt::format(FMT_COMPILE(" Of {} columns {} are shown, evenly spaced."), table.of, table.columns.size());
    return hint;
}

template <class Out>
void put_controls(pen<Out>& put) {
    put.text(R"(<section class="controls" aria-label="Steps">
<button id="play" type="button">Play</button>
<button id="back" type="button" aria-label="One step back">◀</button>
<input id="step" type="range" min="0" value="0" step="1" aria-label="Steps done">
<button id="forward" type="button" aria-label="One step forward">▶</button>
<label>Show <select id="rank"></select></label>
<p id="now" role="status" aria-live="polite"></p>
</section>
)");
}

}  // namespace detail

/// Returns an error if a message of a schedule has no path over links of a network.
/// @param s        schedule without error
/// @param links    network of its ranks
/// @param binding  how input and output overlap
inline argument_error check_routes(const stored_schedule& s, const link_queue_model& links,
                                   binding binding = binding::separate) {
    return detail::network_routes(s, links, binding, detail::merged_lines(links.net)).check();
}

/// Writes the beginning of a page in the style of write_html(), up to its header.
/// @param out    output iterator for the text
/// @param title  title of the page
/// @return the iterator behind the text
template <std::output_iterator<char> Out>
Out write_html_head(Out out, std::string_view title) {
    detail::pen put(std::move(out));
    put(FMT_COMPILE("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
                    "content=\"width=device-width\">\n<title>{}</title>\n<link rel=\"icon\" href=\"data:,\">\n"
                    "<style>{}</style>\n</head>\n<body>\n"),
        xml_text(title), detail::html_style);
    return put.done();
}

/// Writes an HTML page for a schedule: its messages as arrows between ranks and steps, the data that each rank holds
/// before and after each step, and the messages of a step with their byte ranges. The page can be stepped through,
/// played, or limited to one rank. It loads no other file. Text O(edges + ranks * columns).
///
/// @param out      output iterator for the text
/// @param s        schedule of any number of ranks
/// @param name     name of the schedule, as in the command line: "allgather/ring"
/// @param binding  how input and output overlap
/// @param index    relative link to the page that lists this one; empty: none
/// @param links    network of the ranks, on which the page shows the messages of each step; null: none
/// @pre links == nullptr, or it has the ranks of s, no error, and !check_routes(s, *links, binding)
/// @return the iterator behind the text
template <std::output_iterator<char> Out>
Out write_html(Out out, const stored_schedule& s, std::string_view name, binding binding = binding::separate,
               std::string_view index = {}, const link_queue_model* links = nullptr) {
    detail::pen put(write_html_head(std::move(out),
                                    fmt::format(FMT_COMPILE("{}, {} rank{}"), name, s.ranks, s.ranks == 1 ? "" : "s")));
    put(FMT_COMPILE("<header>\n<h1>{}</h1>\n<p class=\"facts\">{} · pacing {}{} · {}</p>\n"), xml_text(name),
        facts_text(s), pacing_text(s.pacing()), binding == binding::in_place ? " · in place" : "",
        detail::verdict_text(verify(s, binding)));
    if (!index.empty()) put(FMT_COMPILE("<p><a href=\"{}\">All schedules</a></p>\n"), xml_text(index));
    put.text("<noscript><p>Without scripts this page shows the messages alone.</p></noscript>\n</header>\n<main>\n");
    detail::put_controls(put);
    if (links != nullptr) put = detail::pen(detail::write_html_network(put.done(), s, *links, binding));
    put.text(
        "<section aria-labelledby=\"arrows\">\n<h2 id=\"arrows\">Messages</h2>\n<div class=\"scroll\" "
        "id=\"picture\">\n");
    put = detail::pen(write_svg(put.done(), s, name, binding, detail::svg_use::page));
    put.text(R"(</div>
<p id="details" data-hint="Point at an arrow, or reach it with Tab, then go up and down; left and right go from step to step."></p>
</section>
)");
    put(FMT_COMPILE(
            "<section aria-labelledby=\"held\">\n<h2 id=\"held\">Blocks of each rank</h2>\n<p class=\"hint\">{} "
            "<span class=\"key promised\"></span> promised to the rank in the end "
            "<span class=\"key fresh\"></span> came in this step</p>\n"),
        detail::held_hint(s, detail::holdings(s, binding).table()));
    put.text(R"(<div class="scroll"><table id="holdings"></table></div>
<p id="cell" data-hint="Point at a square to read its contents."></p>
</section>
<section aria-labelledby="listed">
<h2 id="listed">Messages of the step</h2>
<div class="scroll tall" tabindex="0" role="group" aria-labelledby="listed"><table id="messages">
<thead><tr><th>from rank</th><th>to rank</th><th>blocks</th><th>size</th><th>bytes read → written</th></tr></thead>
<tbody></tbody>
</table></div>
</section>
</main>
<script type="application/json" id="schedule">
)");
    put = detail::pen(detail::write_html_data(put.done(), s, name, binding));
    put.text("</script>\n");
    if (links != nullptr) put(FMT_COMPILE("<script>{}</script>\n"), detail::html_network_script);
    put(FMT_COMPILE("<script>{}</script>\n</body>\n</html>\n"), detail::html_script);
    return put.done();
}

}}  // namespace collsched::COLLSCHED_ABI
