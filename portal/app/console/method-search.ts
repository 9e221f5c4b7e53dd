// Finds methods by what people type: any words of the method's name, its service, its path or what it does.
import type { ConsoleMethod } from "./contract/contract.ts";

type Found = Pick<ConsoleMethod, "slug" | "service" | "summary" | "restPath" | "rpc">;

const partsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

const nameOf = ({ rpc }: Found): string => rpc.slice(rpc.indexOf("/") + 1);

/** The methods in which every word of `query` occurs, in the order of `methods`. All methods for an empty query. */
export function findMethods<Method extends Found>(methods: readonly Method[], query: string): readonly Method[] {
  const words = partsOf(query);
  return methods.filter((method) => {
    const text =
      `${nameOf(method)} ${method.slug} ${method.service} ${method.restPath} ${method.rpc} ${method.summary}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/**
 * The index of the method to select at first: the first whose name begins with the query, or else contains it, or else the first of all.
 */
export function bestMethod(found: readonly Found[], query: string): number {
  const joined = partsOf(query).join("");
  const begins = found.findIndex((method) => nameOf(method).toLowerCase().startsWith(joined));
  const contains = found.findIndex((method) => nameOf(method).toLowerCase().includes(joined));
  return Math.max(0, begins === -1 ? contains : begins);
}
