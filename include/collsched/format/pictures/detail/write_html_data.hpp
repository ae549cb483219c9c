#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/config.hpp"
#include "collsched/format/detail/block_trace.hpp"
#include "collsched/format/pictures/detail/holdings.hpp"
#include "collsched/format/pictures/svg_canvas.hpp"
#include "collsched/format/pictures/write_network_svg.hpp"
#include "collsched/format/text.hpp"
#include "collsched/simulate/link_queue_model.hpp"
#include "collsched/verify/verify.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The JavaScript for the network of a page. It reads the JSON of write_html_network and its picture, and shows the
/// messages of each event `shown`, which html_script sends.
inline constexpr std::string_view html_network_script = R"js('use strict';
(() => {
const data = JSON.parse(document.getElementById('network').textContent);
const svg = document.querySelector('#links svg'), words = document.getElementById('load');
const lines = [...svg.querySelectorAll('[data-line]')];
const still = matchMedia('(prefers-reduced-motion: reduce)');
const most_dots = 1500;
const dots = document.createElementNS(svg.namespaceURI, 'g');
svg.append(dots);
svg.classList.add('fits');
svg.setAttribute('role', 'img');
let frame = 0;

/// Shows the time for which the bytes of a step occupy each line, relative to the largest one.
function show_loads(messages) {
    const bytes = lines.map(() => 0);
    for (const i of messages)
        for (const [size, route] of data.routes[i])
            for (const line of route) bytes[line] += size;
    const times = bytes.map((size, line) => size / data.lines[line][2] * 1e6), largest = Math.max(0, ...times);
    const used = new Set(messages.flatMap(i => data.routes[i].flatMap(([, route]) => route)));
    lines.forEach((line, n) => {
        const share = largest > 0 ? times[n] / largest : 0;
        const level = !used.has(n) ? 0 : share <= 0.5 ? 1 : share <= 0.9 ? 2 : share < 0.999 ? 3 : 4;
        for (const other of [1, 2, 3, 4]) line.classList.toggle(`u${other}`, other === level);
        line.querySelector('title').textContent = `${name(n)}: ${bytes[n]} bytes, ${times[n].toPrecision(3)} us`;
    });
    const at = times.indexOf(largest);
    words.textContent = largest === 0 ? words.dataset.hint
        : `Largest load: ${name(at)}, ${bytes[at]} bytes, ${times[at].toPrecision(3)} us (red)`;
}
const name = line => `${data.names[data.lines[line][0]]} to ${data.names[data.lines[line][1]]}`;

/// Returns the place on a line, beside the one of the other direction.
function place(line, part) {
    const [[x0, y0], [x1, y1]] = [data.places[data.lines[line][0]], data.places[data.lines[line][1]]];
    const length = Math.max(1e-9, Math.hypot(x1 - x0, y1 - y0)), side = 2.2 / length;
    return [x0 + (x1 - x0) * part - (y1 - y0) * side, y0 + (y1 - y0) * part + (x1 - x0) * side];
}

/// Moves a dot per route of each message from its first vertex to its last.
function move_dots(messages, duration) {
    cancelAnimationFrame(frame);
    dots.replaceChildren();
    if (still.matches) return;
    const moving = [], waiting = lines.map(() => 0);  // dots that begin on the same line follow each other
    for (const i of messages) {
        const shape = document.querySelector(`#picture [data-message="${i}"]:not(.hit)`);
        const hue = [...shape.classList].find(one => /^h[0-9]+$/.test(one)) || '';
        for (const [size, route] of data.routes[i]) {
            if (route.length === 0 || moving.length >= most_dots) continue;
            const dot = document.createElementNS(svg.namespaceURI, 'circle');
            dot.setAttribute('class', `dot ${hue}`);
            dot.setAttribute('r', (3 + 2.5 * Math.sqrt(size / Math.max(1, data.most))).toFixed(1));
            dots.append(dot);
            moving.push([dot, route, Math.min(0.4, 0.06 * waiting[route[0]]++)]);
        }
    }
    let begin = null;
    const draw = time => {
        begin ??= time;
        const done = Math.min(1, (time - begin) / duration);
        for (const [dot, route, late] of moving) {
            const along = Math.min(1, Math.max(0, (done - late) / 0.6)) * route.length, hop = Math.min(Math.floor(along), route.length - 1);
            const [x, y] = place(route[hop], along - hop);
            dot.setAttribute('cx', x.toFixed(1));
            dot.setAttribute('cy', y.toFixed(1));
        }
        if (done < 1) frame = requestAnimationFrame(draw);
        else dots.replaceChildren();
    };
    if (moving.length > 0) frame = requestAnimationFrame(draw);
}

document.addEventListener('shown', event => {
    const {messages, pause} = event.detail;
    show_loads(messages);
    move_dots(messages, 0.85 * pause);
});
})();
)js";

/// Returns a text as a JSON string that is safe inside a script element: it contains no "<", so it cannot end the
/// element.
inline std::string script_text(std::string_view text) {
    std::string safe;
    for (const char c : json_text(text)) {
        if (c == '<') safe += "\\u003c";
        else safe += c;
    }
    return safe;
}

/// Returns the text of a verdict: "refused: wrong_bytes, step 3, rank 1, output byte 4".
inline std::string verdict_text(const verdict& found) {
    if (found.ok()) return "proved";
    return fmt::format(FMT_COMPILE("refused: {}, step {}, rank {}, {} byte {}"), name_of(found.finding), found.step,
                       found.rank, name_of(found.where), found.byte);
}

/// Writes the JSON object. Each function writes one member.
template <class Out>
class html_data {
  public:
    html_data(pen<Out>& put, const stored_schedule& s, binding binding)
        : put_(put), s_(s), binding_(binding), held_(s, binding) {}

    void messages() {
        put_.text(",\n\"messages\":[");
        const traced_blocks blocks(s_.contract());
        const auto put_edge = [&](const edge& e) {
            put_(FMT_COMPILE(R"(["{}",{},"{}",{},{},"{}"])"), name_of(e.from), e.from_offset, name_of(e.into),
                 e.into_offset, e.size, name_of(e.action));
        };
        put_.list(trace_messages(s_, binding_), [&](const traced_message& m) {
            put_(FMT_COMPILE("\n{{\"step\":{},\"src\":{},\"dst\":{},\"bytes\":{},\"blocks\":{},\"edges\":["), m.step,
                 m.src, m.dst, m.bytes, script_text(block_label(blocks, m.parts)));
            put_.list(m.edges, put_edge);
            put_.text("]}");
        });
        put_.text("\n]");
    }

    void columns() {
        const held_table& table = held_.table();
        put_(FMT_COMPILE(",\n\"columns_of\":{},\"merged\":{},\"columns\":["), table.of, table.merged);
        const svg_style style{s_.ranks};
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            const held_column& column = table.columns[i];
            const bool pieces = cuts_payload(s_.contract()) && s_.contract().collective != collective::reduce_scatter;
            const double turns = pieces ? static_cast<double>(i) / static_cast<double>(table.columns.size())
                                        : style.turns(static_cast<double>(grouped() ? column.owner : column.block));
            const std::string label = std::to_string(pieces ? static_cast<rank_t>(i) : column.block);
            put_(FMT_COMPILE("{}\n{{\"name\":{},\"label\":\"{}\",\"owner\":{},\"whole\":{},\"hue\":{}}}"),
                 i == 0 ? "" : ",", script_text(column_name(s_.contract(), column)), label,
                 grouped() ? column.owner : -1, held_.full_amount(i), std::lround(turns * 360));
        }
        put_.text("\n],\n\"promised\":[");
        put_.list(std::views::iota(rank_t{0}, s_.ranks), [&](rank_t r) {
            const auto promised = [&](std::size_t i) { return held_.promised(r, i); };
            const auto all = std::views::iota(std::size_t{0}, table.columns.size());
            put_(FMT_COMPILE("[{}]"), fmt::join(all | std::views::filter(promised), ","));
        });
        put_.text("]");
    }

    /// Writes the changes of each step. An entry is [rank, column, amount] or [rank, column, amount, contributors].
    void held() {
        put_.text(",\n\"held\":[");
        const verdict found = held_.for_each_step([&](step_t step, std::span<const holding> changed) {
            put_(FMT_COMPILE("{}\n{{\"step\":{},\"cells\":["), step < 0 ? "" : ",", step);
            put_.list(changed, [&](const holding& cell) {
                put_(FMT_COMPILE("[{},{},{}"), cell.rank, cell.column, cell.amount);
                if (!cell.contributors.empty()) put_(FMT_COMPILE(",\"{}\""), cell.contributors);
                put_.text("]");
            });
            put_.text("]}");
        });
        put_(FMT_COMPILE("\n],\n\"followed\":{}"), found.ok() ? s_.steps() : found.step);
    }

  private:
    /// Returns whether the columns are grouped by source rank.
    bool grouped() const {
        const collective collective = s_.contract().collective;
        return (collective == collective::alltoall || collective == collective::neighbor_alltoall) &&
               !held_.table().merged;
    }

    pen<Out>& put_;
    const stored_schedule& s_;
    binding binding_;
    holdings held_;
};

/// Writes the data for the script of a page as one JSON object that is safe inside a script element. `messages` are
/// those of trace_messages; an edge is [from, from_offset, into, into_offset, size, action]. `columns` are the columns
/// of the table of held data, `promised` the columns that the contract promises to each rank, and `held` the changes by
/// step.
template <std::output_iterator<char> Out>
Out write_html_data(Out out, const stored_schedule& s, std::string_view name, binding binding = binding::separate) {
    pen put(std::move(out));
    const contract& c = s.contract();
    put(FMT_COMPILE("{{\"schedule\":{},\"collective\":\"{}\",\"ranks\":{},\"steps\":{},\"reduces\":{},\"verdict\":{}"),
        script_text(name), name_of(c.collective), s.ranks, s.steps(), reduces(c.collective),
        script_text(verdict_text(verify(s, binding))));
    detail::html_data data(put, s, binding);
    data.messages();
    data.columns();
    data.held();
    put.text("}\n");
    return put.done();
}

/// The routes of the messages of a schedule, over the lines of the picture of a network.
class network_routes {
  public:
    /// Bytes of a message that take the same route: indices of lines.
    using route = std::pair<bytes_t, std::vector<std::size_t>>;

    /// @param lines  merged_lines() of the network
    /// @pre no error in s and model, and equal numbers of ranks
    network_routes(const stored_schedule& s, const link_queue_model& model, binding binding,
                   const std::vector<network_line>& lines)
        : shortest_(model.net) {
        for (std::size_t i = 0; i < lines.size(); ++i) by_ends_.emplace(std::pair(lines[i].from, lines[i].to), i);
        for (const traced_message& m : trace_messages(s, binding)) {
            std::map<std::vector<std::size_t>, bytes_t> bytes;
            for (const edge& e : m.edges)
                if (!m.is_local()) bytes[route_of(e, model)] += e.size;
            of_message_.emplace_back();
            for (const auto& [lines_of, size] : bytes) of_message_.back().emplace_back(size, lines_of);
        }
    }

    /// Returns an error if a message has no path over links of the network.
    argument_error check() const { return error_; }
    /// Returns the routes of each message, as trace_messages() orders them.
    const std::vector<std::vector<route>>& of_messages() const { return of_message_; }

  private:
    std::vector<std::size_t> route_of(const edge& e, const link_queue_model& model) {
        std::vector<rank_t> path;
        if (model.paths) model.paths(e, path);
        if (path.empty()) shortest_.append_shortest(e.src, e.dst, path);
        std::vector<std::size_t> lines;
        for (std::size_t i = 1; i < path.size(); ++i) {
            const auto found = by_ends_.find({path[i - 1], path[i]});
            if (found != by_ends_.end()) lines.push_back(found->second);
        }
        if (path.size() < 2 || lines.size() + 1 < path.size() || path.front() != e.src || path.back() != e.dst)
            error_ = {"path", e.dst, "a path over links of the network, from source to target", e.dst};
        return lines;
    }

    network_paths shortest_;
    std::map<std::pair<rank_t, rank_t>, std::size_t> by_ends_;
    std::vector<std::vector<route>> of_message_;
    argument_error error_;
};

/// Writes the section of a page with the network, and its data for html_network_script: `places` of the vertices in the
/// picture, `lines` [from, to, bytes per second], and `routes` of each message, [bytes, [line, ...]].
template <std::output_iterator<char> Out>
Out write_html_network(Out out, const stored_schedule& s, const link_queue_model& model, binding binding) {
    pen put(std::move(out));
    put.text(
        "<section aria-labelledby=\"network-title\">\n<h2 id=\"network-title\">Network</h2>\n<p class=\"hint\">"
        "Lines: the time for which the bytes of the step occupy a link. Blue: up to 0.9 of the largest one of the "
        "step, orange: below it, red: the largest. Dots: messages on their paths, in the colors of the picture "
        "below.</p>\n<div id=\"links\">\n");
    network_picture<Out> picture(put.done(), model.net, {.title = "Network", .links = {}}, svg_use::page);
    put = pen(picture.draw());
    put.text("</div>\n<p id=\"load\" data-hint=\"No messages on links.\"></p>\n</section>\n");
    put.text("<script type=\"application/json\" id=\"network\">\n{\"names\":[");
    put.list(std::views::iota(rank_t{0}, model.net.vertices()),
             [&](rank_t v) { put.text(script_text(vertex_name(model.net, v))); });
    put.text("],\n\"places\":[");
    put.list(picture.places(),
             [&](const network_layout::point& at) { put(FMT_COMPILE("[{:.1f},{:.1f}]"), at.x, at.y); });
    put.text("],\n\"lines\":[");
    const std::vector<network_line> lines = merged_lines(model.net);
    put.list(lines,
             [&](const network_line& line) { put(FMT_COMPILE("[{},{},{:.0f}]"), line.from, line.to, line.bandwidth); });
    bytes_t most = 0;
    const network_routes routes(s, model, binding, lines);
    put.text("],\n\"routes\":[");
    const auto put_route = [&](const network_routes::route& route) {
        put(FMT_COMPILE("[{},[{}]]"), route.first, fmt::join(route.second, ","));
        most = std::max(most, route.first);
    };
    const auto put_routes = [&](const std::vector<network_routes::route>& of_message) {
        put.text("[");
        put.list(of_message, put_route);
        put.text("]");
    };
    put.list(routes.of_messages(), put_routes, ",\n");
    put(FMT_COMPILE("],\n\"most\":{}}}\n</script>\n"), most);
    return put.done();
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
