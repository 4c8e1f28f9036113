// Several tabs of one browser, and the way back.

import { countOrders, expect, test } from "../../support/shop.ts";

test("a duplicated tab is told when its form became an order elsewhere", async ({ page, context, form }) => {
  await form.openAndFill();
  const duplicate = await form.inNewTab();
  await duplicate.open();

  const number = await form.order();

  await expect(duplicate.page.locator("#became-order-elsewhere")).toBeVisible();
  await expect(duplicate.page.locator("#elsewhere-link")).toHaveAttribute("href", `/orders/${number}`);
  await expect(duplicate.form).toBeHidden();
  await expect(page.locator("#order")).toBeVisible();
  expect(await countOrders(context)).toBe(1);
});

test("a tab with another product's form is left alone", async ({ form }) => {
  await form.openAndFill();
  const other = await form.inNewTab();
  await other.open("SKU-2");
  const duplicate = await form.inNewTab();
  await duplicate.open();

  await form.order();
  // Once the duplicate was told, the news has reached every tab.
  await expect(duplicate.page.locator("#became-order-elsewhere")).toBeVisible();

  await expect(other.submit).toBeVisible();
  await expect(other.page.locator("#became-order-elsewhere")).toBeHidden();
});

test("two tabs pressed at once become one order, and both show it", async ({ context, form }) => {
  await form.openAndFill();
  const second = await form.inNewTab();
  await second.openAndFill();

  await Promise.all([form.submit.dispatchEvent("click"), second.submit.dispatchEvent("click")]);

  const first = await form.orderNumber();
  // Whichever tab was second either got the order as its answer or was told of it before it could ask.
  const link = second.page.locator("#elsewhere-link");
  await expect(second.page.locator("#order").or(link)).toBeVisible();
  if (await link.isVisible()) {
    await link.click();
  }
  expect(await second.orderNumber()).toBe(first);
  expect(await countOrders(context)).toBe(1);
});

test("going back and forth between form and order never leaves a frozen button", async ({ page, context, form }) => {
  await form.openAndFill();
  const number = await form.order();

  await page.goBack();
  await form.untilAlive();
  await expect(form.submit).not.toHaveAttribute("aria-disabled", "true");
  await page.goForward();

  expect(await form.orderNumber()).toBe(number);
  expect(await countOrders(context)).toBe(1);
});
