// Reads the environment into typed values and collects every fault, so that an operator sees all faults together. Each variable is
// declared where it is read, with the sentence that documents it: `quintet serve --help` and the tables of docs/operate/settings.md print
// it.
import { isIP } from "node:net";
import { didYouMean } from "@quintet/transcoding";
import { baseUrlFault, withoutSecrets } from "./upstream-url.ts";

/** One variable, as the documentation shows it. */
export interface VariableDoc {
  readonly name: string;
  /** The default, as it would be written; empty if there is none. */
  readonly fallback: string;
  /** The bounds of a whole number, such as `1 to 100`, or the allowed words; undefined for any string. */
  readonly allowed: string | undefined;
  readonly meaning: string;
}

/** The bounds of a whole number, both inclusive. */
export interface IntegerBounds {
  readonly min: number;
  readonly max: number;
}

/** A variable with a whole number, as one row of a table. */
export interface IntegerSetting {
  readonly variable: string;
  readonly fallback: number;
  readonly bounds: IntegerBounds;
  /** What the variable is for, with its unit. */
  readonly meaning: string;
}

/** Variables of the programs in examples/: a shell that sets them for a client may also start a server. */
const CLIENT_VARIABLES = ["QUINTET_KEY", "QUINTET_URL"];

/** Everything wrong with the environment. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(
      `The environment has ${faults.length === 1 ? "a fault" : `${faults.length} faults`}:\n${faults.map((fault) => `  ${fault}`).join("\n")}`,
    );
    this.name = "ConfigError";
    this.faults = faults;
  }
}

// A value with line breaks or escape sequences would garble the terminal.
const CONTROL_CHARACTERS = /\p{Cc}/gu;
const escaped = (control: string): string => JSON.stringify(control).slice(1, -1);

const isHost = (text: string): boolean => isIP(text) !== 0 || /^[\w.-]+$/.test(text);

// The longest part of a value that a fault repeats.
const SHOWN_CHARACTERS_MAX = 100;
const shown = (text: string): string =>
  text.length <= SHOWN_CHARACTERS_MAX ? `"${text}"` : `"${text.slice(0, SHOWN_CHARACTERS_MAX)}…"`;

const boundsText = ({ min, max }: IntegerBounds): string => `${min} to ${max}`;

type Variables = Readonly<Record<string, string | undefined>>;

/** Reads variables one by one. Every method returns the default if the variable is not set, empty or invalid. */
export class Environment {
  readonly docs: VariableDoc[] = [];
  readonly #variables: Variables;
  // A variable that two sections read may be wrong for both.
  readonly #faults = new Set<string>();

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  text(name: string, fallback: string, meaning: string): string {
    return this.#read(name, fallback, meaning) ?? fallback;
  }

  /** A string, or undefined if it is not set. */
  optionalText(name: string, meaning: string): string | undefined {
    return this.#read(name, "", meaning);
  }

  /** A variable that programs also read in lower case, in lower case. */
  lowerCase(name: string): string | undefined {
    return this.#variables[name.toLowerCase()] || undefined;
  }

  /** The address or the name of a host to listen on, without a port. */
  host(name: string, fallback: string, meaning: string): string {
    const text = this.#read(name, fallback, meaning) ?? fallback;
    if (!isHost(text)) {
      this.fault(name, `must be an IP address or a host name, such as 127.0.0.1 or ::1, not ${shown(text)}`);
      return fallback;
    }
    return text;
  }

  /** The whole numbers of a table. */
  integers<Name extends string>(settings: Readonly<Record<Name, IntegerSetting>>): Readonly<Record<Name, number>> {
    const values = Object.entries<IntegerSetting>(settings).map(([name, { variable, fallback, bounds, meaning }]) => [
      name,
      this.integer(variable, fallback, bounds, meaning),
    ]);
    // Object.fromEntries loses the names.
    return Object.fromEntries(values) as Record<Name, number>;
  }

  /** A whole number within bounds. */
  integer(name: string, fallback: number, bounds: IntegerBounds, meaning: string): number {
    return this.#integer(name, this.#read(name, String(fallback), meaning, boundsText(bounds)), bounds) ?? fallback;
  }

  /** A whole number within bounds, or undefined if it is not set. `meaning` says what applies then. */
  optionalInteger(name: string, bounds: IntegerBounds, meaning: string): number | undefined {
    return this.#integer(name, this.#read(name, "", meaning, boundsText(bounds)), bounds);
  }

  /** One of a few words. */
  choice<Choice extends string>(name: string, fallback: Choice, choices: readonly Choice[], meaning: string): Choice {
    const text = this.#read(name, fallback, meaning, choices.join(", "));
    return (text === undefined ? undefined : this.#oneOf(name, text, choices)) ?? fallback;
  }

  /** One of a few words, or undefined if it is not set. `meaning` says what applies then. */
  optionalChoice<Choice extends string>(name: string, choices: readonly Choice[], meaning: string): Choice | undefined {
    const text = this.#read(name, "", meaning, choices.join(", "));
    return text === undefined ? undefined : this.#oneOf(name, text, choices);
  }

  /** An http or https URL, without a trailing slash. */
  url(name: string, fallback: string, meaning: string): string {
    const text = this.#read(name, fallback, meaning) ?? fallback;
    const fault = text.includes(",") ? `"${withoutSecrets(text)}" is not one` : baseUrlFault(text);
    if (fault !== undefined) {
      this.fault(name, `must be an http or https URL; ${fault}`);
      return fallback;
    }
    return text.replace(/\/+$/, "");
  }

  /** One or more http or https URLs separated by commas, without trailing slashes. */
  urls(name: string, fallback: readonly string[], meaning: string): readonly string[] {
    const text = this.#read(name, fallback.join(","), meaning);
    if (text === undefined) {
      return fallback;
    }
    const urls = text.split(",").map((part) => part.trim());
    const fault = urls.map((url) => baseUrlFault(url)).find((found) => found !== undefined);
    if (fault !== undefined) {
      this.fault(name, `must contain http or https URLs separated by commas; ${fault}`);
      return fallback;
    }
    return urls.map((url) => url.replace(/\/+$/, ""));
  }

  /** Records a fault of a variable, for checks beyond those of this class. */
  fault(name: string, description: string): void {
    this.#faults.add(`${name} ${description.replaceAll(CONTROL_CHARACTERS, escaped)}`);
  }

  /** Throws a ConfigError if there were any faults, or if a variable with our prefix is set that is never read. Call it last. */
  finish(): void {
    const known = new Set([...this.docs.map(({ name }) => name), ...CLIENT_VARIABLES]);
    for (const name of Object.keys(this.#variables)) {
      if (name.startsWith("QUINTET_") && !known.has(name)) {
        this.fault(name, `is not a variable that Quintet knows${didYouMean(name, known)}`);
      }
    }
    this.check();
  }

  /** Throws a ConfigError if anything read so far was faulty. */
  check(): void {
    if (this.#faults.size > 0) {
      throw new ConfigError([...this.#faults]);
    }
  }

  #oneOf<Choice extends string>(name: string, text: string, choices: readonly Choice[]): Choice | undefined {
    const found = choices.find((choice) => choice === text);
    if (found === undefined) {
      this.fault(name, `must be one of ${choices.join(", ")}, not ${shown(text)}${didYouMean(text, choices)}`);
    }
    return found;
  }

  #integer(name: string, text: string | undefined, { min, max }: IntegerBounds): number | undefined {
    if (text === undefined) {
      return undefined;
    }
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) {
      this.fault(name, `must be a whole number from ${min} to ${max}, not ${shown(text)}`);
      return undefined;
    }
    return value;
  }

  #read(name: string, fallback: string, meaning: string, allowed?: string): string | undefined {
    // Some variables concern several sections.
    if (this.docs.every((doc) => doc.name !== name)) {
      this.docs.push({ name, fallback, allowed, meaning });
    }
    const text = this.#variables[name];
    return text === undefined || text === "" ? undefined : text;
  }
}
