// The description of a field that breaks a rule: that it is required, its bounds, and the given value.

import { create, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { createValidator } from "@bufbuild/protovalidate";
import { valueRules } from "@quintet/transcoding";
import { describe, expect, test } from "vitest";
import { CancelSubscriptionRequestSchema } from "../../../gen/quintet/account/v1/account_pb.js";
import { CreateKeyRequestSchema, UpdateKeyRequestSchema } from "../../../gen/quintet/account/v1/key_pb.js";
import { SignInRequestSchema, SignUpRequestSchema } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import { GetUsageRequestSchema } from "../../../gen/quintet/account/v1/usage_pb.js";
import { ScoreRequestSchema } from "../../../gen/quintet/farkle/v1/farkle_pb.js";
import { GetStationRequestSchema, SearchStationsRequestSchema } from "../../../gen/quintet/radio/v1/radio_pb.js";
import { SearchTokensRequestSchema } from "../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { GetHistoricalPricesRequestSchema, GetPricesRequestSchema } from "../../../gen/quintet/tokenprice/v1/token_price_pb.js";
import { SERVICE_NAMES } from "../../../src/catalogue/service-names.ts";
import { describeViolation } from "../../../src/gateway/rpc/validation.ts";
import { ACCOUNT_SERVICES, DATA_SERVICES, OPERATOR_SERVICES } from "../../fixtures/data-services.ts";

const validator = createValidator();

function violationsOf<Desc extends DescMessage>(desc: Desc, init: MessageInitShape<Desc>, enums: "short" | "full"): string[] {
  const message = create(desc, init);
  const result = validator.validate(desc, message);
  return (result.kind === "invalid" ? result.violations : []).map((violation) => {
    const { field, description } = describeViolation(violation, message, enums);
    return `${field} ${description}`;
  });
}

const said = <Desc extends DescMessage>(desc: Desc, init: MessageInitShape<Desc>, ...expected: string[]) => ({
  name: expected.join("; "),
  actual: () => violationsOf(desc, init, "full"),
  expected,
});

const saidOverRest = <Desc extends DescMessage>(desc: Desc, init: MessageInitShape<Desc>, ...expected: string[]) => ({
  ...said(desc, init, ...expected),
  actual: () => violationsOf(desc, init, "short"),
});

const SERVICES = SERVICE_NAMES.join(", ");
const UUID = "a UUID such as 5b0c3a2e-7f0e-4a51-9b7c-0d6f5a3e9c11";

describe("a broken rule is described:", () => {
  test.each([
    said(SearchStationsRequestSchema, { limit: 0 }, "limit must be a whole number from 1 to 100, not 0"),
    said(SearchStationsRequestSchema, { limit: 1000 }, "limit must be a whole number from 1 to 100, not 1000"),
    said(SearchStationsRequestSchema, { name: "x".repeat(201) }, "name must be at most 200 characters long, not 201"),
    said(
      SearchStationsRequestSchema,
      { countrycode: "deu" },
      'countrycode must be a two-letter ISO 3166-1 alpha-2 code, not "deu"',
    ),
    said(GetStationRequestSchema, {}, "uuid is required"),
    said(GetStationRequestSchema, { uuid: "x".repeat(50) }, `uuid must be ${UUID}, not "${"x".repeat(40)}…"`),
    said(ScoreRequestSchema, {}, "dice is required"),
    said(ScoreRequestSchema, { dice: [1, 7] }, "dice[1] must be a whole number from 1 to 6, not 7"),
    said(ScoreRequestSchema, { dice: [1, 1, 1, 1, 1, 1, 1] }, "dice must have 1 to 6 values, not 7"),
    said(SearchTokensRequestSchema, { limit: 1 }, "query is required"),
    said(SearchTokensRequestSchema, { query: "🙂".repeat(257) }, "query must be 1 to 256 characters long, not 257"),
    said(GetPricesRequestSchema, { tokens: ["a:b"], minConfidence: 2 }, "min_confidence must be a number from 0 to 1, not 2"),
    said(GetHistoricalPricesRequestSchema, { tokens: ["a:b"] }, "timestamp is required"),
    said(
      GetHistoricalPricesRequestSchema,
      { tokens: ["a:b"], timestamp: 5 },
      "timestamp must be a time in RFC 3339 format from 2009-01-01T00:00:00Z to 2106-02-07T06:28:15Z, or in Unix seconds from 1230768000 to 4294967295, not 1970-01-01T00:00:05Z (5)",
    ),
    said(CreateKeyRequestSchema, { services: ["weather"] }, `services[0] must be one of ${SERVICES}, not "weather"`),
    said(CreateKeyRequestSchema, { services: ["radio", "radio"] }, "services must not contain a value twice"),
    said(CreateKeyRequestSchema, { name: "" }, "name must be 1 to 64 characters long, not 0"),
    said(CreateKeyRequestSchema, { expiresAt: { seconds: 1n } }, "expires_at must be in the future"),
    said(
      UpdateKeyRequestSchema,
      { services: { names: ["x"] } },
      "key_id is required",
      `services.names[0] must be one of ${SERVICES}, not "x"`,
    ),
    said(CancelSubscriptionRequestSchema, {}, `service is required, one of ${SERVICES}`),
    said(SignInRequestSchema, { email: "ada" }, "password is required, unless code, credential_json or provider_response is given"),
    said(SignUpRequestSchema, { email: "ada@example.com", password: "short" }, "password must be 12 to 128 characters long"),
    said(
      SignUpRequestSchema,
      { email: "ada", password: "short" },
      "email must be an e-mail address like name@example.com",
      "password must be 12 to 128 characters long",
    ),
    said(GetUsageRequestSchema, { fromDay: "yesterday" }, 'from_day must be written like 2026-11-01, not "yesterday"'),
    said(GetUsageRequestSchema, { service: "x" }, `service must be one of ${SERVICES}, not "x"`),
    said(
      GetUsageRequestSchema,
      { groupBy: [0] },
      "group_by[0] must be one of USAGE_DIMENSION_DAY, USAGE_DIMENSION_SERVICE, USAGE_DIMENSION_METHOD, USAGE_DIMENSION_OUTCOME, USAGE_DIMENSION_KEY, USAGE_DIMENSION_HOUR, USAGE_DIMENSION_MONTH, not 0",
    ),
    saidOverRest(
      GetUsageRequestSchema,
      { groupBy: [0] },
      "group_by[0] must be one of day, service, method, outcome, key, hour, month, not 0",
    ),
  ])("$name", ({ actual, expected }) => {
    expect(actual()).toEqual(expected);
  });
});

// Field of a request → its pattern, for all services.
const PATTERNS = [...DATA_SERVICES, ...ACCOUNT_SERVICES, ...OPERATOR_SERVICES].flatMap(({ methods }) =>
  methods.flatMap(({ input }) =>
    input.fields.flatMap((field) => {
      const { type } = valueRules(field) ?? {};
      return type?.case === "string" && type.value.pattern !== ""
        ? [{ name: `${input.name}.${field.name}`, input, field, pattern: type.value.pattern }]
        : [];
    }),
  ),
);

test("there are patterns", () => expect(PATTERNS.length).toBeGreaterThan(5));

test.each(PATTERNS)("the pattern of $name is not what callers read", ({ input, field, pattern }) => {
  const wrong = ["\u0001", "?", "x?y", "????"].filter((text) => !new RegExp(pattern).test(text));
  const told = wrong.flatMap((text) => {
    const value = field.fieldKind === "list" ? [text] : text;
    const init =
      field.oneof === undefined ? { [field.localName]: value } : { [field.oneof.localName]: { case: field.localName, value } };
    return violationsOf(input, init as never, "full").filter((line) => line.startsWith(field.name));
  });
  expect(told).not.toEqual([]);
  expect(told.filter((line) => line.includes(pattern) || line.includes("regular expression") || line.includes("regex"))).toEqual(
    [],
  );
});
