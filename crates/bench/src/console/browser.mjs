// A browser that measures pages of a console: it does what a line of its input says, and answers with a line.

import { createServer } from "node:http";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { gzipSync } from "node:zlib";

const require = createRequire(`${process.env.PITON_BROWSER}/`);
const { chromium } = require("playwright-core");

const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--enable-precise-memory-info", "--js-flags=--expose-gc"],
});
const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
// The page must work under these conditions, so anything that it reports makes the figures worthless.
const reported = [];
context.on("weberror", (error) => reported.push(String(error.error())));
let url;
let page;

/** Opens a page in a tab of its own and waits until it shows something. Times count from the start of the navigation. */
async function open(address, ready) {
  const tab = await context.newPage();
  await tab.goto(address, { waitUntil: "commit" });
  const usable = await tab.evaluate(
    (selector) =>
      new Promise((done) => {
        const look = () =>
          document.querySelector(selector)
            ? requestAnimationFrame(() => done(performance.now()))
            : requestAnimationFrame(look);
        look();
      }),
    ready,
  );
  const paint = await tab.evaluate(
    () =>
      new Promise((done) => {
        const look = () => {
          const [entry] = performance.getEntriesByName("first-contentful-paint");
          if (entry) done(entry.startTime);
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
  return { tab, usable, paint };
}

const text = async (name) => (await fetch(`${url}/${name}`)).text();

/** Serves a page without any work: one line of text, and as many bytes of style and script as the console has. */
async function serveBare() {
  const [style, script] = [(await text("console.css")).length, (await text("console.js")).length];
  const files = {
    "/": ["text/html", '<!doctype html><link rel="stylesheet" href="/s.css"><script type="module" src="/s.js"></script><p>Bare</p>'],
    "/s.css": ["text/css", `/*${"-".repeat(style)}*/`],
    "/s.js": ["text/javascript", `/*${"-".repeat(script)}*/`],
  };
  const server = createServer((request, reply) => {
    const [kind, body] = files[request.url] ?? ["text/plain", ""];
    reply.writeHead(200, { "Content-Type": kind, "Cache-Control": "no-store" }).end(body);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  server.unref();
  return `http://127.0.0.1:${server.address().port}/`;
}
let bare;

const does = {
  async enter(console) {
    url = console.url;
    page = await context.newPage();
    await page.goto(console.link);
    await page.waitForSelector("nav a");
    return {};
  },
  /** The sizes of files, compressed. */
  async sizes({ names }) {
    const sizes = await Promise.all(names.map(async (name) => gzipSync(await text(name), { level: 9 }).length));
    return sizes.reduce((sum, size) => sum + size, 0);
  },
  async open({ path, ready }) {
    const { tab, usable, paint } = await open(url + path, ready);
    await tab.close();
    return { usable, paint };
  },
  async bare() {
    bare ??= await serveBare();
    const { tab, paint } = await open(bare, "p");
    await tab.close();
    return { paint };
  },
  /** Scrolls an area for some seconds, and returns the time of each frame, the CPU time of a frame, and the heap. */
  async scroll({ path, area, across }) {
    const { tab } = await open(url + path, area);
    await tab.waitForTimeout(1000);
    const session = await context.newCDPSession(tab);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const cpu = async () => {
      const { metrics } = await session.send("Performance.getMetrics");
      return metrics.find((metric) => metric.name === "TaskDuration").value * 1e3;
    };
    const before = await cpu();
    const frames = await tab.evaluate(
      ([selector, isAcross]) =>
        new Promise((done) => {
          const box = document.querySelector(selector);
          const found = [];
          let last = performance.now();
          if (isAcross) box.scrollLeft = 0;
          else box.scrollTop = 0;
          const step = (now) => {
            found.push(now - last);
            last = now;
            box.scrollBy(isAcross ? 120 : 0, isAcross ? 0 : 120);
            if (found.length < 200) requestAnimationFrame(step);
            else done(found.slice(5));
          };
          requestAnimationFrame(step);
        }),
      [area, across],
    );
    const each = ((await cpu()) - before) / 200;
    const heap = await tab.evaluate(() => {
      globalThis.gc?.();
      return performance.memory.usedJSHeapSize;
    });
    await tab.close();
    return { frames, cpu: each, heap };
  },
  /** Goes to the list of runs within the page, and returns the time until the first rows are there. */
  async firstRows() {
    await page.goto(`${url}/`);
    await page.waitForSelector("main h1, main h2");
    await page.waitForTimeout(300);
    return page.evaluate(
      () =>
        new Promise((done) => {
          const begun = performance.now();
          document.querySelector('nav a[href="/runs"]').click();
          const look = () =>
            document.querySelector("[data-run]")
              ? requestAnimationFrame(() => done(performance.now() - begun))
              : requestAnimationFrame(look);
          look();
        }),
    );
  },
  /** Scrolls the list to a row far away, and returns the time until that row is there. */
  async jump({ row }) {
    await page.goto(`${url}/runs`);
    await page.waitForSelector("[data-run]");
    await page.waitForTimeout(300);
    return page.evaluate(
      (wanted) =>
        new Promise((done) => {
          const box = document.querySelector("[aria-label=Runs]");
          const known = new Set([...document.querySelectorAll("[data-run]")].map((one) => one.dataset.run));
          const begun = performance.now();
          box.scrollTop = wanted * 36;
          const look = () => {
            const rows = [...document.querySelectorAll("[data-run]")];
            if (rows.length > 20 && rows.every((one) => !known.has(one.dataset.run))) {
              requestAnimationFrame(() => done(performance.now() - begun));
            } else requestAnimationFrame(look);
          };
          look();
        }),
      row,
    );
  },
  /** Types a query, and returns the time until the list has the runs that match. */
  async query({ line, total }) {
    await page.goto(`${url}/runs`);
    await page.waitForSelector("[data-run]");
    await page.waitForTimeout(300);
    return page.evaluate(
      ([words, expected]) =>
        new Promise((done) => {
          const input = document.querySelector("main input");
          input.focus();
          input.value = words;
          input.dispatchEvent(new Event("input", { bubbles: true }));
          const begun = performance.now();
          input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
          const look = () =>
            document.querySelector("main")?.textContent.includes(expected)
              ? requestAnimationFrame(() => done(performance.now() - begun))
              : requestAnimationFrame(look);
          look();
        }),
      [line, total],
    );
  },
  /** Opens a run and notes when its page shows each number of nodes, by the clock of the machine. */
  async watch({ path }) {
    await page.goto(url + path);
    await page.waitForSelector("button.row");
    await page.evaluate(() => {
      globalThis.seen = {};
      const note = () => {
        const found = /([\d,. ]+) nodes?\b/.exec(document.querySelector("main header")?.textContent ?? "");
        const nodes = found?.[1]?.replaceAll(/\D/g, "");
        if (nodes === undefined || nodes in globalThis.seen) return;
        globalThis.seen[nodes] = 0;
        // It is on the screen with the next frame.
        requestAnimationFrame(() => (globalThis.seen[nodes] = performance.timeOrigin + performance.now()));
      };
      new MutationObserver(note).observe(document.body, { childList: true, subtree: true, characterData: true });
    });
    await page.waitForFunction(() => document.querySelector("nav .live .dot.on"));
    return {};
  },
  async seen() {
    return page.evaluate(() => globalThis.seen);
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const [[name, argument]] = Object.entries(JSON.parse(line));
  let answer;
  try {
    answer = { came: await does[name](argument) };
    if (reported.length > 0) answer = { failure: reported.join("; ") };
  } catch (error) {
    answer = { failure: String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await browser.close();
