// The date above the first call of each day but today, because the rows of a list of calls show only the time.
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Call } from "../../../gen/quintet/account/v1/usage_pb.js";
import styles from "./CallRows.module.css";

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

const dayOf = ({ startedAt }: Call): string | undefined => startedAt && DAY.format(timestampDate(startedAt));

/** `previous` is the call above, which is newer; undefined for the first one. */
export function DayLine({ call, previous }: { readonly call: Call; readonly previous: Call | undefined }) {
  const day = dayOf(call);
  const above = previous === undefined ? DAY.format() : dayOf(previous);
  return day === undefined || day === above ? null : <li class={styles.day}>{day}</li>;
}
