// The order of services in all lists, for `order by`: the registry's order, not the alphabetical one.
import { type RawBuilder, sql } from "kysely";
import { SERVICE_NAMES } from "../../catalogue/service-names.ts";

const cases = sql.join(
  SERVICE_NAMES.map((name, rank) => sql`when ${sql.lit(name)} then ${sql.lit(rank)}`),
  sql` `,
);

/** The position of the service in the column `subscriptions.service` in that order. */
export const SUBSCRIPTION_ORDER: RawBuilder<number> = sql<number>`case ${sql.ref("subscriptions.service")} ${cases} end`;
