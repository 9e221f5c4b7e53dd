// The limits of a key in a form: where its calls may come from, and how many it may make.
import type { Key } from "../../../../gen/quintet/account/v1/key_pb.js";
import { Field, TextAreaField } from "../../../components/ui/Field.tsx";
import { formatNumber } from "../../formats.ts";

/** The names of the fields, as the server's errors name them. */
export const LIMIT_NAMES: readonly string[] = ["allowed_addresses", "allowed_origins", "calls_per_month", "requests_per_second"];

type Limits = Pick<Key, "allowedAddresses" | "allowedOrigins" | "callsPerMonth" | "requestsPerSecond">;

/** What the user has entered. `faults`: what is wrong with a field, by its name. */
export interface EnteredLimits {
  readonly allowedAddresses: string[];
  readonly allowedOrigins: string[];
  /** 0 for no limit. */
  readonly callsPerMonth: number;
  /** 0 for no limit. */
  readonly requestsPerSecond: number;
  readonly faults: Readonly<Record<string, string>>;
}

const MAXIMA = { calls_per_month: 1_000_000_000, requests_per_second: 100_000 } as const;

export function limitsOf(values: FormData): EnteredLimits {
  const text = (name: string): string => String(values.get(name) ?? "").trim();
  const list = (name: string): string[] =>
    text(name)
      .split(/[\s,]+/)
      .filter((entry) => entry !== "");
  const count = (name: keyof typeof MAXIMA): number => Number(text(name));
  const faults = Object.entries(MAXIMA).flatMap(([name, max]) => {
    const limit = count(name as keyof typeof MAXIMA);
    return Number.isInteger(limit) && limit >= 0 && limit <= max
      ? []
      : [[name, `must be a whole number of at most ${formatNumber(max)}`]];
  });
  return {
    allowedAddresses: list("allowed_addresses"),
    allowedOrigins: list("allowed_origins"),
    callsPerMonth: count("calls_per_month"),
    requestsPerSecond: count("requests_per_second"),
    faults: Object.fromEntries(faults),
  };
}

/** The fields. `limits`: the key's current limits. */
export const LimitFields = ({
  limits,
  errors,
}: {
  readonly limits?: Limits | undefined;
  readonly errors: Readonly<Record<string, string>>;
}) => (
  <>
    <Field
      label="Calls per month"
      name="calls_per_month"
      inputMode="numeric"
      autocomplete="off"
      defaultValue={limits?.callsPerMonth?.toString() ?? ""}
      hint="Across all services. Leave empty to apply only your plans' limits."
      error={errors.calls_per_month}
    />
    <Field
      label="Requests per second"
      name="requests_per_second"
      inputMode="numeric"
      autocomplete="off"
      defaultValue={limits?.requestsPerSecond?.toString() ?? ""}
      hint="Across all services. Leave empty to apply only your plans' limits."
      error={errors.requests_per_second}
    />
    <TextAreaField
      label="Allowed IP addresses"
      name="allowed_addresses"
      rows={2}
      defaultValue={limits?.allowedAddresses.join("\n") ?? ""}
      hint="For servers: one address or network per line, such as 203.0.113.7 or 2001:db8::/32. Leave empty to allow all."
      error={errors.allowed_addresses}
    />
    <TextAreaField
      label="Allowed origins"
      name="allowed_origins"
      rows={2}
      defaultValue={limits?.allowedOrigins.join("\n") ?? ""}
      hint="For web pages: one origin per line, such as https://app.example.com. Leave empty to allow every caller."
      error={errors.allowed_origins}
    />
  </>
);
