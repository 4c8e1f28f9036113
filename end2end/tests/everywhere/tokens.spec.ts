// Tokens that have become too old, and browsers that have lost their cookie.

import { TEA, orderNumber } from "../../support/order-form.ts";
import { countOrders, expect, test } from "../../support/shop.ts";

/** A day and an hour: past the life of a token. */
const TOMORROW = { ONCEMART_CLOCK_OFFSET_SECONDS: String(25 * 60 * 60) };

test.describe("on the next day", () => {
  test.use({ ownServer: {} });

  test("a form that never became an order keeps what was typed and gets a fresh token", async ({ page, context, form, shop }) => {
    await form.openAndFill();
    const token = await form.token();
    await shop.restart(TOMORROW);

    const answer = page.waitForResponse((response) => response.request().isNavigationRequest());
    await form.submit.click();

    expect((await answer).status()).toBe(410);
    await expect(form.notice).toHaveAttribute("data-notice", "token-expired");
    await form.untilAlive();
    await form.expectReceiver();
    expect(await form.token()).not.toBe(token);
    expect(await countOrders(context)).toBe(0);
    await form.order();
    expect(await countOrders(context)).toBe(1);
  });

  test("a form whose order was placed but never seen is answered from that order", async ({ context, form, shop }) => {
    await form.openAndFill();
    const { location } = await form.postBehindThePage();
    await shop.restart(TOMORROW);

    const number = await form.order();

    expect(`/orders/${number}`).toBe(location);
    expect(await countOrders(context)).toBe(1);
  });

  test("loading a form whose order was placed but never seen links that order", async ({ page, form, shop }) => {
    await form.openAndFill();
    const { location } = await form.postBehindThePage();
    await shop.restart(TOMORROW);

    await form.open();

    await expect(page.locator("#became-order-link")).toHaveAttribute("href", location);
  });
});

test("with the session cookie deleted, what was typed is kept and a fresh token works", async ({ page, context, form }) => {
  await form.openAndFill();
  const token = await form.token();
  await context.clearCookies();

  const answer = page.waitForResponse((response) => response.request().isNavigationRequest());
  await form.submit.click();

  expect((await answer).status()).toBe(403);
  await expect(form.notice).toHaveAttribute("data-notice", "token-unknown");
  await form.untilAlive();
  await form.expectReceiver();
  expect(await form.token()).not.toBe(token);
  await form.order();
  expect(await countOrders(context)).toBe(1);
});

test("another browser's token is refused and reveals nothing", async ({ page, form, anotherBrowser, shop }) => {
  const other = await (await anotherBrowser()).newPage();
  await other.goto(`${shop.url}/order/new?sku=${TEA.sku}`);
  const token = await other.locator('#order-form [name="submit_token"]').inputValue();
  await form.openAndFill();
  await form.field("submit_token").evaluate((input, token) => ((input as HTMLInputElement).value = token), token);

  const answer = page.waitForResponse((response) => response.request().isNavigationRequest());
  await form.submit.click();

  expect((await answer).status()).toBe(403);
  await expect(form.notice).toHaveAttribute("data-notice", "token-unknown");
});

test("another browser cannot see the order", async ({ page, form, anotherBrowser }) => {
  await form.openAndFill();
  await form.order();

  const other = await (await anotherBrowser()).newPage();
  const answer = await other.goto(page.url());

  expect(answer?.status()).toBe(404);
  await expect(other.locator("#message")).toHaveAttribute("data-message", "not-found");
});

test("a browser without cookies is told that they are needed", async ({ page, shop }) => {
  // A browser that keeps no cookies: what the server wants to set never arrives, and the redirect after it comes without one.
  await page.route("**/order/new?*", async (route) => {
    const response = await fetch(route.request().url(), { redirect: "manual" });
    const headers = Object.fromEntries([...response.headers].filter(([name]) => name !== "set-cookie"));
    await route.fulfill({ status: response.status, headers, body: Buffer.from(await response.arrayBuffer()) });
  });

  await page.goto(`${shop.url}/order/new?sku=${TEA.sku}`);

  await expect(page.locator("#message")).toHaveAttribute("data-message", "cookies-needed");
  await expect(page.locator("#order-form")).toHaveCount(0);
});

test("an order's page can be opened from the list", async ({ page, form }) => {
  await form.openAndFill();
  const number = await form.order();
  await page.goto("/orders");

  await page.locator(`#orders [data-order="${number}"] a`).click();

  expect(await orderNumber(page)).toBe(number);
});
