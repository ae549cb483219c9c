#!/usr/bin/env node
// pages_test.js PROGRAM: opens the pages of `collsched gallery` and `collsched show --html` in Chromium without a screen, and
// steps, plays and filters in them as a reader does. `./dev browser` runs it. With SCREENSHOTS=DIR it writes pictures there.
'use strict';

const {execFileSync} = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const {check, equal, open: open_in, run} = require('./checks.js');

const program = path.resolve(process.argv[2]);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pages-'));
const screenshots = process.env.SCREENSHOTS;
const collsched = (...words) => execFileSync(program, words, {encoding: 'utf8'});
function show(file, name, ...shape) {
    collsched('show', name, ...shape, '--html', path.join(folder, file));
    return file;
}

let browser;
const open = (file, options) => open_in(browser, folder, file, options);
const data_of = page => page.evaluate(() => JSON.parse(document.getElementById('schedule').textContent));
const text = (page, selector) => page.locator(selector).innerText();
const held = page => page.locator('#holdings td.held').count();
const focused = page => page.evaluate(() => document.activeElement.dataset.message ?? document.activeElement.id);

/// The cells that must be held after `done` steps, from the data alone.
function held_after(data, done) {
    const cells = new Set();
    for (const {step, cells: changed} of data.held)
        if (step < done)
            for (const [r, c, amount] of changed) amount > 0 ? cells.add(`${r},${c}`) : cells.delete(`${r},${c}`);
    return cells.size;
}

async function steps(file) {
    const page = await open(file), data = await data_of(page);
    const arrows = data.messages.filter(message => message.src !== message.dst);
    equal(await page.locator('#picture [data-message]').count(), data.messages.length, file, 'shapes');
    check((await text(page, '#now')).startsWith('Before the first'), file, 'begins with', await text(page, '#now'));
    equal(await held(page), held_after(data, 0), file, 'held at first');
    for (let k = 1; k <= data.steps; ++k) {
        await page.keyboard.press('ArrowRight');
        const count = arrows.filter(message => message.step === k - 1).length;
        const words = await text(page, '#now');
        check(words.startsWith(`After step ${k - 1} (${k} of ${data.steps}): ${count} message`), file, 'says', words);
        equal(await held(page), held_after(data, k), file, 'held after', k, 'steps');
        equal(await page.locator('#messages tbody tr').count(), data.messages.filter(m => m.step === k - 1).length, file,
              'messages listed');
        equal(await page.locator('#picture .band').count(), 1, file, 'bands');
    }
    check(await page.locator('#forward').isDisabled(), file, 'goes on after the end');
    await page.keyboard.press('ArrowRight');
    equal(await page.locator('#step').inputValue(), String(data.steps), file, 'step at the end');
    await page.keyboard.press('Home');
    equal(await page.locator('#step').inputValue(), '0', file, 'step after Home');
    equal(await held(page), held_after(data, 0), file, 'held after going back');
    await page.locator('#step').fill('2');
    check((await text(page, '#now')).startsWith('After step 1 '), file, 'slider leads to', await text(page, '#now'));
    await page.locator('#step').press('ArrowLeft');
    check((await text(page, '#now')).startsWith('After step 0 '), file, 'slider with keys leads to', await text(page, '#now'));
    await page.locator('#forward').click();
    await page.locator('#back').click();
    equal(await page.locator('#step').inputValue(), '1', file, 'step after the buttons');
    await page.close();
}

async function edges(file) {
    const page = await open(file), data = await data_of(page);
    await page.keyboard.press('ArrowRight');
    const first = data.messages.findIndex(message => message.step === 0);
    for (let i = 0; i < 12 && !(await focused(page)).match(/^\d+$/); ++i) await page.keyboard.press('Tab');
    equal(await focused(page), String(first), file, 'the first message reached by Tab');
    const description = async () => (await text(page, '#details')).replace(/\s+/g, ' ');
    const has = (words, message) => {
        const [from, read, into, written, size] = message.edges[0];
        for (const piece of [`step ${message.step}:`, `rank ${message.src} `, `${message.bytes} byte`,
                             `${from}[${read},${read + size}) → ${into}[${written},${written + size})`])
            check(words.includes(piece), file, 'describes', words, 'without', piece);
    };
    has(await description(), data.messages[first]);
    await page.keyboard.press('ArrowDown');
    equal(await focused(page), String(first + 1), file, 'the next message');
    has(await description(), data.messages[first + 1]);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    equal(await focused(page), String(data.messages.filter(m => m.step === 0).length - 1), file, 'up from the first');
    await page.keyboard.press('ArrowRight');
    equal(await page.locator('#step').inputValue(), '2', file, 'step after the right arrow on a message');
    const second = data.messages.findIndex(message => message.step === 1);
    equal(await focused(page), String(second), file, 'the message after a step');
    const arrow = data.messages.findIndex(message => message.step === 1 && message.src !== message.dst);
    const box = await page.locator(`path[data-message="${arrow}"].a`).boundingBox();
    const down = await page.evaluate(i => { // beside the arrow, which is thin, not far from its head
        const path = document.querySelector(`path.a[data-message="${i}"]`), [x0, y0, x1, y1] = path.getAttribute('d').match(/[\d.]+/g);
        return new DOMPoint(+x0 + 0.85 * (x1 - x0), +y0 + 0.85 * (y1 - y0) + 3).matrixTransform(path.getScreenCTM()).toJSON();
    }, arrow);
    check(box !== null, file, 'has no arrow', arrow);
    await page.mouse.move(down.x, down.y);
    has(await description(), data.messages[arrow]);
    equal(await page.locator('#messages tr.marked').getAttribute('data-message'), String(arrow), file, 'row marked');
    await page.locator('#messages tbody tr').first().hover();
    has(await description(), data.messages[second]);
    await page.locator('#holdings td.held').first().hover();
    check((await text(page, '#cell')).startsWith('rank 0'), file, 'a square says', await text(page, '#cell'));
    await page.close();
}

async function filters(file) {
    const page = await open(file), data = await data_of(page);
    await page.locator('#rank').selectOption('2');
    const of_two = message => message.src === 2 || message.dst === 2;
    equal(await page.locator('#picture [data-message]:not(.off):not(.hit)').count(), data.messages.filter(of_two).length, file,
          'messages of rank 2');
    equal(await page.locator('#holdings tr.off').count(), data.ranks - 1, file, 'rows set back');
    await page.keyboard.press('Escape');
    await page.locator('#forward').click();
    equal(await page.locator('#messages tbody tr').count(), data.messages.filter(m => m.step === 0 && of_two(m)).length, file,
          'messages of rank 2 listed');
    check((await text(page, '#now')).includes('of rank 2'), file, 'says', await text(page, '#now'));
    await page.locator('#rank').selectOption('-1');
    equal(await page.locator('#picture .off').count(), 0, file, 'messages set back for all ranks');
    await page.close();
}

async function plays(file) {
    const page = await open(file), data = await data_of(page);
    await page.locator('#play').press('Enter');
    equal(await text(page, '#play'), 'Pause', file, 'button while it plays');
    await page.waitForFunction(() => +document.getElementById('step').value >= 2, null, {timeout: 10000});
    await page.locator('#play').click();
    equal(await text(page, '#play'), 'Play', file, 'button after a pause');
    const paused = await page.locator('#step').inputValue();
    await page.waitForTimeout(1300);
    equal(await page.locator('#step').inputValue(), paused, file, 'step some time after a pause');
    await page.locator('#play').click();
    await page.waitForFunction(last => +document.getElementById('step').value === last, data.steps, {timeout: 30000});
    equal(await text(page, '#play'), 'Play', file, 'button at the end');
    await page.close();
}

/// The least contrast of text on these elements (WCAG 2), as the browser paints their colors.
const contrast = page => page.evaluate(() => {
    const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const painted = colors => {
        for (const color of colors) {
            canvas.fillStyle = color;
            canvas.fillRect(0, 0, 1, 1);
        }
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const luminance = color => color.map(x => x / 255).map(x => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)
        .reduce((sum, x, i) => sum + x * [0.2126, 0.7152, 0.0722][i], 0);
    let least = {ratio: 99};
    for (const element of document.querySelectorAll('h1,h2,p,a,button:enabled,select,th,td,.facts,.hint')) {
        if (element.textContent.trim() === '') continue;
        const behind = [];
        for (let at = element; at !== null; at = at.parentElement) behind.unshift(getComputedStyle(at).backgroundColor);
        const back = luminance(painted(behind)), front = luminance(painted([...behind, getComputedStyle(element).color]));
        const ratio = (Math.max(back, front) + 0.05) / (Math.min(back, front) + 0.05);
        if (ratio < least.ratio) least = {ratio, what: `${element.tagName} ${element.className} ${element.textContent.slice(0, 30)}`};
    }
    return least;
});

async function colors(file, at) {
    const back = [];
    for (const colorScheme of ['light', 'dark']) {
        const page = await open(file, {colorScheme});
        if (!file.endsWith('index.html')) for (let k = 0; k < at; ++k) await page.keyboard.press('ArrowRight');
        const least = await contrast(page);
        check(least.ratio >= 4.5, file, colorScheme, 'has a contrast of', least.ratio.toFixed(2), 'in', least.what);
        back.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
        if (screenshots)
            await page.screenshot({path: path.join(screenshots, `${file.replaceAll('/', '-')}-${colorScheme}.png`), fullPage: true});
        await page.close();
    }
    check(back[0] !== back[1], file, 'is alike in light and dark');
}

async function narrow(file) {
    const page = await open(file, {viewport: {width: 390, height: 800}});
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    check(wide <= 390, file, 'is', wide, 'wide on a narrow screen');
    await page.close();
}

async function gallery() {
    const page = await open('gallery/index.html');
    const links = await page.locator('.gallery a:not([title])').evaluateAll(all => all.map(a => a.getAttribute('href')));
    equal(links.length, collsched('list').split('\n').filter(line => /^[a-z_]+\//.test(line) && !/^[a-z_]+v\//.test(line)).length,
          'schedules in the gallery');
    for (const image of await page.locator('.gallery img').all()) await image.scrollIntoViewIfNeeded();
    await page.waitForFunction(() => [...document.images].every(image => image.complete));
    equal(await page.evaluate(() => [...document.images].filter(image => image.naturalWidth === 0).length), 0, 'broken pictures');
    await page.close();
    for (const link of links) {
        const one = await open(`gallery/${link}`), data = await data_of(one);
        equal(data.verdict, 'proved', link);
        equal(await one.locator('#step').getAttribute('max'), String(data.steps), link, 'last step');
        await one.keyboard.press('End');
        const missing = await one.locator('#holdings td.promised:not(.held)').count();
        equal(missing, 0, link, 'promised and not held');
        equal(await one.getByText('All schedules').getAttribute('href'), '../index.html', link, 'leads back');
        await one.close();
    }
}

async function large() {
    const file = show('large.html', 'allgather/ring', '--ranks', '64');
    const page = await open(file);
    equal(await page.locator('#picture [data-message].a').count(), 4032, file, 'arrows');
    const began = Date.now();
    for (let k = 0; k < 10; ++k) await page.keyboard.press('ArrowRight');
    equal(await page.locator('#step').inputValue(), '10', file, 'step');
    const each = (Date.now() - began) / 10;
    check(each < 1000, file, 'takes', each, 'ms a step');
    await page.close();
    await colors(file, 20);
}

async function wrong() {
    const lines = collsched('show', 'allgather/ring', '--ranks', '4', '--json').split('\n');
    const at = lines.findIndex(line => line.includes('"step":1,"src":0'));
    fs.writeFileSync(path.join(folder, 'wrong.jsonl'), lines.toSpliced(at, 1).join('\n').replace('"allgather/ring"', '"allgather/</script>"').replace('"algorithm":"ring"', '"algorithm":"</script>"'));
    const page = await open(show('wrong.html', `@${path.join(folder, 'wrong.jsonl')}`));
    check((await text(page, '.facts')).includes('refused: not_held'), 'a wrong schedule is', await text(page, '.facts'));
    equal(await text(page, 'h1'), 'allgather/</script>', 'a name');
    await page.keyboard.press('End');
    check((await text(page, '#now')).includes('not followed any further'), 'a wrong schedule', await text(page, '#now'));
    await page.close();
}

run(async launched => {
    browser = launched;
    const pages = [show('ring.html', 'allgather/ring', '--ranks', '8', '--block', '4'),
                   show('neighbor-exchange.html', 'allgather/neighbor-exchange', '--ranks', '8', '--block', '2'),
                   show('bruck.html', 'allgather/bruck', '--ranks', '7', '--block', '2'),
                   show('gatherv.html', 'gatherv/binomial-chained', '--ranks', '8', '--counts', '3,0,5,2,4,1,6,2', '--root', '3'),
                   show('grouped.html', 'alltoall/grouped', '--ranks', '8', '--group', '2', '--block', '2'),
                   show('allreduce.html', 'allreduce/rabenseifner', '--ranks', '6', '--bytes', '24', '--element', '4', '--in-place'),
                   show('barrier.html', 'barrier/dissemination', '--ranks', '5')];
    for (const file of pages) {
        await steps(file);
        await colors(file, 2);
        await filters(file);
        await narrow(file);
    }
    for (const file of pages.slice(0, 5)) await edges(file);
    await plays('ring.html');
    await plays('bruck.html');
    await wrong();
    await large();
    collsched('gallery', path.join(folder, 'gallery'));
    await gallery();
    await colors('gallery/index.html', 0);
    await narrow('gallery/index.html');
}, () => fs.rmSync(folder, {recursive: true, force: true}));
