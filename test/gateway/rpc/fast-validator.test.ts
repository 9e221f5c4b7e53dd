// The fast validator compared with protovalidate: it must never accept a message that protovalidate refuses.
import { create, type DescField, type DescMessage, type MessageInitShape, ScalarType } from "@bufbuild/protobuf";
import { createValidator } from "@bufbuild/protovalidate";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BitcoinService, GetHistoryRequestSchema } from "../../../gen/quintet/bitcoin/v1/bitcoin_pb.js";
import { FarkleService, ScoreRequestSchema } from "../../../gen/quintet/farkle/v1/farkle_pb.js";
import { GetStationRequestSchema, RadioService, SearchStationsRequestSchema } from "../../../gen/quintet/radio/v1/radio_pb.js";
import { TokenListService } from "../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import {
  GetPriceChartsRequestSchema,
  type PriceMatch,
  TokenPriceService,
} from "../../../gen/quintet/tokenprice/v1/token_price_pb.js";
import { compileFastValidator } from "../../../src/gateway/rpc/validation.ts";
import { EverythingSchema } from "../../gen/quintet/testing/v1/everything_pb.js";

const validator = createValidator();
const SEED = 1;

describe("certainly valid, and the result of protovalidate", () => {
  const judged = <Desc extends DescMessage>(desc: Desc, init: MessageInitShape<Desc>): readonly [boolean, string] => {
    const message = create(desc, init);
    return [compileFastValidator(desc)(message), validator.validate(desc, message).kind];
  };

  test.each<[string, readonly [boolean, string], readonly [boolean, string]]>([
    ["a list within its bounds", judged(ScoreRequestSchema, { dice: [1, 6, 3] }), [true, "valid"]],
    ["a list without elements", judged(ScoreRequestSchema, {}), [false, "invalid"]],
    ["a list with too many", judged(ScoreRequestSchema, { dice: [1, 1, 1, 1, 1, 1, 1] }), [false, "invalid"]],
    ["an element below", judged(ScoreRequestSchema, { dice: [1, 0] }), [false, "invalid"]],
    ["an element above", judged(ScoreRequestSchema, { dice: [7] }), [false, "invalid"]],
    ["strings and numbers that are not given", judged(SearchStationsRequestSchema, {}), [true, "valid"]],
    ["a number at its bound", judged(SearchStationsRequestSchema, { limit: 100 }), [true, "valid"]],
    ["a number beyond it", judged(SearchStationsRequestSchema, { limit: 101 }), [false, "invalid"]],
    ["a number that is given as 0", judged(SearchStationsRequestSchema, { limit: 0 }), [false, "invalid"]],
    ["a string at its bound", judged(SearchStationsRequestSchema, { name: "x".repeat(200) }), [true, "valid"]],
    ["a string beyond it", judged(SearchStationsRequestSchema, { name: "x".repeat(201) }), [false, "invalid"]],
    ["one of a string's choices", judged(SearchStationsRequestSchema, { order: "votes" }), [true, "valid"]],
    ["none of them", judged(SearchStationsRequestSchema, { order: "height" }), [false, "invalid"]],
    ["a value of an enum", judged(GetPriceChartsRequestSchema, { tokens: ["ethereum:0x1"], match: 2 }), [true, "valid"]],
    [
      "a number that its enum does not have",
      judged(GetPriceChartsRequestSchema, { tokens: ["ethereum:0x1"], match: 3 as PriceMatch }),
      [false, "invalid"],
    ],
  ])("%s", (_, found, expected) => {
    expect(found).toEqual(expected);
  });

  test.each<[string, readonly [boolean, string]]>([
    [
      "a string of surrogate pairs, which has more UTF-16 units than characters",
      judged(SearchStationsRequestSchema, { name: "🎲".repeat(200) }),
    ],
    ["a string with a pattern", judged(GetStationRequestSchema, { uuid: "960e57c5-0601-11e8-ae97-52543be04c81" })],
  ])("is not %s: protovalidate decides", (_, found) => {
    expect(found).toEqual([false, "valid"]);
  });

  test("does not include a message that contains messages with their own rules", () => {
    expect(compileFastValidator(EverythingSchema)(create(EverythingSchema))).toBe(false);
  });
});

const numbers = fc.oneof(
  fc.integer({ min: -2, max: 11 }),
  fc.constantFrom(99, 100, 101, 499, 500, 501, 9999, 10_000, 10_001, 100_000, 100_001, 1_230_767_999, 1_230_768_000),
);
const texts = fc.oneof(
  fc.constantFrom("", "a", "de", "votes", "mayer", "1d", "5", "ethereum", "0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984"),
  fc.integer({ min: 1, max: 205 }).map((length) => "x".repeat(length)),
  fc.string({ unit: "grapheme", maxLength: 70 }),
);

const valuesOf = (field: DescField): fc.Arbitrary<unknown> | undefined => {
  const one = (scalar: ScalarType): fc.Arbitrary<unknown> | undefined => {
    switch (scalar) {
      case ScalarType.STRING:
        return texts;
      case ScalarType.BOOL:
        return fc.boolean();
      case ScalarType.DOUBLE:
        return fc.oneof(fc.double({ min: -1, max: 2 }), fc.constantFrom(Number.NaN, 0, 1, -0));
      case ScalarType.UINT32:
        return numbers.map(Math.abs);
      case ScalarType.INT32:
        return numbers;
      default:
        return undefined;
    }
  };
  if (field.fieldKind === "scalar") {
    return one(field.scalar);
  }
  if (field.fieldKind === "enum") {
    return fc.integer({ min: -1, max: field.enum.values.length });
  }
  return field.fieldKind === "list" && field.listKind === "scalar" && one(field.scalar) !== undefined
    ? fc.oneof(fc.array(one(field.scalar) as never, { maxLength: 8 }), fc.constant(Array.from({ length: 101 }, () => "x")))
    : undefined;
};

const inputs = [RadioService, TokenPriceService, TokenListService, BitcoinService, FarkleService].flatMap(({ methods }) =>
  methods.map(({ input }) => input),
);

test.each(inputs.map((desc) => [desc.name, desc] as const))("no %s that protovalidate refuses is accepted", (_, desc) => {
  const isSurelyValid = compileFastValidator(desc);
  const fields = desc.fields.flatMap((field) => {
    const arbitrary = valuesOf(field);
    return arbitrary === undefined ? [] : [[field.localName, fc.option(arbitrary, { nil: undefined })] as const];
  });
  const init = fc.record(Object.fromEntries(fields), { requiredKeys: [] });
  fc.assert(
    fc.property(init, (values) => {
      const message = create(desc, values as never);
      return !isSurelyValid(message) || validator.validate(desc, message).kind === "valid";
    }),
    { numRuns: 500, seed: SEED },
  );
});

test("customers' typical requests are recognised as valid", () => {
  const requested = [
    [GetHistoryRequestSchema, { indicator: "mayer" }],
    [GetPriceChartsRequestSchema, { tokens: ["ethereum:0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984"], span: 10 }],
    [SearchStationsRequestSchema, { tag: "jazz", order: "votes", reverse: true, limit: 20 }],
  ] as const;
  expect(requested.map(([desc, init]) => compileFastValidator(desc)(create(desc as DescMessage, init as never)))).toEqual([
    true,
    true,
    true,
  ]);
});
