// The descriptors of generated code, as browsers load them (build/compact-file.ts). The library could build them from a
// FileDescriptorProto, but that takes 4 KB more code, nearly all of it for other editions of Protobuf, extensions and options.
import type { DescEnum, DescField, DescFile, DescMessage, DescOneof, DescService } from "@bufbuild/protobuf";
import type { GenFile } from "@bufbuild/protobuf/codegenv2";
import { protoCamelCase, safeObjectProperty } from "@bufbuild/protobuf/reflect";

/**
 * A file: its name, package, messages, enums and services. In this and the following types, parts at the end may be left out if they are
 * empty or 0.
 */
export type CompactFile = readonly [string, string, readonly CompactMessage[], readonly CompactEnum[], readonly CompactService[]];
/** A message: its name, fields, nested messages and enums, the names of its oneofs, and 1 if it is the entry of a map. */
export type CompactMessage = readonly [
  string,
  (readonly CompactField[])?,
  (readonly CompactMessage[])?,
  (readonly CompactEnum[])?,
  (readonly string[])?,
  number?,
];
/**
 * A field: its name, number, type (as in descriptor.proto) and type's name; 1 if it is repeated; 1 if it is optional; the number of its
 * oneof, counted from 1; its name in JSON, if that is not its own name in camel case; and the option jstype.
 */
export type CompactField = readonly [string, number, number, string?, number?, number?, number?, string?, number?];
/** An enum: its name, and the names and numbers of its values. */
export type CompactEnum = readonly [string, readonly (readonly [string, number])[]];
/** A service: its name, and for each method the method's name, request, response, and 1 if the server streams. */
export type CompactService = readonly [string, readonly (readonly [string, string, string, number?])[]];

const TYPE = { string: 9, message: 11, bytes: 12, enum: 14 };
const PRESENCE = { explicit: 1, implicit: 2 };
const JSTYPE_STRING = 1;
const EDITION_PROTO3 = 999;

type Named = DescMessage | DescEnum;
type Building<Desc> = { -readonly [Name in keyof Desc]: Desc[Name] };

// The messages and enums of all files so far, by the name that fields have as their type: `.google.protobuf.Timestamp`.
const types = new Map<string, Named>();

/**
 * The descriptor of a file that imports `imports`: like that of generated code, but without options and `toString`, and with only a part of
 * `proto`.
 */
export function embeddedFile(
  [name, packageName, messages, enums, services]: CompactFile,
  imports: readonly GenFile[] = [],
): GenFile {
  const file = {
    kind: "file",
    // The only parts of the proto that other code reads.
    proto: { name, package: packageName },
    edition: EDITION_PROTO3,
    name: name.replace(/\.proto$/, ""),
    dependencies: imports,
    enums: [],
    messages: [],
    extensions: [],
    services: [],
    deprecated: false,
  } as unknown as DescFile;
  for (const one of enums) {
    addEnum(one, file, packageName, undefined, file.enums);
  }
  // A field may name any message of its file.
  const addAllFields = messages.map((one) => addMessage(one, file, packageName, undefined, file.messages));
  for (const addFields of addAllFields) {
    addFields();
  }
  for (const one of services) {
    addService(one, file, packageName);
  }
  return file as GenFile;
}

function addEnum(
  [name, values]: CompactEnum,
  file: DescFile,
  scope: string,
  parent: DescMessage | undefined,
  siblings: DescEnum[],
): void {
  const typeName = `${scope}.${name}`;
  const prefix = `${name.replace(/(?<!^)[A-Z]/g, "_$&").toLowerCase()}_`;
  const isShared = values.every(([value]) => value.toLowerCase().startsWith(prefix) && /^\D/.test(value.slice(prefix.length)));
  const desc = { kind: "enum", file, parent, open: true, name, typeName, value: {}, deprecated: false } as unknown as DescEnum;
  const descs = values.map(([value, number]) => ({
    ...{ kind: "enum_value", parent: desc, name: value, jsonName: value, number, deprecated: false },
    localName: safeObjectProperty(isShared ? value.slice(prefix.length) : value),
  }));
  Object.assign(desc, {
    values: descs,
    value: Object.fromEntries(descs.map((value) => [value.number, value])),
    sharedPrefix: isShared ? prefix : undefined,
  });
  types.set(`.${typeName}`, desc);
  siblings.push(desc);
}

// Adds the message, and returns a function that adds its fields and those of its nested messages.
function addMessage(
  [name, fields = [], nested = [], enums = [], oneofNames = [], isMapEntry = 0]: CompactMessage,
  file: DescFile,
  scope: string,
  parent: DescMessage | undefined,
  siblings: DescMessage[],
): () => void {
  const typeName = `${scope}.${name}`;
  const lists = { fields: [], field: {}, oneofs: [], members: [], nestedEnums: [], nestedMessages: [], nestedExtensions: [] };
  const desc = { kind: "message", file, parent, name, typeName, deprecated: false, ...lists } as unknown as DescMessage;
  types.set(`.${typeName}`, desc);
  if (isMapEntry === 1) {
    mapEntries.add(desc);
  } else {
    siblings.push(desc);
  }
  for (const one of enums) {
    addEnum(one, file, typeName, desc, desc.nestedEnums);
  }
  const addNested = nested.map((one) => addMessage(one, file, typeName, desc, desc.nestedMessages));
  return () => {
    // The fields of a map's entry come before the map.
    for (const addFields of addNested) {
      addFields();
    }
    for (const oneof of oneofNames) {
      const localName = safeObjectProperty(protoCamelCase(oneof));
      desc.oneofs.push({
        kind: "oneof",
        parent: desc,
        name: oneof,
        localName,
        fields: [],
        deprecated: false,
      } as unknown as DescOneof);
    }
    for (const one of fields) {
      addField(one, desc);
    }
  };
}

const mapEntries = new WeakSet<DescMessage>();

function addField(compact: CompactField, parent: DescMessage): void {
  const [name, number, type, typeName = "", isRepeated = 0, isOptional = 0, inOneof = 0, jsonName = "", jstype = 0] = compact;
  const oneof = parent.oneofs[inOneof - 1];
  const camelCase = protoCamelCase(name);
  const hasPresence = isRepeated === 0 && (isOptional === 1 || inOneof > 0 || type === TYPE.message);
  const field = {
    ...{ kind: "field", parent, oneof, name, number, utf8Validation: true, deprecated: false },
    localName: oneof === undefined ? safeObjectProperty(camelCase) : camelCase,
    jsonName: jsonName === "" ? camelCase : jsonName,
    presence: hasPresence ? PRESENCE.explicit : PRESENCE.implicit,
    ...kindOf(type, types.get(typeName), isRepeated === 1, jstype === JSTYPE_STRING),
  } as unknown as DescField;
  parent.fields.push(field);
  parent.field[field.localName] = field;
  const members: unknown[] = oneof?.fields ?? parent.members;
  members.push(field);
  if (oneof?.fields.length === 1) {
    parent.members.push(oneof);
  }
}

// The properties of a field that follow from its type. `named` is the message or enum that is its type; undefined for a scalar.
function kindOf(
  type: number,
  named: Named | undefined,
  isRepeated: boolean,
  isLongAsString: boolean,
): Partial<Building<DescField>> | object {
  if (isRepeated && named?.kind === "message" && mapEntries.has(named)) {
    const [key, value] = named.fields;
    const valueTypes = { scalar: value?.scalar, message: value?.message, enum: value?.enum };
    return {
      fieldKind: "map",
      mapKey: key?.scalar,
      mapKind: value?.fieldKind,
      delimitedEncoding: false,
      longAsString: false,
      ...valueTypes,
    };
  }
  const kind = named?.kind ?? "scalar";
  const valueTypes = {
    ...{ scalar: named === undefined ? type : undefined, message: undefined, enum: undefined, longAsString: isLongAsString },
    ...(named !== undefined && { [named.kind]: named }),
    ...(kind === "message" && { delimitedEncoding: false }),
  };
  const isPacked = type !== TYPE.string && type !== TYPE.bytes && type !== TYPE.message;
  return isRepeated
    ? { fieldKind: "list", listKind: kind, packed: isPacked, ...valueTypes }
    : { fieldKind: kind, getDefaultValue: () => undefined, ...valueTypes };
}

function addService([name, methods]: CompactService, file: DescFile, scope: string): void {
  const service = { kind: "service", file, name, typeName: `${scope}.${name}`, deprecated: false } as unknown as DescService;
  const descs = methods.map(([method, input, output, isStreaming = 0]) => ({
    ...{ kind: "rpc", parent: service, name: method, idempotency: 0, deprecated: false },
    localName: safeObjectProperty(`${method.slice(0, 1).toLowerCase()}${method.slice(1)}`),
    methodKind: isStreaming === 1 ? "server_streaming" : "unary",
    input: types.get(input),
    output: types.get(output),
  }));
  Object.assign(service, { methods: descs, method: Object.fromEntries(descs.map((method) => [method.localName, method])) });
  file.services.push(service);
}
