// The form in which browsers load descriptors: arrays, which compress to half the size of the generated code's Base64, and which need
// neither the descriptor of descriptors nor a decoder (api/embedded-file.ts).

import { protoCamelCase } from "@bufbuild/protobuf/reflect";
import type {
  DescriptorProto,
  EnumDescriptorProto,
  FieldDescriptorProto,
  FileDescriptorProto,
  ServiceDescriptorProto,
} from "@bufbuild/protobuf/wkt";
import { FieldDescriptorProto_Label } from "@bufbuild/protobuf/wkt";
import type { CompactEnum, CompactField, CompactFile, CompactMessage, CompactService } from "../api/embedded-file.ts";

/** `file` without comments, options and synthetic oneofs. Throws for what the form cannot express. */
export const compactFile = (file: FileDescriptorProto): CompactFile => {
  if (file.syntax !== "proto3" || file.extension.length > 0) {
    throw new Error(`${file.name}: only proto3 files without extensions can be embedded`);
  }
  return [
    file.name,
    file.package,
    file.messageType.map(compactMessage),
    file.enumType.map(compactEnum),
    file.service.map(compactService),
  ];
};

function compactMessage(message: DescriptorProto): CompactMessage {
  const { name, field, nestedType, enumType, oneofDecl, options } = message;
  // A field with presence has a oneof of its own, which comes after the others.
  const real = oneofDecl.filter((_, index) => field.some((one) => one.oneofIndex === index && isInOneof(one)));
  return trimmed([
    name,
    field.map((one) => compactField(message, one)),
    nestedType.map(compactMessage),
    enumType.map(compactEnum),
    real.map((oneof) => oneof.name),
    options?.mapEntry === true ? 1 : 0,
  ]);
}

// A field without a oneof has no index, which reads as 0.
const isInOneof = (field: FieldDescriptorProto): boolean => Object.hasOwn(field, "oneofIndex") && !field.proto3Optional;

function compactField(message: DescriptorProto, field: FieldDescriptorProto): CompactField {
  const { name, number, type, typeName, label, proto3Optional, oneofIndex, jsonName, options } = field;
  if (options !== undefined && Object.hasOwn(options, "packed")) {
    throw new Error(`${message.name}.${name}: the option packed cannot be embedded`);
  }
  return trimmed([
    name,
    number,
    type,
    typeName,
    label === FieldDescriptorProto_Label.REPEATED ? 1 : 0,
    proto3Optional ? 1 : 0,
    isInOneof(field) ? oneofIndex + 1 : 0,
    // Generated code leaves the usual name out, files do not.
    jsonName === protoCamelCase(name) ? "" : jsonName,
    options?.jstype ?? 0,
  ]);
}

const compactEnum = ({ name, value }: EnumDescriptorProto): CompactEnum => [
  name,
  value.map((one) => [one.name, one.number] as const),
];

const compactService = ({ name, method }: ServiceDescriptorProto): CompactService => [
  name,
  method.map(({ name, inputType, outputType, serverStreaming, clientStreaming }) => {
    if (clientStreaming) {
      throw new Error(`${name}: browsers cannot stream requests`);
    }
    return trimmed([name, inputType, outputType, serverStreaming ? 1 : 0]);
  }),
];

// Drops empty parts at the end.
function trimmed<Parts extends readonly unknown[]>(parts: readonly unknown[]): Parts {
  const last = parts.findLastIndex((part) => part !== 0 && part !== "" && !(Array.isArray(part) && part.length === 0));
  return parts.slice(0, last + 1) as unknown as Parts;
}
