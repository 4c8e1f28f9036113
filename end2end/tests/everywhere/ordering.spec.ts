// One form, one order, with and without the browser's code.

import { orderNumber, RECEIVER, TEA, NOTEBOOK } from "../../support/order-form.ts";
import { countOrders, expect, test } from "../../support/shop.ts";

test("an order is placed and its page shows what was ordered", async ({ page, context, form, shop }) => {
  const before = await shop.available(TEA.sku);
  await form.openAndFill();
  await form.setQuantity(TEA.sku, "2");

  const number = await form.order();

  await expect(page.locator("#order [data-sku]")).toHaveCount(1);
  await expect(page.locator(`#order [data-sku="${TEA.sku}"]`)).toContainText(TEA.name);
  await expect(page.locator("#total")).toHaveText("¥39.80");
  await expect(page.locator("#order [data-status]")).toHaveAttribute("data-status", "WAIT_PAY");
  await expect(page.locator("#receiver-name")).toHaveText(RECEIVER.name);
  await expect(page.locator("#receiver-address")).toHaveText(RECEIVER.address);
  await expect(page.locator("#receiver-note")).toHaveText(RECEIVER.note);
  await page.goto("/orders");
  await expect(page.locator(`#orders [data-order="${number}"]`)).toBeVisible();
  expect(await countOrders(context)).toBe(1);
  expect(await shop.available(TEA.sku)).toBe(before - 2);
});

test("a double click becomes one order", async ({ context, form, shop }) => {
  const before = await shop.available(TEA.sku);
  await form.openAndFill();

  await form.pressTwice();

  await form.orderNumber();
  expect(await countOrders(context)).toBe(1);
  expect(await shop.available(TEA.sku)).toBe(before - 1);
});

test("Enter and a click become one order", async ({ page, context, form }) => {
  await form.openAndFill();
  await form.field("name").focus();

  await Promise.all([page.keyboard.press("Enter"), form.pressBlindly()]);

  await form.orderNumber();
  expect(await countOrders(context)).toBe(1);
});

test("reloading the form keeps its token", async ({ page, form }) => {
  await form.open();
  const token = await form.token();

  await page.reload();
  await form.untilAlive();

  expect(await form.token()).toBe(token);
});

test("another product's form has another token", async ({ form }) => {
  await form.open(TEA.sku);
  const token = await form.token();

  await form.open(NOTEBOOK.sku);

  expect(await form.token()).not.toBe(token);
});

test("reloading the order's page orders nothing", async ({ page, context, form }) => {
  await form.openAndFill();
  const number = await form.order();

  const methods: string[] = [];
  page.on("request", (request) => methods.push(request.method()));
  await page.reload();

  expect(await orderNumber(page)).toBe(number);
  expect(new Set(methods)).toEqual(new Set(["GET"]));
  expect(await countOrders(context)).toBe(1);
});

test("a second tab has the same token, and posting both is one order", async ({ page, context, form }) => {
  await form.openAndFill();
  const second = await form.inNewTab();
  await second.openAndFill();
  expect(await second.token()).toBe(await form.token());

  // The second tab's form is posted behind its page, so that no notice from the first tab takes the form away before.
  const number = await form.order();
  const answer = await second.postBehindThePage();

  expect(answer).toEqual({ status: 303, location: `/orders/${number}` });
  expect(await countOrders(context)).toBe(1);
  await page.bringToFront();
});

test("two tabs loaded at once in a new browser have the same token", async ({ anotherBrowser, shop }) => {
  const browser = await anotherBrowser();
  const pages = await Promise.all([browser.newPage(), browser.newPage()]);
  const address = `${shop.url}/order/new?sku=${TEA.sku}`;

  await Promise.all(pages.map((page) => page.goto(address)));

  const tokens = await Promise.all(pages.map((page) => page.locator('#order-form [name="submit_token"]').inputValue()));
  expect(tokens[0]).toBe(tokens[1]);
});

test("going back after ordering leads to a form that works", async ({ page, context, form }) => {
  await form.openAndFill();
  const first = await form.order();

  await page.goBack();
  await expect(form.submit).toBeVisible();
  await form.untilAlive();
  await expect(form.submit).not.toHaveAttribute("aria-disabled", "true");
  await form.fill();
  const second = await form.order();

  // The first order has been seen, so this is a form of its own and a press in it is meant.
  expect(second).not.toBe(first);
  expect(await countOrders(context)).toBe(2);
});

test("a form whose order was never seen says so, and offers the order and a new form", async ({ page, context, form }) => {
  await form.openAndFill();
  const token = await form.token();
  const { location } = await form.postBehindThePage();

  await form.open();
  await expect(form.becameOrder).toBeVisible();
  await expect(form.submit).toHaveCount(0);
  await expect(page.locator("#became-order-link")).toHaveAttribute("href", location);
  await page.locator("#restart").click();
  await expect(form.submit).toBeVisible();

  expect(await form.token()).not.toBe(token);
  expect(await countOrders(context)).toBe(1);
});

test("once the order was seen, the form is a new one", async ({ page, form }) => {
  await form.openAndFill();
  const token = await form.token();
  const { location } = await form.postBehindThePage();

  await form.open();
  await page.locator("#became-order-link").click();
  expect(`/orders/${await orderNumber(page)}`).toBe(location);
  await form.open();

  expect(await form.token()).not.toBe(token);
});

test("a press in an old form leads to its order", async ({ context, form }) => {
  await form.openAndFill();
  const { location } = await form.postBehindThePage();

  const number = await form.order();

  expect(`/orders/${number}`).toBe(location);
  expect(await countOrders(context)).toBe(1);
});
