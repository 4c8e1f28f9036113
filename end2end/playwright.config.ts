// The pages in a real browser: on a desktop and on a phone, each with and without JavaScript.
//
// `tests/everywhere` runs in all four, `tests/scripted` and `tests/plain` where scripts run or do not. There are no retries: a test
// that passes at the second try has found something. Usually started by `cargo xtask test --only playwright`, which builds first.

import { defineConfig, type PlaywrightTestConfig } from "@playwright/test";
import type { ShopOptions } from "./support/shop.ts";

type Project = NonNullable<PlaywrightTestConfig<ShopOptions>["projects"]>[number];

const desktop = { viewport: { width: 1280, height: 800 } };
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };

function project(name: string, screen: object, javaScriptEnabled: boolean): Project {
  return {
    name,
    testMatch: ["everywhere/**", javaScriptEnabled ? "scripted/**" : "plain/**"].map((directory) => `**/${directory}/*.spec.ts`),
    use: { ...screen, javaScriptEnabled },
  };
}

export default defineConfig<ShopOptions>({
  testDir: "tests",
  outputDir: "test-results",
  workers: 2,
  retries: 0,
  forbidOnly: true,
  // Ten times what a test takes on a machine that does nothing else: others may be building on it.
  timeout: 90_000,
  expect: { timeout: 20_000 },
  reporter: [["list"], ["json", { outputFile: process.env.PLAYWRIGHT_JSON_OUTPUT_FILE ?? "test-results/report.json" }]],
  use: {
    browserName: "chromium",
    locale: "en-GB",
    // Recording every test costs a third of the time; `npx playwright test --trace on` records the one that is looked into.
    trace: "off",
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: process.env.ONCEMART_CHROMIUM ?? "/usr/bin/chromium",
      // Chromium's sandbox refuses to run as root, which is who runs the checks in a container.
      args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
    },
  },
  projects: [
    project("desktop", desktop, true),
    project("phone", phone, true),
    project("desktop-no-javascript", desktop, false),
    project("phone-no-javascript", phone, false),
  ],
});
