// Faults of a page's layout that are easily overlooked: codes that break in the middle of a word, cells without a heading, fields in a font
// of the browser's, words that run under their checkbox, and regions that nobody can tell apart by their names.
import type { Page } from "playwright-core";

/**
 * Describes them. A code such as `RESOURCE_EXHAUSTED` may wrap only after an underscore. Where a table is displayed as a list, each cell
 * with text needs its heading next to it, except the first, which names its row. A field has the page's font, or that of code.
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
    for (const cell of document.querySelectorAll("td:not(:first-child)")) {
      const text = cell.textContent ?? "";
      const isList = !["table-cell", "none"].includes(getComputedStyle(cell).display);
      const heading = getComputedStyle(cell, "::before").content;
      if (isList && text !== "" && cell.querySelector("button") === null && ["none", "normal", '""'].includes(heading)) {
        found.add(`a cell has no heading: ${text}`);
      }
    }
    const { fontFamily } = getComputedStyle(document.body);
    for (const field of document.querySelectorAll("input, select, textarea, button")) {
      const own = getComputedStyle(field).fontFamily;
      if (own !== fontFamily && !own.startsWith("ui-monospace")) {
        found.add(`a field has the font ${own}: ${field.getAttribute("name")}`);
      }
    }
    for (const label of document.querySelectorAll("label:has(> input[type=checkbox])")) {
      const box = label.querySelector("input")?.getBoundingClientRect();
      range.selectNodeContents(label);
      if (box !== undefined && Array.from(range.getClientRects()).some(({ left, top }) => top >= box.bottom && left < box.right)) {
        found.add(`words are under their checkbox: ${label.textContent}`);
      }
    }
    const names = Array.from(document.querySelectorAll("main [role=region][aria-label]"), (region) => region.ariaLabel);
    for (const name of names.filter((one, index) => names.indexOf(one) !== index)) {
      found.add(`several regions are named ${name}`);
    }
    return [...found];
  });
