// Links to the next and the previous page of a long list. The page is kept in the URL, so Back and reloading work.
import { useLocation } from "preact-iso";
import { ButtonLink } from "../../components/ui/Button.tsx";
import { formatNumber } from "../formats.ts";
import styles from "./OperatorPage.module.css";

/** How many rows a page has. */
export const PAGE_ROWS = 50;

/** The offset of the page that the URL names. */
export function offsetOf(query: Readonly<Record<string, string>>): number {
  const offset = Number(query.offset ?? "0");
  return Number.isInteger(offset) && offset >= 0 && offset <= 1_000_000 ? offset : 0;
}

/** The links. `count` rows of `total` are shown. */
export function Pages({
  count,
  total,
  nextOffset,
}: {
  readonly count: number;
  readonly total: number;
  readonly nextOffset: number | undefined;
}) {
  const { path, query } = useLocation();
  const offset = offsetOf(query);
  const at = (next: number): string => `${path}?${new URLSearchParams({ ...query, offset: String(Math.max(0, next)) })}`;
  return (
    <p class={styles.pages}>
      <span>
        {count === 0 ? "None" : `${formatNumber(offset + 1)}–${formatNumber(offset + count)}`} of {formatNumber(total)}
      </span>
      {offset > 0 && <ButtonLink href={at(offset - PAGE_ROWS)}>Previous</ButtonLink>}
      {nextOffset !== undefined && <ButtonLink href={at(nextOffset)}>Next</ButtonLink>}
    </p>
  );
}
