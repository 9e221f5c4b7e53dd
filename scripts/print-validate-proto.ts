// Writes build/protovalidate/buf/validate/validate.proto, which our protos import and no npm package ships, from the descriptor
// inside @bufbuild/protovalidate. It prints messages, fields, oneofs, enums and extensions, and no options: enough for buf to
// compile an import, offline and always at the version that validates at run time.
import { mkdirSync, writeFileSync } from "node:fs";
import { type DescEnum, type DescExtension, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { Edition, FieldDescriptorProto_Label } from "@bufbuild/protobuf/wkt";
import { file_buf_validate_validate as file } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";

const folder = "build/protovalidate/buf/validate";

function typeOf(field: DescField | DescExtension): string {
  switch (field.fieldKind) {
    case "scalar":
      return ScalarType[field.scalar].toLowerCase();
    case "enum":
      return `.${field.enum.typeName}`;
    case "message":
      return `.${field.message.typeName}`;
    case "list":
      return field.listKind === "scalar"
        ? ScalarType[field.scalar].toLowerCase()
        : `.${(field.listKind === "enum" ? field.enum : field.message).typeName}`;
    case "map":
      throw new Error(`${field.toString()}: validate.proto had no maps when this was written`);
  }
}

function printField(field: DescField | DescExtension): string {
  const label =
    field.proto.label === FieldDescriptorProto_Label.REPEATED
      ? "repeated "
      : field.kind === "field" && field.oneof
        ? ""
        : file.edition === Edition.EDITION_PROTO2 || field.proto.proto3Optional
          ? "optional "
          : "";
  return `${label}${typeOf(field)} ${field.name} = ${field.number};`;
}

function printEnum(desc: DescEnum): string {
  const values = desc.values.map((value) => `${value.name} = ${value.number};`);
  return `enum ${desc.name} {\n${values.join("\n")}\n}`;
}

function printMessage(desc: DescMessage): string {
  const ranges = desc.proto.extensionRange.map(({ start, end }) =>
    end > 500_000_000 ? `extensions ${start} to max;` : `extensions ${start} to ${end - 1};`,
  );
  const members = desc.members.map((member) =>
    member.kind === "field" ? printField(member) : `oneof ${member.name} {\n${member.fields.map(printField).join("\n")}\n}`,
  );
  const nested = [...desc.nestedMessages.map(printMessage), ...desc.nestedEnums.map(printEnum)];
  return `message ${desc.name} {\n${[...members, ...ranges, ...nested].join("\n")}\n}`;
}

const text = [
  file.edition === Edition.EDITION_PROTO2 ? 'syntax = "proto2";' : 'syntax = "proto3";',
  `package ${file.proto.package};`,
  ...file.dependencies.map((dependency) => `import "${dependency.proto.name}";`),
  ...file.messages.map(printMessage),
  ...file.enums.map(printEnum),
  ...file.extensions.map((extension) => `extend .${extension.extendee.typeName} {\n${printField(extension)}\n}`),
].join("\n\n");

mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}/validate.proto`, `${text}\n`);
