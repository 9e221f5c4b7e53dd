// Faults of a page's layout that are easily overlooked: codes that break in the middle of a word, and cells without a heading.
import type { Page } from "playwright-core";

/**
 * Describes them. A code such as `RESOURCE_EXHAUSTED` may wrap only after an underscore. Where a table is displayed as a list, each cell
 * with text needs its heading next to it.
 */
export const layoutFaults = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const found = new Set<string>();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      for (const { 0: word, index } of (node.textContent ?? "").matchAll(/[A-Z]{5,}/g)) {
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const lines = new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top)));
        if (lines.size > 1 && node.parentElement?.closest("pre") === null) {
          found.add(`${word} breaks in the middle`);
        }
      }
    }
    for (const cell of document.querySelectorAll("td")) {
      const text = cell.textContent ?? "";
      const isList = !["table-cell", "none"].includes(getComputedStyle(cell).display);
      const heading = getComputedStyle(cell, "::before").content;
      if (isList && text !== "" && cell.querySelector("button") === null && ["none", "normal", '""'].includes(heading)) {
        found.add(`a cell has no heading: ${text}`);
      }
    }
    return [...found];
  });
