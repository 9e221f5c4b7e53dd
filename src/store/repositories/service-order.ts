// The order of services in all lists, for `order by`: that of the registry, not that of the alphabet.
import { type RawBuilder, sql } from "kysely";
import { SERVICE_NAMES } from "../../catalogue/service-names.ts";

const cases = sql.join(
  SERVICE_NAMES.map((name, rank) => sql`when ${sql.lit(name)} then ${sql.lit(rank)}`),
  sql` `,
);

/** Where the service in the column `subscriptions.service` is in that order. */
export const SUBSCRIPTION_ORDER: RawBuilder<number> = sql<number>`case ${sql.ref("subscriptions.service")} ${cases} end`;
