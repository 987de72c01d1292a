import { defineConfig } from '@playwright/test'

/** The suite in a browser: the real program, Debian's Chromium, nothing downloaded. */
export default defineConfig({
  testDir: 'browser',
  outputDir: 'node_modules/.browser-results',
  // Each worker has a world and a console of its own.
  workers: 2,
  fullyParallel: false,
  forbidOnly: true,
  // Times are for a busy machine. One that passes at the second try is reported as flaky.
  retries: 1,
  timeout: 120_000,
  expect: { timeout: 30_000 },
  reporter: [['list']],
  projects: [
    { name: 'console', testMatch: '*.spec.ts' },
    { name: 'screenshots', testMatch: 'screenshots.ts' },
  ],
  use: {
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    locale: 'en-GB',
    actionTimeout: 30_000,
    navigationTimeout: 30_000,
    trace: 'retain-on-failure',
    launchOptions: { executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] },
  },
})
