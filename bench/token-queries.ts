// Token queries as people type them, rarely repeated: names and symbols, their beginnings and parts, typing mistakes, several words, chains
// and addresses. Every run has the same ones.
import type { Token } from "../gen/quintet/tokenlist/v1/token_list_pb.js";
import { seeded } from "../src/sandbox/stand-ins/seeded.ts";

/** Kinds of queries for some tokens, by name. Each call returns another query. */
export function tokenQueries(tokens: readonly Token[]): ReadonlyMap<string, () => string> {
  const draw = seeded(1);
  const below = (count: number): number => Math.floor(draw() * count);
  const token = (): Token => tokens[below(tokens.length)] as Token;
  const letter = (): string => String.fromCharCode(0x61 + below(26));
  const mistyped = (text: string): string => {
    const at = 1 + below(Math.max(1, text.length - 1));
    return text.slice(0, at) + letter() + text.slice(at + below(2));
  };
  const half = (text: string): string => text.slice(text.length >> 1);
  return new Map<string, () => string>([
    ["a symbol", () => token().symbol],
    ["the beginning of a symbol", () => token().symbol.slice(0, 2 + below(3))],
    ["a name", () => token().name],
    ["the beginning of a name", () => token().name.slice(0, 3 + below(6))],
    ["a letter", letter],
    ["a symbol and a chain", () => [token()].map(({ symbol, chain }) => `${symbol} on ${chain}`).join()],
    ["a symbol and a word of another name", () => `${token().symbol} ${token().name.split(" ")[0]}`],
    ["a name with a typing mistake", () => mistyped(token().name)],
    ["a symbol with a typing mistake", () => mistyped(token().symbol)],
    ["the second half of a name", () => half(token().name)],
    ["nothing that any token has", () => Array.from({ length: 6 }, () => "qxzjvkw".charAt(below(7))).join("")],
    ["an address", () => token().address],
    ["the beginning of an address", () => token().address.slice(0, 10)],
  ]);
}
