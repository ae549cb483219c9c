#pragma once

#include <string>
#include <string_view>

#include "collsched/core/config.hpp"
#include "collsched/format/pictures/detail/html_script.hpp"
#include "collsched/format/pictures/detail/write_html_data.hpp"
#include "collsched/format/pictures/write_svg.hpp"
#include "collsched/format/text.hpp"
#include "collsched/simulate/link_queue_model.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// The style rules of all pages, for light and for dark screens. The picture in the page has its own rules.
inline constexpr std::string_view html_style = R"css(
:root{color-scheme:light dark;--page:#f4f6f8;--card:#fff;--ink:#1b2026;--note:#545f6a;--line:#d3d9df;--frame:#6b7681;
--accent:#1458b8;--on-accent:#fff;--band:#1458b814}
@media (prefers-color-scheme:dark){:root{--page:#0e1115;--card:#15191e;--ink:#e8ebee;--note:#a6b0bb;--line:#39414a;
--frame:#8a949f;--accent:#86b7ff;--on-accent:#0e1115;--band:#86b7ff1f}}
*{box-sizing:border-box}
body{margin:0;padding:1rem clamp(.75rem,3vw,2rem) 3rem;background:var(--page);color:var(--ink);
font:15px/1.5 system-ui,'DejaVu Sans',Helvetica,Arial,sans-serif}
main,header{max-width:90rem;margin:0 auto}
h1{font-size:1.5rem;margin:0;overflow-wrap:anywhere}h2{font-size:1.05rem;margin:0 0 .4rem}p{margin:.3rem 0}
a{color:var(--accent)}
.facts,.hint{color:var(--note)}.hint{font-size:.87rem;max-width:52rem}
section{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.9rem 1rem;margin-top:1rem}
.controls{position:sticky;top:0;z-index:2;display:flex;flex-wrap:wrap;gap:.5rem .8rem;align-items:center;
padding:.6rem 1rem}
.controls input{flex:1 1 12rem;min-width:8rem;accent-color:var(--accent)}
.controls p{flex:1 0 100%;margin:0;font-variant-numeric:tabular-nums}
button,select{font:inherit;color:var(--ink);background:var(--card);border:1px solid var(--frame);border-radius:6px;
padding:.25rem .7rem;min-height:2rem}
button{cursor:pointer}button:hover:enabled{border-color:var(--accent)}button:disabled{opacity:.55;cursor:default}
#play{background:var(--accent);border-color:var(--accent);color:var(--on-accent);min-width:5.2rem}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.scroll{overflow:auto}.tall{max-height:60vh}
#picture{display:flex;position:relative}#picture>svg{flex:none;margin:0 auto}
#picture>svg.fits{flex:0 1 auto;height:auto}
#picture>svg.names{position:sticky;left:0;z-index:1;margin:0;background:var(--card)}
svg .band{fill:var(--band)}svg .later{opacity:.3}svg .off{opacity:.07;pointer-events:none}
svg .hit{stroke:transparent;fill:none;stroke-width:11;pointer-events:stroke}
svg [data-message]:focus-visible{outline:none}svg .marked{stroke-width:4;opacity:1}
svg circle.marked{stroke:var(--accent);stroke-width:2.5}
#links{display:flex}#links>svg{flex:0 1 auto;height:auto;margin:0 auto;max-height:80vh}
svg .dot{stroke:var(--card);stroke-width:1}
#details{min-height:3em;margin:.4rem 0 0;overflow-wrap:anywhere}#cell{min-height:1.5em;color:var(--note)}
table{border-spacing:1px;font-variant-numeric:tabular-nums}
th{font-weight:500;color:var(--note);padding:0 .35em;font-size:.8rem}
#holdings tbody th,#holdings thead th:first-child{position:sticky;left:0;background:var(--card);text-align:right}
#holdings td{height:var(--cell,1.75rem);min-width:var(--cell,1.75rem);border:1px solid var(--line);border-radius:3px;padding:0 .15em;
text-align:center;font-size:.78rem;white-space:nowrap}
#holdings td.promised{border-color:var(--frame)}
#holdings td.held{color:#10151a;background:oklch(calc(.96 - .28*var(--f)) calc(.03 + .13*var(--f)) var(--h))}
#holdings td.fresh{box-shadow:inset 0 0 0 2px var(--ink)}
#holdings.sets td{min-width:3.4rem}
#holdings tr.off{opacity:.25}#holdings .first{border-left:3px double var(--frame)}
#holdings.small{--cell:.8rem}#holdings.small td{border-radius:1px;padding:0}#holdings.small th{font-size:.62rem;padding:0 .2em}
@media (prefers-color-scheme:dark){#holdings td.held{color:#fff;
background:oklch(calc(.27 + .24*var(--f)) calc(.03 + .12*var(--f)) var(--h))}}
.key{display:inline-block;width:1.1em;height:1.1em;vertical-align:-.2em;border:1px solid var(--line);border-radius:3px}
.key.promised{border-color:var(--frame)}.key.fresh{box-shadow:inset 0 0 0 2px var(--ink)}
#messages{border-collapse:collapse;font-size:.87rem}
#messages td,#messages th{text-align:left;padding:.15rem .9rem .15rem 0;border-bottom:1px solid var(--line);vertical-align:top}
#messages tr.marked td{background:var(--band)}
.gallery{display:grid;grid-template-columns:repeat(auto-fill,minmax(17rem,1fr));gap:1rem;padding:0;margin:.6rem 0 0;
list-style:none}
.gallery li{border:1px solid var(--line);border-radius:8px;padding:.6rem .8rem}
.gallery img{display:block;width:100%;height:auto;max-height:11rem;object-fit:contain;object-position:left top;margin-top:.4rem}
nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1rem;list-style:none;padding:0;margin:.6rem 0 0}
)css";

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
