// Common parts of the tests in a browser: checks that are counted, and pages in which every error and every request outside of their
// folder is a failure.
'use strict';

const path = require('node:path');
const {chromium} = require('playwright-core');

let checks = 0;
const failures = [];

function check(condition, ...words) {
    ++checks;
    if (!condition) failures.push(words.join(' '));
}

function equal(found, expected, ...words) {
    check(JSON.stringify(found) === JSON.stringify(expected), ...words, 'is', JSON.stringify(found), 'not',
          JSON.stringify(expected));
}

/// Opens a file below a folder.
async function open(browser, folder, file, options = {}) {
    const page = await browser.newPage({viewport: {width: 1280, height: 900}, ...options});
    page.on('console', message => check(message.type() !== 'error' && message.type() !== 'warning', file, message.text()));
    page.on('pageerror', error => check(false, file, error.message));
    page.on('request', request => check(/^(file|data):/.test(request.url()), file, 'requests', request.url()));
    await page.goto(`file://${path.join(folder, file)}`);
    return page;
}

/// Runs a test with Chromium, then `end`, and ends the process: with status 1 after a failure or an exception.
async function run(test, end = () => undefined) {
    let browser;
    try {
        browser = await chromium.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
                                         args: ['--headless', '--no-sandbox', '--disable-gpu']});
        await test(browser);
    } catch (error) {
        failures.push(error.stack);
    }
    if (browser) await browser.close();
    end();
    for (const failure of failures.slice(0, 50)) console.log(failure);
    console.log(`${checks} checks, ${failures.length} failed`);
    process.exit(failures.length === 0 ? 0 : 1);
}

module.exports = {check, equal, open, run};
