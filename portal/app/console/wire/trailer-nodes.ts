// gRPC-Web's trailers as a tree. They are written in the body like HTTP/1.1 headers, `grpc-status: 0\r\n`. Those of gRPC itself are decoded
// further. https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md
import type { Registry } from "@bufbuild/protobuf";
import { textOf } from "./bytes.ts";
import { codeName, percentDecoded, statusDetails } from "./failure.ts";
import { type NodeBudget, quoted, takeNode, type WireNode } from "./node.ts";

const NEWLINE = 0x0a;

/** The trailers in `bytes` from `start` to `end`. */
export function trailerNodes(
  bytes: Uint8Array,
  start: number,
  end: number,
  registry: Registry,
  budget: NodeBudget,
): readonly WireNode[] {
  const nodes: WireNode[] = [];
  for (let at = start; at < end && takeNode(budget); ) {
    const newline = bytes.indexOf(NEWLINE, at);
    const lineEnd = newline === -1 || newline >= end ? end : newline + 1;
    const [name = "", value = ""] = textOf(bytes.subarray(at, lineEnd)).split(/:(.*)/s);
    const valueStart = Math.min(at + name.length + 1, lineEnd);
    nodes.push({
      label: name.trim(),
      start: at,
      end: lineEnd,
      parts: [
        { kind: "tag", start: at, end: valueStart },
        { kind: "value", start: valueStart, end: lineEnd },
      ],
      ...contentOf(name.trim(), value.trim(), valueStart, lineEnd, registry, budget),
    });
    at = lineEnd;
  }
  return nodes;
}

function contentOf(
  name: string,
  value: string,
  start: number,
  end: number,
  registry: Registry,
  budget: NodeBudget,
): Pick<WireNode, "note" | "value" | "children"> {
  switch (name) {
    case "grpc-status":
      return { note: codeName(Number(value)), value: quoted(value), children: [] };
    case "grpc-message":
      return { note: "", value: quoted(percentDecoded(value)), children: [] };
    case "grpc-status-details-bin":
      return { note: "google.rpc.Status in base64", value: "", children: detailNodes(value, start, end, registry, budget) };
    default:
      return { note: "", value: quoted(value), children: [] };
  }
}

// A base64 character is not a whole number of bytes, so each detail gets the range of the whole header.
function detailNodes(base64: string, start: number, end: number, registry: Registry, budget: NodeBudget): readonly WireNode[] {
  try {
    return statusDetails(base64, registry)
      .filter(() => takeNode(budget))
      .map(({ type, json }) => ({
        label: type,
        note: "",
        value: JSON.stringify(json),
        start,
        end,
        parts: [],
        children: [],
      }));
  } catch {
    return [{ label: "?", note: "is not a google.rpc.Status", value: quoted(base64), start, end, parts: [], children: [] }];
  }
}
