// Generated pictures for everything with a logo in the sandbox: SVG with a colour and a shape derived from the name, and its first
// letters. Pure.
import { numberOf } from "./market/assets.ts";
import { seeded } from "./seeded.ts";

const LETTERS_MAX = 3;

/** A square picture of a name, as SVG; always the same for the same name. */
export function pictureOf(name: string): string {
  const draw = seeded(numberOf(name));
  const hue = Math.floor(draw() * 360);
  const other = (hue + 40 + Math.floor(draw() * 120)) % 360;
  const turn = Math.floor(draw() * 180);
  const radius = 18 + Math.floor(draw() * 14);
  const letters = (name.match(/[A-Za-z0-9]/g) ?? ["?"]).slice(0, LETTERS_MAX).join("").toUpperCase();
  return `<svg xmlns="http://www.w3.org/2000/svg" width="128" height="128" viewBox="0 0 64 64">
<rect width="64" height="64" fill="hsl(${hue} 62% 34%)"/>
<g fill="hsl(${other} 70% 62%)" fill-opacity=".45" transform="rotate(${turn} 32 32)">
<circle cx="12" cy="32" r="${radius}"/><rect x="38" y="-12" width="14" height="88"/></g>
<text x="32" y="39" fill="#fff" font-family="sans-serif" font-size="20" font-weight="700" text-anchor="middle">${letters}</text>
</svg>
`;
}
