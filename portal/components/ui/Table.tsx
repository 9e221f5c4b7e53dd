// A table that scrolls on its own if it is wider than the page, also by keyboard.
import type { ComponentChildren } from "preact";
import styles from "./Table.module.css";

/** One column. Numbers are aligned to the right. */
export interface Column {
  readonly heading: string;
  readonly isFigure?: boolean;
}

/** One row: its cells in the order of the columns. The first one names it. */
export interface Row {
  readonly key: string;
  readonly cells: readonly ComponentChildren[];
}

/** `label` says what the table lists, for screen readers. With `stacks`, a narrow screen shows each row as a list of its cells. */
export const Table = ({
  label,
  columns,
  rows,
  stacks = false,
}: {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly stacks?: boolean;
}) => {
  const kindOf = (index: number): string | undefined => (columns[index]?.isFigure === true ? styles.figure : undefined);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard; Safari needs this for it.
    <section class={styles.frame} aria-label={label} tabIndex={0}>
      <table class={stacks ? `${styles.table} ${styles.stacks}` : styles.table}>
        <thead>
          <tr>
            {columns.map(({ heading }, index) => (
              <th key={heading} scope="col" class={kindOf(index)}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells: [first, ...others] }) => (
            <tr key={key}>
              <th scope="row" class={kindOf(0)}>
                {first}
              </th>
              {others.map((cell, index) => (
                <td key={index} class={kindOf(index + 1)} data-heading={columns[index + 1]?.heading}>
                  <div>{cell}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
};
