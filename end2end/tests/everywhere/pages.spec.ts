// The pages around the form: language, hostile input, the keyboard's first step.

import type { Page } from "@playwright/test";
import { TEA } from "../../support/order-form.ts";
import { expect, test } from "../../support/shop.ts";

test("the chosen language is kept", async ({ page, form }) => {
  await page.goto(`/order/new?sku=${TEA.sku}`);
  await page.locator('button[name="language"][value="zh"]').click();

  await expect(page.locator("html")).toHaveAttribute("lang", /^zh/);
  expect(new URL(page.url()).pathname).toBe("/order/new");
  await page.goto("/");
  await expect(page.locator("html")).toHaveAttribute("lang", /^zh/);
  await expect(page.locator(`[data-sku="${TEA.sku}"]`)).toContainText("龙井绿茶");
  await form.openAndFill();
  await form.order();
  await expect(page.locator("html")).toHaveAttribute("lang", /^zh/);
});

test("the language switch leads to no other site", async ({ page, shop }) => {
  await page.goto("/");
  await page.locator('input[name="return_to"]').evaluate((input) => ((input as HTMLInputElement).value = "//example.org/"));

  await page.locator('button[name="language"][value="zh"]').click();

  await expect(page.locator("html")).toHaveAttribute("lang", /^zh/);
  expect(new URL(page.url()).origin).toBe(shop.url);
});

test.describe("hostile input", () => {
  const attack = '"\'></textarea></title><script>document.title="owned"</script><img src=x onerror=document.title="owned">&lt;';
  const hostile = { name: attack.slice(0, 60), address: attack, note: attack };

  async function expectInert(page: Page): Promise<void> {
    await expect(page).not.toHaveTitle(/owned/);
    expect(await page.locator("main img[onerror], main script").count()).toBe(0);
  }

  test("is shown as text when the form comes back", async ({ page, form }) => {
    await form.openAndFill(TEA.sku, { ...hostile, phone: attack });
    await form.field("coupon").fill(attack);
    await form.setQuantity(TEA.sku, attack);

    await form.submit.click();

    await expect(form.errorSummary).toBeVisible();
    await expect(form.field("note")).toHaveValue(attack);
    await expect(form.field("address")).toHaveValue(attack);
    await expect(form.quantity(TEA.sku)).toHaveValue(attack);
    await expectInert(page);
  });

  test("is shown as text on the order's page and in the list", async ({ page, form }) => {
    await form.openAndFill(TEA.sku, hostile);
    await form.order();

    await expect(page.locator("#receiver-note")).toHaveText(attack);
    await expectInert(page);
    await page.goto("/orders");
    await expect(page.locator("#orders")).toBeVisible();
    await expectInert(page);
  });

  test("in the address is shown as text", async ({ page }) => {
    await page.goto(`/order/new?sku=${encodeURIComponent(attack)}`);

    await expect(page.locator("main")).toBeVisible();
    await expectInert(page);
  });
});

test("the first stop of the keyboard is the way past the navigation", async ({ page, form }) => {
  await form.open();

  await page.keyboard.press("Tab");

  await expect(page.locator(".skip-link")).toBeFocused();
  await page.keyboard.press("Enter");
  expect(new URL(page.url()).hash).toBe("#main");
});
