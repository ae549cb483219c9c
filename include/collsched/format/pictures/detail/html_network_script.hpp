#pragma once

#include <string_view>

#include "collsched/core/config.hpp"

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

}}}  // namespace collsched::COLLSCHED_ABI::detail
