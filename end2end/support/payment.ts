// An order's page: paying at the sandbox's cashier, cancelling, asking money back.

import { expect, type Locator, type Page } from "@playwright/test";

export const CHANNELS = ["wechat", "alipay", "webhook"] as const;
export type Channel = (typeof CHANNELS)[number];

/** What can be pressed at the sandbox's cashier: the buttons' ids. */
export type Press = "pay" | "fail" | "close";

export class OrderPage {
  readonly order: Locator;
  readonly status: Locator;
  readonly notice: Locator;
  readonly openPayment: Locator;
  readonly announcement: Locator;
  readonly refunds: Locator;

  constructor(
    readonly page: Page,
    private readonly scripted: boolean,
  ) {
    this.order = page.locator("#order");
    this.status = page.locator("#order [data-status]");
    this.notice = page.locator("#notice");
    this.openPayment = page.locator("#open-payment");
    this.announcement = page.locator("#order-announcement");
    this.refunds = page.locator("#refunds > [data-refund]");
  }

  /** The same order in another tab of the same browser. */
  async inNewTab(): Promise<OrderPage> {
    const page = await this.page.context().newPage();
    await page.goto(await this.path());
    return new OrderPage(page, this.scripted);
  }

  /** Leads to the page itself, whatever address it stands at now. */
  async path(): Promise<string> {
    return (await this.order.getAttribute("data-path")) ?? "";
  }

  /** Chooses a channel and waits until its payment is open. */
  async choose(channel: Channel): Promise<void> {
    await this.page.locator(`#pay-${channel}`).click();
    await expect(this.openPayment).toHaveAttribute("data-channel", channel);
  }

  /** Presses a button at the cashier of the open payment. In a tab of its own, as on a buyer's phone. */
  async atTheCashier(press: Press): Promise<void> {
    const cashier = await this.openCashier();
    const answered = cashier.waitForResponse((response) => response.request().method() === "POST");
    await cashier.locator(`#${press}`).click();
    await answered;
    // The tab stays open, as a buyer's does: it is just being led back to the shop, and a tab that is closed meanwhile can hang.
  }

  /** The cashier of the open payment, in a tab of its own. */
  async openCashier(): Promise<Page> {
    const address = await this.openPayment.locator("#pay-here, #continue-payment").getAttribute("href");
    const cashier = await this.page.context().newPage();
    await cashier.goto(address ?? "");
    return cashier;
  }

  /** The order's number. */
  async number(): Promise<string> {
    return (await this.order.getAttribute("data-order")) ?? "";
  }

  async pay(channel: Channel): Promise<void> {
    await this.choose(channel);
    await this.atTheCashier("pay");
    await this.expectStatus("PAID");
  }

  /** Waits for a status: the page shows it by itself, or when it is loaded again where no script runs. */
  async expectStatus(status: string): Promise<void> {
    await this.expectToShow(this.page.locator(`#order [data-status="${status}"]`));
  }

  /** Waits until something is shown, as `expectStatus` does. */
  async expectToShow(what: Locator): Promise<void> {
    if (this.scripted) {
      await expect(what).toBeVisible();
      return;
    }
    await expect
      .poll(async () => {
        await this.page.goto(await this.path());
        return what.count();
      })
      .toBeGreaterThan(0);
  }

  async cancel(): Promise<void> {
    await this.page.locator("#cancel > summary").click();
    await this.page.locator("#cancel-order").click();
  }

  /** Opens the form of a refund and fills it in. No amount means everything, which stands there already. */
  async fillRefund(reason: string, amount?: string): Promise<void> {
    const reasonField = this.page.locator("#refund-reason");
    if (!(await reasonField.isVisible())) {
      await this.page.locator("#refund > summary").click();
    }
    await reasonField.fill(reason);
    if (amount !== undefined) {
      await this.page.locator("#refund-amount").fill(amount);
    }
  }

  async refund(reason: string, amount?: string): Promise<void> {
    await this.fillRefund(reason, amount);
    await this.page.locator("#ask-refund").click();
  }

  /** Presses a button twice, as an impatient buyer does, whatever the page makes of it in between. */
  async pressTwice(selector: string): Promise<void> {
    const button = this.page.locator(selector);
    await button.scrollIntoViewIfNeeded();
    const box = await button.boundingBox();
    if (box === null) {
      throw new Error(`${selector} is nowhere on the page`);
    }
    // Whoever leads the page elsewhere before the second press was sent would press once or never.
    const answered = this.page.waitForResponse((response) => response.request().method() === "POST");
    await this.page.mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2);
    await answered;
  }

  /** Waits until a refund of this amount has gone back. */
  async expectRefunded(yuan: string): Promise<void> {
    const row = this.refunds.filter({ hasText: `¥${yuan}` });
    await this.expectToShow(row.locator('[data-refund-status="SUCCEEDED"]'));
  }
}
