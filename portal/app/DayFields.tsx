// The fields of a filter bar for the first and the last day to show.
import { Field } from "../components/ui/Field.tsx";

/** `isEndBeforeStart`: the last day that was chosen is before the first one. */
export const DayFields = ({
  from,
  to,
  isEndBeforeStart,
  onChange,
}: {
  readonly from: string;
  readonly to: string;
  readonly isEndBeforeStart: boolean;
  readonly onChange: (change: { readonly from: string } | { readonly to: string }) => void;
}) => (
  <>
    <Field
      label="First day"
      name="from"
      type="date"
      value={from}
      onChange={(event) => onChange({ from: event.currentTarget.value })}
    />
    <Field
      label="Last day"
      name="to"
      type="date"
      value={to}
      error={isEndBeforeStart ? "must not be before the first day" : undefined}
      onChange={(event) => onChange({ to: event.currentTarget.value })}
    />
  </>
);
