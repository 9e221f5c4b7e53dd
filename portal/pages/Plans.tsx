// The plans. The running server inserts the cards (src/portal), because its operator may offer other plans.

import { PLANS_PLACEHOLDER } from "../../src/portal/plan-cards.ts";
import { PROMISES } from "../content/promises.ts";
import { PLAN_QUESTIONS } from "../content/questions.ts";
import styles from "./Plans.module.css";

export const Plans = () => (
  <>
    <h1>Plans</h1>
    <p class={styles.lead}>You subscribe to each service separately. You never pay more than the plan's price.</p>
    <fieldset class={styles.plans}>
      <legend class="unseen">Service</legend>
      <div class={styles.finder}>
        <label for="calls">How many calls do you make per month?</label>
        <input id="calls" type="range" defaultValue="25" />
        <output for="calls" />
      </div>
      <template data-placeholder={PLANS_PLACEHOLDER} />
    </fieldset>
    <h2>In every plan</h2>
    <dl class={styles.promises}>
      {PROMISES.map(([term, description]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{description}</dd>
        </div>
      ))}
    </dl>
    <h2>Questions</h2>
    <div class={styles.questions}>
      {PLAN_QUESTIONS.map(([question, response]) => (
        <details key={question}>
          <summary>{question}</summary>
          <p>{response}</p>
        </details>
      ))}
    </div>
    <p>
      See <a href="/docs/limits">Limits and plans</a> for how calls are counted.
    </p>
  </>
);
