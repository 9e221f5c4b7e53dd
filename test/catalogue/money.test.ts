import { expect, test } from "vitest";
import { decimalsOf, moneyText } from "../../src/catalogue/money.ts";

test("every currency has as many decimals as Intl says", () => {
  const currencies = Intl.supportedValuesOf("currency");
  const said = Object.fromEntries(
    currencies.map((currency) => [
      currency,
      new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits,
    ]),
  );
  expect(Object.fromEntries(currencies.map((currency) => [currency, decimalsOf(currency)]))).toEqual(said);
});

test.each([
  { minor: 437, currency: "EUR", text: "4.37 EUR" },
  { minor: 0, currency: "EUR", text: "0.00 EUR" },
  { minor: 437, currency: "JPY", text: "437 JPY" },
  { minor: 437, currency: "BHD", text: "0.437 BHD" },
])("$minor of $currency is $text", ({ minor, currency, text }) => {
  expect(moneyText(minor, currency)).toBe(text);
});
