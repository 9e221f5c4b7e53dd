// The form of one method as it stands on the page, and in the page's address: what was typed survives a reload, and a link opens the same form.
import type { JsonObject } from "@bufbuild/protobuf";
import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import type { ConsoleMethod, Contract } from "./contract/contract.ts";
import { type FormField, fieldsOf } from "./form/fields.ts";
import { hashOf, linkOf, readHash, readLink } from "./form/link.ts";
import { type FormValues, jsonOf, valuesOf } from "./form/values.ts";
import { type Protocol, protocolOf, protocolsOf } from "./wire/protocol.ts";

/** The form. */
export interface ConsoleForm {
  readonly fields: readonly FormField[];
  readonly values: FormValues;
  /** The message as JSON. */
  readonly input: JsonObject;
  readonly protocols: readonly Protocol[];
  readonly protocol: Protocol;
  /** Whether it only asks what would become of the call. */
  readonly isDryRun: boolean;
  /** Names in the address that the method has no field for. */
  readonly unknown: readonly string[];
  /** The form's values in a link, with `?`; undefined where none can hold them. */
  readonly query: string | undefined;
  /** How it is sent, in a link, with `#`. */
  readonly hash: string;
  /** Undefined takes a field out. */
  setField(path: string, texts: readonly string[] | undefined): void;
  setProtocol(id: string): void;
  setDryRun(isDryRun: boolean): void;
  /** Fills in a call that succeeds. */
  fillIn(): void;
}

/** Begins with what the address holds; without anything there, with a call that succeeds. */
export function useForm({ registry }: Contract, method: ConsoleMethod): ConsoleForm {
  const fields = useMemo(() => fieldsOf(registry, method.desc.input), [registry, method]);
  const protocols = protocolsOf(method);
  const sample = (): FormValues => valuesOf(fields, method.sample as JsonObject);
  const [{ first, unknown }] = useState(() => {
    const link = readLink(fields, location.search);
    return { first: location.search === "" && location.hash === "" ? sample() : link.values, unknown: link.unknown };
  });
  const [values, setValues] = useState(first);
  const [linked] = useState(() => readHash(location.hash));
  const [protocol, setProtocol] = useState(() => protocolOf(protocols, linked.protocol));
  const [isDryRun, setDryRun] = useState(linked.isDryRun);
  const query = linkOf(values);
  const hash = hashOf({ protocol: protocol.id, isDryRun });
  // At once, and not after the next picture: a reload may come before that.
  useLayoutEffect(() => {
    // What no link can hold stands in the page alone.
    history.replaceState(history.state, "", `${location.pathname}${query ?? ""}${hash}`);
  }, [query, hash]);
  const input = useMemo(() => jsonOf(fields, values), [fields, values]);
  return {
    fields,
    values,
    input,
    protocols,
    protocol,
    isDryRun,
    unknown,
    query,
    hash,
    setField: (path, texts) => setValues((now) => changed(fields, now, path, texts)),
    setProtocol: (id) => setProtocol(protocolOf(protocols, id)),
    setDryRun,
    fillIn: () => setValues(sample()),
  };
}

// A message that is taken out takes its fields with it, and a member of a oneof the other members.
function changed(fields: readonly FormField[], values: FormValues, path: string, texts: readonly string[] | undefined): FormValues {
  const [name = ""] = path.split(".");
  const { oneof } = fields.find((field) => field.name === name) ?? {};
  const rivals = oneof === undefined ? [] : fields.filter((field) => field.oneof === oneof && field.name !== name);
  const gone = (other: string): boolean =>
    other === path ||
    (texts === undefined && other.startsWith(`${path}.`)) ||
    rivals.some((rival) => other === rival.name || other.startsWith(`${rival.name}.`));
  const kept = Object.entries(values).filter(([other]) => !gone(other));
  return Object.fromEntries(texts === undefined ? kept : [...kept, [path, texts]]);
}
