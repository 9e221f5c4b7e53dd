// The logo: a staff of five lines with a note for each service.
import { SERVICE_NAMES } from "../../src/catalogue/service-names.ts";

const FIRST_X = 5;
const LAST_X = 33;
// Where the notes are between the lines. With more than five services the melody begins again.
const MELODY = [22, 17, 12, 17, 7] as const;

const NOTES = SERVICE_NAMES.map(
  (name, index) =>
    [
      `var(--${name})`,
      FIRST_X + (index * (LAST_X - FIRST_X)) / Math.max(SERVICE_NAMES.length - 1, 1),
      MELODY[index % MELODY.length] ?? MELODY[0],
    ] as const,
);

/** The logo, for use next to the name. */
export function Brand() {
  return (
    <svg width="38" height="28" viewBox="0 0 38 28" aria-hidden="true">
      <path d="M0 4h38M0 9h38M0 14h38M0 19h38M0 24h38" stroke="currentColor" stroke-opacity=".28" />
      {NOTES.map(([colour, x, y]) => (
        <ellipse key={x} cx={x} cy={y + 2} rx="3.6" ry="2.8" fill={colour} transform={`rotate(-18 ${x} ${y + 2})`} />
      ))}
    </svg>
  );
}
