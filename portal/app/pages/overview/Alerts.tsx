// What needs the user's attention. Each alert has a button.
import { ButtonLink } from "../../../components/ui/Button.tsx";
import styles from "./MonthAlerts.module.css";
import type { MonthAlert } from "./month-alerts.ts";

/** The alerts; nothing if there are none. */
export const Alerts = ({ alerts }: { readonly alerts: readonly MonthAlert[] }) =>
  alerts.length === 0 ? null : (
    <ul class={styles.alerts} aria-label="Alerts">
      {alerts.map(({ service, tone, title, text, action }) => (
        <li key={service} class={styles.alert} data-tone={tone}>
          <div>
            <h2>{title}</h2>
            <p>{text}</p>
          </div>
          <ButtonLink kind={tone === "bad" ? "primary" : "secondary"} href={action.href}>
            {action.label}
          </ButtonLink>
        </li>
      ))}
    </ul>
  );
