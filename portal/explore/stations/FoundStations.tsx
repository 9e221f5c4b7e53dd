// The stations that the filters find, page by page.
import { useEffect, useRef } from "preact/hooks";
import type { SearchStationsResponse } from "../../../gen/quintet/radio/v1/radio_pb.js";
import type { Query } from "../../api/use-query.ts";
import { Button } from "../../components/ui/Button.tsx";
import { EmptyState } from "../../components/ui/EmptyState.tsx";
import { Skeleton } from "../../components/ui/Skeleton.tsx";
import type { UrlState } from "../url-state.ts";
import { type Playing, StationList } from "./StationList.tsx";
import styles from "./Stations.module.css";

/** Which part of the results is shown. */
export interface Page {
  readonly offset: number;
  readonly size: number;
  /** The largest offset that is requested. */
  readonly offsetMax: number;
}

export function FoundStations({
  found,
  page: { offset, size, offsetMax },
  url,
  playing,
}: {
  readonly found: Query<SearchStationsResponse>;
  readonly page: Page;
  readonly url: UrlState;
  readonly playing: Playing;
}) {
  const section = useRef<HTMLElement>(null);
  const { data, isPrevious, problem } = found;
  const isTurned = useRef(false);
  const turn = (to: number): void => {
    isTurned.current = true;
    url.set({ offset: to > 0 ? String(to) : undefined });
  };
  // A new page is shown from its top.
  useEffect(() => {
    if (isTurned.current && !isPrevious) {
      isTurned.current = false;
      section.current?.scrollIntoView({ block: "start" });
    }
  }, [data, isPrevious]);
  return (
    <section ref={section} class={styles.found} aria-label="Stations found" aria-busy={isPrevious}>
      {(data === undefined || (isPrevious && data.results.length === 0)) && problem === undefined && <Skeleton rem={60} />}
      {data?.results.length === 0 &&
        !isPrevious &&
        (offset > 0 ? (
          <EmptyState title="No more results">
            <Button onClick={() => turn(0)}>Back to the first page</Button>
          </EmptyState>
        ) : (
          <EmptyState title="No stations found">
            <p>Try a shorter name, another genre, or all countries.</p>
            <Button onClick={() => url.set({ name: undefined, tag: undefined, country: undefined, view: undefined })}>
              Clear filters
            </Button>
          </EmptyState>
        ))}
      {data !== undefined && data.results.length > 0 && <StationList stations={data.results} playing={playing} />}
      <nav class={styles.pages} aria-label="Pages of the list">
        {offset > 0 && <Button onClick={() => turn(offset - size)}>Previous</Button>}
        {data?.nextOffset !== undefined && offset + size <= offsetMax && <Button onClick={() => turn(offset + size)}>Next</Button>}
      </nav>
    </section>
  );
}
