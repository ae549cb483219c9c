#!/usr/bin/env node
// site_test.js FOLDER: opens the site that `./dev docs` builds in Chromium without a screen, from files: no page has an error,
// requests anything outside the folder or is wider than its window, and the search finds pages. With SCREENSHOTS=DIR it writes
// pictures there.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const {check, open: open_in, run} = require('./checks.js');

const folder = path.resolve(process.argv[2]);
const screenshots = process.env.SCREENSHOTS;
const wide = {width: 1280, height: 900}, phone = {width: 390, height: 844};
let browser;
const open = (file, options) => open_in(browser, folder, file, options);
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
                                        ['collectives/scan.html', 'Cortex-M4', 'freestanding.html']]) {
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

run(async launched => {
    browser = launched;
    await pages();
    await search();
    await pictures();
});
