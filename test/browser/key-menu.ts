// Opens the menu of a key on the keys page, as a person would.
import type { Page } from "playwright-core";

/** `key`: the key's name, or its last four characters. The first row with this text is used. */
export async function chooseKeyAction(page: Page, key: string, action: string): Promise<void> {
  const row = page.getByRole("row").filter({ has: page.getByRole("rowheader").filter({ hasText: key }) });
  await row
    .first()
    .getByRole("button", { name: /^Actions for / })
    .click();
  await page.getByRole("menuitem", { name: action, exact: true }).click();
}
