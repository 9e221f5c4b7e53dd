// Chooses which part of the account's activity is shown. The choice is kept in the address, so that Back and a copied link keep it.
import { useLocation } from "preact-iso";
import { Field, SelectField } from "../../components/ui/Field.tsx";
import styles from "./ActivityFilterBar.module.css";
import { type ActivityFilters, activityPath, SHOWN, SUBJECTS } from "./activity-filters.ts";

/** `isEndBeforeBegin`: the last day that was chosen is before the first one. */
export function ActivityFilterBar({
  filters: { page: _, ...filters },
  isEndBeforeBegin,
}: {
  readonly filters: ActivityFilters;
  readonly isEndBeforeBegin: boolean;
}) {
  const { route } = useLocation();
  const choose = (changes: Partial<ActivityFilters>): void => route(activityPath({ ...filters, page: "", ...changes }));
  return (
    <>
      <div class={styles.filters}>
        <SelectField label="About" name="about" value={filters.about} options={SUBJECTS} onChange={(about) => choose({ about })} />
        <Field
          label="First day"
          name="from"
          type="date"
          value={filters.from}
          onChange={(event) => choose({ from: event.currentTarget.value })}
        />
        <Field
          label="Last day"
          name="to"
          type="date"
          value={filters.to}
          error={isEndBeforeBegin ? "must not be before the first day" : undefined}
          onChange={(event) => choose({ to: event.currentTarget.value })}
        />
      </div>
      <p>
        <label>
          <input
            type="checkbox"
            name="short-lived"
            checked={filters.shortLived === SHOWN}
            onChange={({ currentTarget }) => choose({ shortLived: currentTarget.checked ? SHOWN : "" })}
          />{" "}
          Include keys with a lifetime of at most an hour, such as the console's
        </label>
      </p>
    </>
  );
}
