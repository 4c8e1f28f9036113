// Without the browser's code, the server's pages do the waiting.

import { randomUUID } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expectAccessible } from "../../support/accessibility.ts";
import { TEA } from "../../support/order-form.ts";
import { countOrders, expect, test } from "../../support/shop.ts";

test("the form is a plain post, and no field is in an address", async ({ page, form }) => {
  const requests: string[] = [];
  page.on("request", (request) => requests.push(`${request.method()} ${decodeURIComponent(request.url())}`));
  await form.openAndFill(TEA.sku, { name: "Nowhere In An Address" });

  await form.order();

  expect(requests.filter((request) => request.startsWith("POST ")).length).toBe(1);
  expect(requests.filter((request) => request.includes("Nowhere"))).toEqual([]);
});

test("a page without code asks for none", async ({ page }) => {
  await page.goto("/");

  expect(await page.locator("script[src]").count()).toBe(0);
});

test.describe("on a server that takes its time", () => {
  const claimed = join(tmpdir(), `oncemart-claimed-${randomUUID()}`);
  test.use({ ownServer: { ONCEMART_FAULT: `after_claim:hold:${claimed}` } });
  test.afterEach(() => rmSync(claimed, { force: true }));

  test("a page says that the order is being worked on and looks again until it is there", async ({ page, context, form, shop, anotherBrowser }) => {
    const before = await shop.available(TEA.sku);
    await form.openAndFill();
    const { x, y } = await form.placeOfButton();
    await page.mouse.click(x, y);
    await expect.poll(() => existsSync(claimed)).toBe(true);

    // The first post still waits for its answer; this one is a duplicate of it.
    await page.mouse.click(x, y);
    await expect(page.locator("#still-working")).toBeVisible();
    const html = await page.content();
    rmSync(claimed);

    await form.orderNumber();
    expect(await countOrders(context)).toBe(1);
    expect(await shop.available(TEA.sku)).toBe(before - 1);
    // A copy, because the page itself moves on before it can be looked at; and axe is a script, which this browser does not run.
    const copy = await (await anotherBrowser({ javaScriptEnabled: true })).newPage();
    await copy.goto(shop.url);
    await copy.setContent(html.replace(/<meta http-equiv="refresh"[^>]*>|<script[^]*?<\/script>/g, ""));
    await expect(copy.locator("#still-working")).toBeVisible();
    await expectAccessible(copy);
  });
});

test.describe("on a server that dies between the commit and the answer", () => {
  test.use({ ownServer: { ONCEMART_FAULT: "after_commit:abort" } });

  test("the form, opened again, leads to the order that the dead server had stored", async ({ page, context, form, shop }) => {
    await form.openAndFill();
    // Chromium asks once more by itself when a connection breaks; only then does it give up.
    const lost = page.waitForEvent("requestfailed", (request) => request.isNavigationRequest());
    await form.submit.click({ noWaitAfter: true });
    await shop.ended();
    await lost;
    await shop.restart();

    const again = await form.inNewTab();
    await again.open();
    await again.page.locator("#became-order-link").click();

    await again.orderNumber();
    expect(await countOrders(context)).toBe(1);
  });
});
