// The comments of the protos, found by descriptor. They are the text of the published reference.
import type { DescEnum, DescEnumValue, DescField, DescFile, DescMessage, DescMethod, DescService } from "@bufbuild/protobuf";

type Commented = DescService | DescMethod | DescMessage | DescField | DescEnum | DescEnumValue;

// Field numbers in descriptor.proto: the paths of source locations consist of them.
const MESSAGES_OF_FILE = 4;
const ENUMS_OF_FILE = 5;
const SERVICES_OF_FILE = 6;
const FIELDS_OF_MESSAGE = 2;
const MESSAGES_OF_MESSAGE = 3;
const ENUMS_OF_MESSAGE = 4;
const VALUES_OF_ENUM = 2;
const METHODS_OF_SERVICE = 2;

function locate(desc: Commented): readonly number[] {
  switch (desc.kind) {
    case "service":
      return [SERVICES_OF_FILE, desc.file.services.indexOf(desc)];
    case "rpc":
      return [...locate(desc.parent), METHODS_OF_SERVICE, desc.parent.methods.indexOf(desc)];
    case "message":
      return desc.parent === undefined
        ? [MESSAGES_OF_FILE, desc.file.messages.indexOf(desc)]
        : [...locate(desc.parent), MESSAGES_OF_MESSAGE, desc.parent.nestedMessages.indexOf(desc)];
    case "enum":
      return desc.parent === undefined
        ? [ENUMS_OF_FILE, desc.file.enums.indexOf(desc)]
        : [...locate(desc.parent), ENUMS_OF_MESSAGE, desc.parent.nestedEnums.indexOf(desc)];
    case "field":
      return [...locate(desc.parent), FIELDS_OF_MESSAGE, desc.parent.fields.indexOf(desc)];
    case "enum_value":
      return [...locate(desc.parent), VALUES_OF_ENUM, desc.parent.values.indexOf(desc)];
  }
}

const fileOf = (desc: Commented): DescFile =>
  desc.kind === "service" || desc.kind === "message" || desc.kind === "enum" ? desc.file : desc.parent.file;

/** The comment in front of a declaration: lines of prose are joined into paragraphs; tables and blank lines are kept. */
export function commentOf(desc: Commented): string {
  const path = locate(desc).join();
  const locations = fileOf(desc).proto.sourceCodeInfo?.location ?? [];
  const text = locations.find((location) => location.path.join() === path)?.leadingComments ?? "";
  if (text.trim() === "") {
    throw new Error(`${desc.toString()} has no comment; every declaration is published and must have one`);
  }
  return text
    .split("\n")
    .map((line) => line.trim())
    .join("\n")
    .trim()
    .replace(/(?<![\n|])\n(?![\n|\-*])/g, " ");
}
