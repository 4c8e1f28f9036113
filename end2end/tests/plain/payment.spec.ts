// What only a page without code can be: old.

import { expect, test } from "../../support/shop.ts";

test.beforeEach(async ({ form }) => {
  await form.openAndFill();
  await form.order();
});

test("an old page of a cancelled order cannot pay it", async ({ order }) => {
  const old = await order.inNewTab();
  await order.cancel();
  await order.expectStatus("CLOSED");

  await old.page.locator("#pay-wechat").click();

  await expect(old.notice).toHaveAttribute("data-notice", "not-payable");
  await expect(old.notice).toBeInViewport();
  await old.expectStatus("CLOSED");
});
