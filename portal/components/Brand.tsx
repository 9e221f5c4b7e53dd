// The mark: a staff of five lines with five notes, one for each service.
const NOTES = [
  ["var(--radio)", 5, 22],
  ["var(--token-price)", 12, 17],
  ["var(--token-list)", 19, 12],
  ["var(--bitcoin)", 26, 17],
  ["var(--farkle)", 33, 7],
] as const;

/** The mark, for beside the name. */
export function Brand() {
  return (
    <svg width="38" height="28" viewBox="0 0 38 28" aria-hidden="true">
      {[2, 7, 12, 17, 22].map((y) => (
        <path key={y} d={`M0 ${y + 2}h38`} stroke="currentColor" stroke-opacity=".28" />
      ))}
      {NOTES.map(([colour, x, y]) => (
        <ellipse key={x} cx={x} cy={y + 2} rx="3.6" ry="2.8" fill={colour} transform={`rotate(-18 ${x} ${y + 2})`} />
      ))}
    </svg>
  );
}
