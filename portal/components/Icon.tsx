// An icon next to words with the same meaning, so it is hidden from screen readers.
import { h } from "preact";
import { ICONS, type IconName } from "./icons.ts";

const VIEW_BOX = "0 0 24 24";

/** The icon, `size` pixels high. */
export const Icon = ({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox={VIEW_BOX}
    fill="none"
    stroke="currentColor"
    stroke-width="1.9"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    {ICONS[name].map(([element, attributes], index) => h(element, { key: index, ...attributes }))}
  </svg>
);
