// The plans. The tables themselves are those of the running server, whose operator may have other plans: src/portal puts them in.

import { PLANS_PLACE } from "../../src/portal/plan-tables.ts";
import prose from "../components/Prose.module.css";
import styles from "./Plans.module.css";

/** The page. */
export const Plans = () => (
  <>
    <h1>Plans</h1>
    <p class={styles.lead}>
      You subscribe to each service separately. Both limits of a plan are hard: a call over them is refused and costs nothing, so a
      month never costs more than its plan. All keys of an account share the limits of its subscriptions.
    </p>
    <div class={`${prose.prose} ${styles.plans}`} data-place={PLANS_PLACE} />
    <p>
      A free plan is active right away. The operator activates a paid one after you request it.{" "}
      <a href="/docs/limits">Limits and plans</a> says how seconds and months are counted; programs read the same as{" "}
      <a href="/reference/account/list-plans">ListPlans</a>.
    </p>
  </>
);
