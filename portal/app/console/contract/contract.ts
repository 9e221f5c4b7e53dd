// The services' contract as the console needs it: the descriptors of what it calls, the rules of their fields, and texts. The build reads
// them from the protos (build/console-contract.ts), and the console loads them when it is opened.
import { createRegistry, type DescMethod, type Registry } from "@bufbuild/protobuf";
import { type CompactFile, embeddedFile } from "../../../api/embedded-file.ts";
import type { ConsoleMethodText } from "../../../content/console.ts";
import type { RulesByField } from "./field-rules.ts";

/** What the options of a method's descriptor say. */
export interface MethodOptions {
  /** Whether Connect may call it by GET. */
  readonly isIdempotent: boolean;
  /** The field of the response that is `data` over REST; empty if it is the whole response. */
  readonly restResponseField: string;
}

/** The contract as it is loaded, except for the texts. */
export interface ContractFile {
  /** Each after its imports. */
  readonly files: readonly CompactFile[];
  /** By the method's RPC name, `quintet.radio.v1.RadioService/SearchStations`. */
  readonly options: Readonly<Record<string, MethodOptions>>;
  readonly rules: RulesByField;
}

/** A method that can be called. */
export interface ConsoleMethod extends ConsoleMethodText, MethodOptions {
  readonly desc: DescMethod;
}

/** Every method that can be called. */
export interface Contract {
  readonly registry: Registry;
  readonly rules: RulesByField;
  readonly methods: readonly ConsoleMethod[];
  /** A method by its path in the console, `radio/search-stations`, or by its RPC name. Undefined if there is none. */
  find(name: string): ConsoleMethod | undefined;
}

/** Makes descriptors of the file, and adds the texts to its methods. */
export function readContract({ files, options, rules }: ContractFile, texts: readonly ConsoleMethodText[]): Contract {
  const registry = createRegistry(...files.map((file) => embeddedFile(file)));
  const methods = texts.flatMap((text) => {
    const [service = "", name] = text.rpc.split("/");
    const desc = registry.getService(service)?.methods.find((method) => method.name === name);
    const ofMethod = options[text.rpc];
    return desc === undefined || ofMethod === undefined ? [] : [{ ...text, ...ofMethod, desc }];
  });
  const byName = new Map(methods.flatMap((method) => [method.slug, method.rpc].map((name) => [name.toLowerCase(), method])));
  return { registry, rules, methods, find: (name) => byName.get(name.toLowerCase()) };
}
