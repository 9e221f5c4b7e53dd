// A table that a narrow screen shows as a list. If it is still wider than the page, only the table scrolls, also by keyboard.
import type { ComponentChildren } from "preact";

/** A table with one row of headings. `label` says what the table lists, for screen readers. */
export const DataTable = ({
  label,
  headings,
  rows,
}: {
  readonly label: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard; Safari needs this for it.
  <section class="table" aria-label={label} tabIndex={0}>
    <table class="stacked">
      <thead>
        <tr>
          {headings.map((heading) => (
            <th key={heading} scope="col">
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells, row) => (
          <tr key={row}>
            {cells.map((cell, column) => (
              <td key={column} data-heading={headings[column]}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);
