#!/usr/bin/env node
// site_test.js FOLDER: opens the site that `./dev docs` builds in Chromium without a screen, from files: no page has an error,
// asks for anything outside the folder or is wider than its window, and the search finds pages. With SCREENSHOTS=DIR it writes
// pictures there.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const {chromium} = require('playwright-core');

const folder = path.resolve(process.argv[2]);
const screenshots = process.env.SCREENSHOTS;
const wide = {width: 1280, height: 900}, phone = {width: 390, height: 844};
let checks = 0;
const failures = [];

function check(condition, ...words) {
    ++checks;
    if (!condition) failures.push(words.join(' '));
}

let browser;
async function open(file, options) {
    const page = await browser.newPage(options);
    page.on('console', message => check(message.type() !== 'error', file, message.text()));
    page.on('pageerror', error => check(false, file, error.message));
    page.on('request', request => check(/^(file|data|blob|about):/.test(request.url()), file, 'requests', request.url()));
    await page.goto(`file://${path.join(folder, file)}`);
    return page;
}
async function picture(page, name) {
    if (screenshots) await page.screenshot({path: path.join(screenshots, `${name}.png`)});
}

async function pages() {
    const files = fs.readdirSync(folder, {recursive: true}).filter(file => file.endsWith('.html'));
    const own = files.filter(file => !file.startsWith('api/'));
    check(own.length > 40, 'pages:', own.length);
    for (const file of own) {
        const page = await open(file, {viewport: phone});
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        check(width <= phone.width, file, 'is', width, 'pixels wide at', phone.width);
        check((await page.locator('h1').count()) === 1, file, 'has one title');
        await page.close();
    }
    for (const file of files.filter(file => file.startsWith('api/')).slice(0, 30)) await (await open(file, {viewport: wide})).close();
}

async function search() {
    for (const [file, word, target] of [['index.html', 'process_vm_readv', 'transports.html'],
                                        ['collectives/scan.html', 'freestanding', 'freestanding.html']]) {
        const page = await open(file, {viewport: wide});
        await page.locator('.md-search__input').click();
        await page.keyboard.type(word, {delay: 20});
        const results = page.locator('.md-search-result__link');
        await results.first().waitFor({timeout: 20000}).catch(() => undefined);
        await page.waitForTimeout(2000);  // results are shown as they are rendered
        const found = await results.evaluateAll(links => links.map(link => link.href));
        check(found.some(link => link.includes(target)), file, 'search for', word, 'finds', JSON.stringify(found));
        await picture(page, `search-${word}`);
        await page.close();
    }
}

async function pictures() {
    const shown = {start: 'index.html', tutorial: 'tutorial.html', algorithm: 'collectives/allgather.html',
                   api: 'api/classcollsched_1_1plan.html'};
    for (const [name, file] of Object.entries(shown))
        for (const [kind, options] of [['light', {viewport: wide, colorScheme: 'light'}],
                                       ['dark', {viewport: wide, colorScheme: 'dark'}],
                                       ['phone', {viewport: phone, colorScheme: 'light'}]]) {
            const page = await open(file, options);
            await picture(page, `${name}-${kind}`);
            await page.close();
        }
}

(async () => {
    browser = await chromium.launch({executablePath: '/usr/bin/chromium', args: ['--headless', '--no-sandbox', '--disable-gpu']});
    await pages();
    await search();
    await pictures();
    await browser.close();
    for (const failure of failures) console.log(failure);
    console.log(`${checks - failures.length} checks passed, ${failures.length} failed`);
    process.exit(failures.length === 0 ? 0 : 1);
})();
