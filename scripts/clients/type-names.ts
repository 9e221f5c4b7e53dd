// The types of the data services in a client that has all of them in one namespace.
import type { DescEnum, DescFile, DescMessage } from "@bufbuild/protobuf";
import type { PresentedService } from "../data-services/data-services.ts";

/** The files with the services' messages and enums: their own, and what they have in common. */
export function filesOf(services: readonly PresentedService[]): readonly DescFile[] {
  const isCommon = ({ name }: DescFile): boolean => name.startsWith("quintet/common/");
  return [...new Set(services.flatMap(({ desc }) => [...desc.file.dependencies.filter(isCommon), desc.file]))];
}

/** The name of each type in these files: its own, or if another service has one of that name, with the service's before it. */
export function typeNamesOf(files: readonly DescFile[]): (desc: DescMessage | DescEnum) => string {
  const types = files.flatMap(({ messages, enums }) => [...messages, ...enums]);
  return (desc) => {
    const isShared = types.some((other) => other.name === desc.name && other.typeName !== desc.typeName);
    return `${isShared ? desc.file.services[0]?.name.replace(/Service$/, "") : ""}${desc.name}`;
  };
}
