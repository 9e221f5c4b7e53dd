// Chooses which part of the account's activity is shown. The choice is kept in the URL, so that Back and a copied link keep it.
import { useLocation } from "preact-iso";
import { SelectField } from "../../components/ui/Field.tsx";
import { DayFields } from "../DayFields.tsx";
import styles from "./ActivityFilterBar.module.css";
import { type ActivityFilters, activityPath, SHOWN, SUBJECTS } from "./activity-filters.ts";

export function ActivityFilterBar({
  filters: { page: _, ...filters },
  isEndBeforeStart,
}: {
  readonly filters: ActivityFilters;
  readonly isEndBeforeStart: boolean;
}) {
  const { route } = useLocation();
  const choose = (changes: Partial<ActivityFilters>): void => route(activityPath({ ...filters, page: "", ...changes }));
  return (
    <>
      <div class={styles.filters}>
        <SelectField label="Topic" name="about" value={filters.about} options={SUBJECTS} onChange={(about) => choose({ about })} />
        <DayFields from={filters.from} to={filters.to} isEndBeforeStart={isEndBeforeStart} onChange={choose} />
      </div>
      <p>
        <label>
          <input
            type="checkbox"
            name="short-lived"
            checked={filters.shortLived === SHOWN}
            onChange={({ currentTarget }) => choose({ shortLived: currentTarget.checked ? SHOWN : "" })}
          />{" "}
          Include short-lived keys (an hour or less), such as the console's
        </label>
      </p>
    </>
  );
}
