// The services' status. The running server inserts the measurements: src/portal/status-page.ts.
import { STATUS_PLACEHOLDER } from "../../src/portal/status-page.ts";
import styles from "./Status.module.css";

export const Status = () => (
  <div class={styles.page}>
    <h1>Status</h1>
    <div class={styles.status}>
      <template data-placeholder={STATUS_PLACEHOLDER} />
    </div>
    <h2>What is measured</h2>
    <p>
      <b>Availability</b> is the share of customers' calls that did not fail because of us: this server, its database, or the source
      of the data. Calls that were refused because of a key, a plan or a limit are not counted, and a call with wrong parameters
      counts as a success. <b>Data source</b> means the requests that this server sends to the source of a service's data. Many
      calls need none, because the data is cached.
    </p>
    <p>
      Each bar is a day (UTC): green from 99.9%, yellow from 99%, red below. A pale bar means no calls or requests that day, so
      there is nothing to measure. Time when no server could be reached is not measured either. “Operational” means that at least
      99% of the calls or requests in this hour and the one before succeeded; “degraded” means at least 90%. Fewer than five
      failures count only if they are more than half. A service whose data source has problems can be operational: many calls are
      served from the cache or a mirror. Response times run from the arrival of a call until its response is sent. They are
      estimated from the call log and leave out streams.
    </p>
    <p>
      Incidents and maintenance are reported by the operators of this server. Past ones stay here for 90 days. To be notified,
      subscribe to <a href="/status/feed.atom">the feed</a>.
    </p>
    <p>
      All figures cover all customers together. Programs can read them with <a href="/reference/status/get-status">GetStatus</a>:{" "}
      <code>GET /account/v1/status</code>.
    </p>
  </div>
);
