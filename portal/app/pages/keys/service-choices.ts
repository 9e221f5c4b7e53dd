// The services that a key may call, to choose from.
import { SERVICES } from "../../../content/services.ts";

/** Name → title. */
export const SERVICE_CHOICES = SERVICES.map(({ name, title }) => [name, title] as const);
