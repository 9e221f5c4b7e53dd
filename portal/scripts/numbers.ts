// Numbers and money as the reader's language writes them.

/** Each element has its `value`, and its currency in `data-currency` if it is money. */
export function localizeNumbers(elements: Iterable<HTMLDataElement>): void {
  for (const element of elements) {
    const { currency } = element.dataset;
    const format = new Intl.NumberFormat(
      undefined,
      currency ? { style: "currency", currency, trailingZeroDisplay: "stripIfInteger" } : undefined,
    );
    element.textContent = format.format(Number(element.value));
  }
}
