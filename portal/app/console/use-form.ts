// The form of one method, on the page and in its URL: what was typed survives a reload, and a link opens the same form.
import type { JsonObject } from "@bufbuild/protobuf";
import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import type { ConsoleMethod, Contract } from "./contract/contract.ts";
import { type FormField, fieldsOf } from "./form/fields.ts";
import { hashOf, linkOf, readHash, readLink } from "./form/link.ts";
import { type FormValues, jsonOf, valuesOf } from "./form/values.ts";
import { type Protocol, protocolOf, protocolsOf } from "./wire/protocol.ts";

export interface ConsoleForm {
  readonly fields: readonly FormField[];
  readonly values: FormValues;
  /** The message as JSON. */
  readonly input: JsonObject;
  readonly protocols: readonly Protocol[];
  readonly protocol: Protocol;
  /** Whether the call is a dry run. */
  readonly isDryRun: boolean;
  /** Names in the URL that the method has no field for. */
  readonly unknown: readonly string[];
  /** The form's values in a link, with `?`; undefined if no link can hold them. */
  readonly query: string | undefined;
  /** The part of a link that says how the form is sent, with `#`. */
  readonly hash: string;
  /** Removes the field if `texts` is undefined. */
  setField(path: string, texts: readonly string[] | undefined): void;
  setProtocol(id: string): void;
  setDryRun(isDryRun: boolean): void;
  /** Fills in the method's example, a call that succeeds. */
  fillIn(): void;
}

/** Starts with the values in the URL or, if it has none, with the method's example. */
export function useForm({ rules }: Contract, method: ConsoleMethod): ConsoleForm {
  const fields = useMemo(() => fieldsOf(rules, method.desc.input), [rules, method]);
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
  // Immediately, not after the page has been painted, because it may be reloaded before that.
  useLayoutEffect(() => {
    // Values that no link can hold are kept only in the page.
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

// Removing a message removes its fields, and setting one member of a oneof removes the others.
function changed(fields: readonly FormField[], values: FormValues, path: string, texts: readonly string[] | undefined): FormValues {
  const [name = ""] = path.split(".");
  const { oneof } = fields.find((field) => field.name === name) ?? {};
  const otherMembers = oneof === undefined ? [] : fields.filter((field) => field.oneof === oneof && field.name !== name);
  const isRemoved = (other: string): boolean =>
    other === path ||
    (texts === undefined && other.startsWith(`${path}.`)) ||
    otherMembers.some((member) => other === member.name || other.startsWith(`${member.name}.`));
  const kept = Object.entries(values).filter(([other]) => !isRemoved(other));
  return Object.fromEntries(texts === undefined ? kept : [...kept, [path, texts]]);
}
