// Alerts in words: each type has a text, in the list of alerts and among the choices of which alerts are sent.
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { type Alert, AlertSchema, AlertType, AlertTypeSchema } from "../../../gen/quintet/account/v1/alert_pb.js";
import { MAILED_CHOICES, WEBHOOK_CHOICES } from "../../../portal/app/pages/alerts/alert-choices.ts";
import { alertText } from "../../../portal/app/pages/alerts/alert-text.ts";

const TYPES = AlertTypeSchema.values.filter(({ number }) => number !== AlertType.UNSPECIFIED);

// An alert with the details for its type, which have the type's name.
function alertOf({ name, number }: { readonly name: string; readonly number: number }): Alert {
  const details = AlertSchema.fields.find((field) => `ALERT_TYPE_${field.name.toUpperCase()}` === name);
  const hasMonth = details?.message?.fields.some((field) => field.name === "month") === true;
  return create(AlertSchema, { type: number, [details?.localName ?? "id"]: hasMonth ? { month: "2026-11" } : {} });
}

const words = ({ what, todo }: ReturnType<typeof alertText>): readonly string[] => [what, todo];

test.each(TYPES)("$name has a text of its own, and a page where the user can act", (type) => {
  const shown = alertText(alertOf(type));
  expect(words(shown)).not.toEqual(words(alertText(create(AlertSchema))));
  expect(shown.path).toMatch(/^\/app\/\w/);
});

test("e-mails can be switched off for each type, and webhooks can be sent each type except failing webhooks", () => {
  const numbers = TYPES.map(({ number }) => String(number));
  expect(MAILED_CHOICES.map(([type]) => type)).toEqual(numbers);
  expect(WEBHOOK_CHOICES.map(([type]) => type)).toEqual(numbers.filter((type) => type !== String(AlertType.WEBHOOK_FAILING)));
});
