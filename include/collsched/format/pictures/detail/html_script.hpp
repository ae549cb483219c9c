#pragma once

#include <string_view>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The JavaScript of an HTML page for a schedule. It reads the JSON of write_html_data and the picture of write_svg,
/// and needs no library.
inline constexpr std::string_view html_script = R"js('use strict';
(() => {
const data = JSON.parse(document.getElementById('schedule').textContent);
const find = id => document.getElementById(id);
const slider = find('step'), play = find('play'), details = find('details'), filter = find('rank');
const svg = document.querySelector('#picture svg');
const count = (n, what) => `${n} ${what}${n === 1 ? '' : 's'}`;
const make = (name, text) => {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    return element;
};

let at = 0;           // how many steps are done: 0 is before the first
let rank = -1;        // the one looked at; -1: all
let timer = null;
const pause = Math.min(1000, Math.max(200, 20000 / data.steps));  // ms per step
let marked = -1;      // the message in the details

// --- the messages, as the picture shows them ---

const steps = [...svg.querySelectorAll('[data-step]')];
const shapes = [];
for (const shape of svg.querySelectorAll('[data-message]')) shapes[+shape.dataset.message] = shape;
const of_step = steps.map(() => []);
data.messages.forEach((message, i) => of_step[message.step].push(i));
const concerns = message => rank < 0 || message.src === rank || message.dst === rank;

function words(message) {
    const who = message.src === message.dst ? `rank ${message.src} copies` : `rank ${message.src} → rank ${message.dst}`;
    const what = message.blocks === '' ? '' : `, block ${message.blocks}`;
    return `step ${message.step}: ${who}${what}, ${message.bytes === 0 ? 'a signal' : count(message.bytes, 'byte')}`;
}
function ranges(message) {
    if (message.bytes === 0) return '';
    return message.edges.map(([from, read, into, written, size, action]) =>
        `${from}[${read},${read + size}) → ${into}[${written},${written + size})` +
        (action === 'copy' ? '' : ` ${action}`)).join('; ');
}

function mark(i) {
    for (const element of document.querySelectorAll('.marked')) element.classList.remove('marked');
    marked = i;
    if (i < 0) {
        details.textContent = details.dataset.hint;
        return;
    }
    shapes[i].classList.add('marked');
    const row = document.querySelector(`#messages tr[data-message="${i}"]`);
    if (row) row.classList.add('marked');
    const message = data.messages[i];
    details.replaceChildren(make('strong', words(message)), make('br'), ranges(message));
}
const message_at = event => {
    const shape = event.target.closest('[data-message]');
    return shape ? +shape.dataset.message : -1;
};
for (const where of [svg, find('messages')]) {
    where.addEventListener('pointerover', event => { if (message_at(event) >= 0) mark(message_at(event)); });
    where.addEventListener('focusin', event => { if (message_at(event) >= 0) mark(message_at(event)); });
}
// A child of an image cannot have the focus; the titles would cover the details below.
svg.setAttribute('role', 'group');
svg.setAttribute('aria-label', `Messages of ${data.schedule}: ranks down, steps across`);
shapes.forEach((shape, i) => {
    shape.querySelector('title').remove();
    shape.setAttribute('tabindex', '-1');
    shape.setAttribute('role', 'img');
    shape.setAttribute('aria-label', `${words(data.messages[i])}. ${ranges(data.messages[i])}`);
});

// A picture a little too wide is made smaller; beside a much wider one, the ranks' names stay in sight.
if (svg.viewBox.baseVal.width < 1500) {
    svg.classList.add('fits');
    svg.style.minWidth = `${Math.min(svg.viewBox.baseVal.width, 900)}px`;
} else {
    const names = svg.cloneNode(false), {height} = svg.viewBox.baseVal, words = [...svg.querySelectorAll('text.end')];
    const width = Math.max(...words.map(word => +word.getAttribute('x'))) + 4;
    names.append(...words.map(word => word.cloneNode(true)));
    const attributes = {viewBox: `0 0 ${width} ${height}`, width, class: 'names', role: 'presentation', 'aria-hidden': true};
    for (const [name, value] of Object.entries(attributes)) names.setAttribute(name, value);
    names.style.marginRight = `-${width}px`;
    svg.before(names);
}

// Arrows are thin: those of the step shown can be hit beside them, too. Tab reaches one message per step.
function show_picture() {
    for (const extra of svg.querySelectorAll('.hit,.band')) extra.remove();
    steps.forEach((group, k) => group.classList.toggle('later', at > 0 && k >= at));
    shapes.forEach((shape, i) => {
        shape.classList.toggle('off', !concerns(data.messages[i]));
        shape.setAttribute('tabindex', '-1');
    });
    const shown = shown_messages();
    if (shown.length > 0) shapes[shown.includes(marked) ? marked : shown[0]].setAttribute('tabindex', '0');
    if (at === 0) return;
    const group = steps[at - 1], box = group.getBBox(), rows = svg.querySelector('.line').getBBox();
    const band = document.createElementNS(svg.namespaceURI, 'rect');
    const beside = {x: box.x - 3, y: 6, width: box.width + 6, height: rows.y + rows.height + 8, rx: 6, class: 'band'};
    for (const [name, value] of Object.entries(beside)) band.setAttribute(name, value);
    group.prepend(band);
    for (const i of shown) {
        const hit = shapes[i].cloneNode(false);
        for (const name of ['tabindex', 'role', 'aria-label', 'opacity', 'stroke-dasharray']) hit.removeAttribute(name);
        hit.setAttribute('class', 'hit');
        hit.setAttribute('aria-hidden', 'true');
        band.after(hit);
    }
    const frame = find('picture'), scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    const left = box.x * scale, right = (box.x + box.width) * scale;
    if (left < frame.scrollLeft || right > frame.scrollLeft + frame.clientWidth)
        frame.scrollLeft = left - frame.clientWidth / 3;
}
const shown_messages = () => (at === 0 ? of_step[0] || [] : of_step[at - 1]).filter(i => concerns(data.messages[i]));

function show_list() {
    const rows = shown_messages().map(i => {
        const message = data.messages[i], row = make('tr');
        row.dataset.message = i;
        const bytes = message.bytes === 0 ? 'signal' : count(message.bytes, 'byte');
        row.append(make('td', message.src), make('td', message.src === message.dst ? 'copy' : message.dst),
                   make('td', message.blocks), make('td', bytes), make('td', ranges(message)));
        return row;
    });
    find('messages').tBodies[0].replaceChildren(...rows);
    find('listed').textContent = `Messages of step ${Math.max(at - 1, 0)}` + (rank < 0 ? '' : `, of rank ${rank}`);
}

// --- blocks that each rank holds ---

const table = find('holdings'), cells = [];
const grouped = data.columns.some(column => column.owner >= 0);
const wide = data.columns.length <= 20 && data.ranks <= 32;
function make_table() {
    const head = table.createTHead(), body = table.createTBody();
    const begins = column => grouped && (column === 0 || data.columns[column].owner !== data.columns[column - 1].owner);
    if (grouped) {
        const row = head.insertRow();
        row.append(make('th', 'from'));
        data.columns.forEach((column, c) => {
            if (!begins(c)) return;
            const cell = make('th', column.owner);
            cell.colSpan = data.columns.filter(other => other.owner === column.owner).length;
            row.append(cell);
        });
    }
    const row = head.insertRow();
    row.append(make('th', grouped ? 'to' : 'rank'));
    data.columns.forEach((column, c) => {
        const often = wide || grouped || data.columns.length <= 40 || c % 8 === 0;
        const cell = make('th', often ? column.label : '');
        cell.scope = 'col';
        cell.title = column.name;
        row.append(cell);
    });
    for (let r = 0; r < data.ranks; ++r) {
        const line = body.insertRow();
        const name = make('th', r);
        name.scope = 'row';
        line.append(name);
        cells.push(data.columns.map((column, c) => {
            const cell = line.insertCell();
            cell.dataset.rank = r;
            cell.dataset.column = c;
            cell.style.setProperty('--h', column.hue);
            if (begins(c) && c > 0) cell.classList.add('first');
            return cell;
        }));
        for (const c of data.promised[r]) cells[r][c].classList.add('promised');
    }
    table.classList.toggle('small', !wide);
    table.classList.toggle('sets', wide && data.reduces);
}

/// Returns the contents of every rank after `done` steps: amount, ranks of operands, written by the last step or not.
function state_after(done) {
    const state = cells.map(row => row.map(() => ({amount: 0, whose: '', fresh: false})));
    for (const {step, cells: changed} of data.held)
        if (step < done)
            for (const [r, c, amount, whose = ''] of changed)
                state[r][c] = {amount, whose, fresh: step >= 0 && step === done - 1};
    return state;
}
function held_words(r, c, {amount, whose}) {
    const column = data.columns[c];
    if (data.collective === 'barrier') return `rank ${r} has ${amount ? '' : 'not yet '}received from rank ${column.name}`;
    const what = `${data.reduces || data.collective === 'broadcast' ? 'piece' : 'block'} ${column.name}`;
    if (amount === 0) return `rank ${r}: nothing of ${what}`;
    if (data.reduces) return `rank ${r}: ${what} combined of rank${amount === 1 ? '' : 's'} ${whose}`;
    return `rank ${r}: ${what}, ` + (amount === column.whole ? 'whole' : `${amount} of ${count(column.whole, 'byte')}`);
}
let state = [];
function show_table() {
    state = state_after(at);
    find('cell').textContent = find('cell').dataset.hint;
    cells.forEach((row, r) => {
        row[0]?.parentNode.classList.toggle('off', rank >= 0 && r !== rank);
        row.forEach((cell, c) => {
            const {amount, whose, fresh} = state[r][c], whole = data.columns[c].whole;
            cell.classList.toggle('held', amount > 0);
            cell.classList.toggle('fresh', fresh);
            cell.style.setProperty('--f', (amount / whole).toFixed(3));
            if (!wide) return;
            const part = amount === whole ? '●' : `${amount}/${whole}`;
            cell.textContent = amount === 0 ? '' : !data.reduces ? part : whose.length < 6 ? whose : `${amount} of ${whole}`;
        });
    });
}
table.addEventListener('pointerover', event => {
    const cell = event.target.closest('td');
    if (cell === null) return;
    find('cell').textContent = held_words(+cell.dataset.rank, +cell.dataset.column,
                                          state[+cell.dataset.rank][+cell.dataset.column]);
});

// --- steps ---

function now_words() {
    if (at === 0) return `Before the first of ${count(data.steps, 'step')}`;
    const shown = shown_messages().map(i => data.messages[i]).filter(message => message.src !== message.dst);
    const bytes = shown.reduce((sum, message) => sum + message.bytes, 0);
    const whose = rank < 0 ? '' : ` of rank ${rank}`;
    const broken = at > data.followed ? '; not followed any further' : '';
    return `After step ${at - 1} (${at} of ${data.steps}): ${count(shown.length, 'message')}${whose}, ` +
        count(bytes, 'byte') + broken;
}
function show() {
    slider.value = at;
    const words_now = now_words();
    slider.setAttribute('aria-valuetext', words_now);
    find('now').textContent = words_now;
    find('back').disabled = at === 0;
    find('forward').disabled = at === data.steps;
    show_list();
    mark(-1);
    show_picture();
    show_table();
    document.dispatchEvent(new CustomEvent('shown', {detail: {messages: at === 0 ? [] : shown_messages(), pause}}));
}
function go(step) {
    at = Math.min(Math.max(step, 0), data.steps);
    show();
    if (at === data.steps) stop();
}
function stop() {
    clearInterval(timer);
    timer = null;
    play.textContent = 'Play';
}
play.addEventListener('click', () => {
    if (timer !== null) return stop();
    if (at === data.steps) go(0);
    if (data.steps === 0) return;
    play.textContent = 'Pause';
    timer = setInterval(() => go(at + 1), pause);
});
const move = step => { stop(); go(step); };
slider.addEventListener('input', () => move(+slider.value));
find('back').addEventListener('click', () => move(at - 1));
find('forward').addEventListener('click', () => move(at + 1));
filter.addEventListener('change', () => { rank = +filter.value; show(); });

document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.altKey || event.metaKey || ['INPUT', 'SELECT'].includes(event.target.tagName)) return;
    const among = event.target.closest('svg [data-message]') !== null ? {ArrowDown: 1, ArrowUp: -1}[event.key] : undefined;
    const step = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: data.steps}[event.key];
    if (among !== undefined) {
        const shown = shown_messages(), here = shown.indexOf(marked);
        const next = shapes[shown[(here + among + shown.length) % shown.length]];
        for (const i of shown) shapes[i].setAttribute('tabindex', shapes[i] === next ? '0' : '-1');
        next.focus();
    } else if (step !== undefined) {
        const inside = svg.contains(event.target);
        move(step);
        if (inside && shown_messages().length > 0) shapes[shown_messages()[0]].focus();
    } else return;
    event.preventDefault();
});

const choice = (text, value) => Object.assign(make('option', text), {value});
filter.append(choice('all ranks', -1), ...Array.from({length: data.ranks}, (_, r) => choice(`rank ${r}`, r)));
slider.max = data.steps;
make_table();
show();
})();
)js";

}}}  // namespace collsched::COLLSCHED_ABI::detail
