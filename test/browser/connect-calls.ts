// The messages of the calls that a page makes: it sends them in Protobuf's binary format, and tests look at them as JSON.
import { type DescMethod, fromBinary, fromJson, type JsonObject, toBinary, toJson } from "@bufbuild/protobuf";
import type { Request, Route } from "playwright-core";
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { BillingService } from "../../gen/quintet/account/v1/billing_pb.js";
import { KeyService } from "../../gen/quintet/account/v1/key_pb.js";
import { MemberService } from "../../gen/quintet/account/v1/member_pb.js";
import { ProfileService } from "../../gen/quintet/account/v1/profile_pb.js";
import { StatusService } from "../../gen/quintet/account/v1/status_pb.js";
import { UsageService } from "../../gen/quintet/account/v1/usage_pb.js";
import { WebhookService } from "../../gen/quintet/account/v1/webhook_pb.js";
import { OperatorService } from "../../gen/quintet/operator/v1/operator_pb.js";
import { RadioService } from "../../gen/quintet/radio/v1/radio_pb.js";
import { TokenListService } from "../../gen/quintet/tokenlist/v1/token_list_pb.js";

const SERVICES = [
  AccountService,
  BillingService,
  KeyService,
  MemberService,
  ProfileService,
  StatusService,
  UsageService,
  WebhookService,
  OperatorService,
  RadioService,
  TokenListService,
];

function methodOf(url: string): DescMethod {
  const [service, name] = new URL(url).pathname.slice(1).split("/");
  const method = SERVICES.find(({ typeName }) => typeName === service)?.methods.find((one) => one.name === name);
  if (method === undefined) {
    throw new Error(`${url} is not a method of ${SERVICES.map(({ typeName }) => typeName).join(", ")}`);
  }
  return method;
}

/** What a page has sent to a unary method. */
export function inputOf(request: Request): JsonObject {
  const { input } = methodOf(request.url());
  return toJson(input, fromBinary(input, request.postDataBuffer() ?? new Uint8Array())) as JsonObject;
}

/** Sends the response of a unary method on to the page after `change`. */
export async function changeOutput(route: Route, change: (output: JsonObject) => JsonObject): Promise<void> {
  const { output } = methodOf(route.request().url());
  const response = await route.fetch();
  const changed = change(toJson(output, fromBinary(output, await response.body())) as JsonObject);
  await route.fulfill({ response, body: Buffer.from(toBinary(output, fromJson(output, changed))) });
}
