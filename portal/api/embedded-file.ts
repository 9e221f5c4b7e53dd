// The descriptors of generated code, as browsers load them (build/compact-file.ts).
import { createFileRegistry } from "@bufbuild/protobuf";
import type { GenFile } from "@bufbuild/protobuf/codegenv2";
import { protoCamelCase } from "@bufbuild/protobuf/reflect";
import type { FileDescriptorProto } from "@bufbuild/protobuf/wkt";

/** Its name, package, messages, enums and services. In all of these, parts that are empty or 0 may be missing at the end. */
export type CompactFile = readonly [string, string, readonly CompactMessage[], readonly CompactEnum[], readonly CompactService[]];
/** Its name, fields, messages and enums within it, the names of its oneofs, and 1 for an entry of a map. */
export type CompactMessage = readonly [
  string,
  (readonly CompactField[])?,
  (readonly CompactMessage[])?,
  (readonly CompactEnum[])?,
  (readonly string[])?,
  number?,
];
/**
 * Its name, number, type (as in descriptor.proto) and type's name; 1 if it is repeated; 1 if it is optional; its oneof, counted from 1; its
 * name in JSON, if that is not its own in camel case; and the option jstype.
 */
export type CompactField = readonly [string, number, number, string?, number?, number?, number?, string?, number?];
/** Its name, and the names and numbers of its values. */
export type CompactEnum = readonly [string, readonly (readonly [string, number])[]];
/** Its name, and for each method: its name, request, response, and 1 if the server streams. */
export type CompactService = readonly [string, readonly (readonly [string, string, string, number?])[]];

const LABEL = { optional: 1, repeated: 3 };

/** The descriptor of a file that imports `imports`: the same as that of the generated code, without options. */
export function embeddedFile(
  [name, packageName, messages, enums, services]: CompactFile,
  imports: readonly GenFile[] = [],
): GenFile {
  const proto = {
    $typeName: "google.protobuf.FileDescriptorProto",
    name,
    package: packageName,
    syntax: "proto3",
    dependency: imports.map((file) => file.proto.name),
    messageType: messages.map(messageOf),
    enumType: enums.map(enumOf),
    service: services.map(serviceOf),
    extension: [],
  } as unknown as FileDescriptorProto;
  const registry = createFileRegistry(proto, (wanted) => imports.find((file) => file.proto.name === wanted));
  return registry.getFile(name) as GenFile;
}

const messageOf = ([name, fields = [], nested = [], enums = [], oneofs = [], isMapEntry = 0]: CompactMessage): object => ({
  $typeName: "google.protobuf.DescriptorProto",
  name,
  field: fields.map(fieldOf),
  nestedType: nested.map(messageOf),
  enumType: enums.map(enumOf),
  extension: [],
  oneofDecl: oneofs.map((oneof) => ({ $typeName: "google.protobuf.OneofDescriptorProto", name: oneof })),
  options: { mapEntry: isMapEntry === 1 },
});

const fieldOf = ([
  name,
  number,
  type,
  typeName = "",
  isRepeated = 0,
  isOptional = 0,
  oneof = 0,
  jsonName = "",
  jstype = 0,
]: CompactField): object => ({
  $typeName: "google.protobuf.FieldDescriptorProto",
  name,
  number,
  type,
  typeName,
  jsonName: jsonName === "" ? protoCamelCase(name) : jsonName,
  label: isRepeated === 1 ? LABEL.repeated : LABEL.optional,
  proto3Optional: isOptional === 1,
  options: { jstype },
  // A field without a oneof has no such property.
  ...(oneof > 0 && { oneofIndex: oneof - 1 }),
});

const enumOf = ([name, values]: CompactEnum): object => ({
  $typeName: "google.protobuf.EnumDescriptorProto",
  name,
  value: values.map(([value, number]) => ({ $typeName: "google.protobuf.EnumValueDescriptorProto", name: value, number })),
});

const serviceOf = ([name, methods]: CompactService): object => ({
  $typeName: "google.protobuf.ServiceDescriptorProto",
  name,
  method: methods.map(([method, inputType, outputType, isStreaming = 0]) => ({
    $typeName: "google.protobuf.MethodDescriptorProto",
    name: method,
    inputType,
    outputType,
    clientStreaming: false,
    serverStreaming: isStreaming === 1,
  })),
});
