// `quintet key limit`: where a key's calls may come from, and how many it may make.
import { type Command, Option } from "commander";
import { updateKey } from "../account/keys.ts";
import type { AllowedCallers, KeyLimits } from "../store/records.ts";
import { parseEntries, parseLimit } from "./arguments.ts";
import { CommandRefused } from "./command-refused.ts";
import type { CommandContext } from "./context.ts";
import { keyDocument } from "./documents.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
import { requireKey } from "./lookup.ts";
import { json } from "./output.ts";
import { keyLimits } from "./tables.ts";

/** The options of a key's limits. */
export interface LimitOptions {
  readonly allowedAddresses?: readonly string[];
  readonly allowedOrigins?: readonly string[];
  /** 0 for none. */
  readonly callsPerMonth?: number;
  /** 0 for none. */
  readonly requestsPerSecond?: number;
}

/** The options as changes to a key. */
export const limitsOf = ({ callsPerMonth, requestsPerSecond, ...allowed }: LimitOptions): Partial<AllowedCallers & KeyLimits> => ({
  ...allowed,
  ...(callsPerMonth !== undefined && { callsPerMonth: callsPerMonth === 0 ? null : callsPerMonth }),
  ...(requestsPerSecond !== undefined && { requestsPerSecond: requestsPerSecond === 0 ? null : requestsPerSecond }),
});

/** The options, for a command that sets limits. `defaultText` says what applies if the option is left out. */
export const limitOptions = (defaultText: string): readonly Option[] => [
  new Option(
    "--allowed-addresses <list>",
    `the addresses and networks that calls may come from, separated by commas, or all; ${defaultText}`,
  ).argParser(parseEntries),
  new Option(
    "--allowed-origins <list>",
    `the origins of the pages that may call, separated by commas, or all; ${defaultText}`,
  ).argParser(parseEntries),
  new Option(
    "--calls-per-month <n>",
    `the most calls per month that the key itself allows, or none; ${defaultText === "all by default" ? "none by default" : defaultText}`,
  ).argParser(parseLimit),
  new Option(
    "--requests-per-second <n>",
    `the most requests per second that the key itself allows, or none; ${defaultText === "all by default" ? "none by default" : defaultText}`,
  ).argParser(parseLimit),
];

export function addLimitCommand(key: Command, context: CommandContext): void {
  const command = key
    .command("limit")
    .description("Limit where a key's calls may come from, and how many it may make. Applies from the next call.")
    .argument("<key>", "its id");
  for (const option of limitOptions("unchanged by default")) {
    command.addOption(option);
  }
  command
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examples(
        "quintet key limit 2f0c8a52-7a1e-4f0e-9a53-0c1f6f7b9d11 --allowed-addresses 203.0.113.7,2001:db8::/32",
        "quintet key limit 2f0c8a52-7a1e-4f0e-9a53-0c1f6f7b9d11 --allowed-origins https://app.example.com --calls-per-month 10000",
      ),
    )
    .action(async (id: string, { json: asJson, ...limits }: LimitOptions & JsonOption) => {
      if (Object.keys(limits).length === 0) {
        throw new CommandRefused("usage", "Say what to limit, such as --allowed-addresses 203.0.113.7.");
      }
      const changed = await context.withStore(async (store) =>
        updateKey({ store }, (await requireKey(store, id)).id, limitsOf(limits)),
      );
      const list = keyLimits(changed)
        .map(([what, value]) => `\n${what}: ${value}`)
        .join("");
      context.out(
        asJson
          ? json(keyDocument(changed, context.clock.nowMs()))
          : list === ""
            ? `Key ${changed.name} has no limits of its own.\n`
            : `Key ${changed.name} is limited from the next call on.${list}\n`,
      );
    });
}
