import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { type Call, CallProtocol, CallSchema } from "../../../gen/quintet/account/v1/usage_pb.js";
import { type CallFilter, changed, matchesFilter, NO_CALLS } from "../../../portal/app/live/call-list.ts";

const call = (id: number, changes: Partial<Omit<Call, "$typeName" | "$unknown" | "httpStatus">> = {}): Call =>
  Object.assign(create(CallSchema, { id: `call-${id}`, service: "farkle", protocol: CallProtocol.REST, outcome: "OK" }), changes);
const idsOf = (calls: readonly Call[] | undefined): readonly string[] | undefined => calls?.map(({ id }) => id.slice(5));
const came = (...calls: Call[]) => ({ kind: "arrived", calls, leftOut: 0 }) as const;

test("the newest calls come first, and an update of a call keeps its place", () => {
  const open = changed(NO_CALLS, came(call(1, { open: true, outcome: "" }), call(2)));
  const ended = changed(open, came(call(3), call(1, { outcome: "CANCELLED" })));
  expect(idsOf(ended.calls)).toEqual(["3", "2", "1"]);
  expect(ended.calls[2]?.outcome).toBe("CANCELLED");
});

test("the newest 500 calls are kept", () => {
  const all = Array.from({ length: 510 }, (_, id) => call(id));
  const { calls } = changed(NO_CALLS, came(...all));
  expect([calls.length, calls[0]?.id, calls.at(-1)?.id]).toEqual([500, "call-509", "call-10"]);
});

test("calls wait while the list is paused, and are in order when it continues", () => {
  const paused = changed(changed(NO_CALLS, came(call(1))), { kind: "pause" });
  const waiting = changed(changed(paused, came(call(2))), came(call(3)));
  expect([idsOf(waiting.calls), idsOf(waiting.waiting)]).toEqual([["1"], ["3", "2"]]);
  const resumed = changed(waiting, { kind: "resume" });
  expect([idsOf(resumed.calls), resumed.waiting]).toEqual([["3", "2", "1"], undefined]);
});

test("a list that is cleared stays paused, and counts left-out calls from zero", () => {
  const list = changed(changed(NO_CALLS, { kind: "arrived", calls: [call(1)], leftOut: 7 }), { kind: "pause" });
  expect(list.leftOut).toBe(7);
  expect(changed(list, { kind: "clear" })).toEqual({ calls: [], waiting: [], leftOut: 0, isCleared: true });
});

test("logged calls that the stream has missed are inserted by time, unless the list was cleared", () => {
  const at = (id: number, changes: Parameters<typeof call>[1] = {}): Call =>
    call(id, { startedAt: timestampFromMs(1000 * id), ...changes });
  const listed = changed(changed(NO_CALLS, { kind: "earlier", calls: [at(2), at(1)] }), came(at(5, { open: true })));
  const logged = { kind: "earlier", calls: [at(5), at(4), at(2)] } as const;
  const merged = changed(listed, logged);
  expect(idsOf(merged.calls)).toEqual(["5", "4", "2", "1"]);
  expect(merged.calls[0]?.open).toBe(true);
  expect(changed(changed(listed, { kind: "clear" }), logged).calls).toEqual([]);
});

test.each<[Partial<CallFilter>, readonly string[]]>([
  [{}, ["1", "2", "3"]],
  [{ service: "radio" }, ["2"]],
  [{ protocol: "grpc" }, ["2"]],
  [{ protocol: "nonsense" }, []],
  [{ onlyRefused: true }, ["3"]],
  [{ text: " quota_ " }, ["3"]],
  [{ text: "ABCD" }, ["1"]],
])("the filter %j lets calls through", (parts, expected) => {
  const calls = [
    call(1, { keyLastFour: "abcd" }),
    call(2, { service: "radio", protocol: CallProtocol.GRPC }),
    call(3, { refused: true, outcome: "QUOTA_EXCEEDED" }),
  ];
  const filter = { service: "", protocol: "", onlyRefused: false, text: "", ...parts };
  expect(idsOf(calls.filter((one) => matchesFilter(one, filter)))).toEqual(expected);
});
