import { expect, test } from "vitest";
import { hasMember, memberParameters } from "../src/headers.ts";

test.for<[list: string, parameters: string | undefined]>([
  ["", undefined],
  ["close", ""],
  ["Close", ""],
  [" \tclose\t ", ""],
  ["close,keep-alive", ""],
  ["keep-alive, close", ""],
  ["keep-alive,\tclose\t,x", ""],
  ["closed", undefined],
  ["unclose", undefined],
  ["xclose", undefined],
  ["un close", undefined],
  ["close x", undefined],
  ["closed, unclose, close", ""],
  ["closeclose", undefined],
  [",,,close,,", ""],
  ["close;q=0.5", ";q=0.5"],
  ["close ; Q=0.5 , x;q=1", "; q=0.5 "],
  ["x;close;q=1", undefined],
  ["x, close;a=1;q=1", ";a=1;q=1"],
  ["close;q=1, close;q=0", ";q=1"],
])("the parameters of close in %j are %j", ([list, parameters]) => {
  expect(memberParameters(list, "close")).toBe(parameters);
  expect(hasMember(list, "close")).toBe(parameters !== undefined);
});
