// What every test starts from: a running shop, a browser that has never been there, and a watch over what the browser complains about.

import { test as base, expect, type BrowserContext, type BrowserContextOptions } from "@playwright/test";
import { OrderForm } from "./order-form.ts";
import { OrderPage } from "./payment.ts";
import { Server, type Environment } from "./server.ts";

export { expect };

export interface ShopOptions {
  /** Environment of a server that this test has to itself; null for the one that the tests of a worker share. */
  ownServer: Environment | null;
}

interface Fixtures {
  shop: Server;
  /** Whether the browser runs scripts. */
  scripted: boolean;
  form: OrderForm;
  order: OrderPage;
  /** Opens another browser that has never been to the shop. */
  anotherBrowser: (options?: BrowserContextOptions) => Promise<BrowserContext>;
  complaints: string[];
}

export const test = base.extend<ShopOptions & Fixtures, { sharedServer: Server }>({
  ownServer: [null, { option: true }],

  sharedServer: [
    async ({}, use) => {
      const server = await Server.start();
      await use(server);
      await server.stop();
    },
    { scope: "worker" },
  ],

  shop: async ({ ownServer, sharedServer }, use, testInfo) => {
    if (ownServer === null) {
      await use(sharedServer);
      return;
    }
    const server = await Server.start(ownServer);
    await use(server);
    if (testInfo.status !== testInfo.expectedStatus) {
      await testInfo.attach("server.log", { body: server.log(), contentType: "text/plain" });
    }
    await server.stop();
  },

  baseURL: async ({ shop }, use) => use(shop.url),

  complaints: [
    async ({ context }, use) => {
      const complaints: string[] = [];
      watch(context, complaints);
      await use(complaints);
      expect(complaints, "what the browser complained about").toEqual([]);
    },
    { auto: true },
  ],

  anotherBrowser: async ({ browser, complaints }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async (options) => {
      const context = await browser.newContext(options);
      watch(context, complaints);
      contexts.push(context);
      return context;
    });
    for (const context of contexts) {
      await context.close();
    }
  },

  scripted: async ({ javaScriptEnabled }, use) => use(javaScriptEnabled !== false),

  form: async ({ page, scripted }, use) => use(new OrderForm(page, scripted)),

  order: async ({ page, scripted }, use) => use(new OrderPage(page, scripted)),
});

/** Addresses of writes and pages whose refusals and losses the tests provoke and judge by what the page shows. */
const PROVOKED = /\/(order\/new|api\/orders|orders\/[^/]+(\/[a-z]+)?)(\?|$)/;

function watch(context: BrowserContext, complaints: string[]): void {
  context.on("weberror", (error) => complaints.push(`uncaught: ${error.error().message}`));
  context.on("console", (message) => {
    if (message.type() !== "error") {
      return;
    }
    // Chromium notes every 4xx and every lost request in the console. On a file of the site that would be a defect.
    const isNote = message.text().startsWith("Failed to load resource");
    if (!(isNote && PROVOKED.test(message.location().url))) {
      complaints.push(`${message.text()} (${message.location().url})`);
    }
  });
}

/** How many orders this browser has. */
export async function countOrders(context: BrowserContext): Promise<number> {
  const page = await context.newPage();
  await page.goto("/orders");
  await expect(page.locator("#orders, #no-orders")).toBeVisible();
  const count = await page.locator("#orders > [data-order]").count();
  await page.close();
  return count;
}
