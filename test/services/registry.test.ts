// Nothing forgets a service: lists of services that cannot be generated from the registry are compared with it here, and each failure names
// what is missing. What the compiler or a start of the program already checks is not repeated.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type DescField, type DescFile, type DescMessage, getOption, hasOption } from "@bufbuild/protobuf";
import { field as fieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { expect, onTestFinished, test } from "vitest";
import { file_quintet_account_v1_account } from "../../gen/quintet/account/v1/account_pb.js";
import { file_quintet_account_v1_billing } from "../../gen/quintet/account/v1/billing_pb.js";
import { file_quintet_account_v1_key } from "../../gen/quintet/account/v1/key_pb.js";
import { file_quintet_account_v1_status, PlanSchema } from "../../gen/quintet/account/v1/status_pb.js";
import { file_quintet_account_v1_usage } from "../../gen/quintet/account/v1/usage_pb.js";
import { file_quintet_operator_v1_operator } from "../../gen/quintet/operator/v1/operator_pb.js";
import { entitlementsOf } from "../../src/catalogue/entitlements.ts";
import { folderNameOf, hasUpstreams, SERVICE_NAMES, type ServiceName } from "../../src/catalogue/service-names.ts";
import { Environment } from "../../src/config/environment.ts";
import { createLog } from "../../src/runtime/log.ts";
import { startAllStandIns } from "../../src/sandbox/stand-ins/all-stand-ins.ts";
import { createServices, loadContracts, readServiceConfigs, upstreamGroups } from "../../src/services/registry.ts";
import { createCountingRandomness } from "../fixtures/counting-randomness.ts";
import { DATA_SERVICES } from "../fixtures/data-services.ts";
import { DEAD_UPSTREAMS, UPSTREAM_VARIABLES } from "../fixtures/dead-upstreams.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";
import { DATA_OPERATIONS } from "../fixtures/openapi-document.ts";
import { ROOT } from "../fixtures/root.ts";
import { sampleInput } from "../fixtures/sample-calls.ts";

test("every service of the protos is in the registry, in the package of its name", async () => {
  const contracts = await loadContracts();
  expect(contracts.map(({ file }) => file.proto.package)).toEqual(SERVICE_NAMES.map((name) => `quintet.${folderNameOf(name)}.v1`));
  expect(contracts.map(String).toSorted()).toEqual(DATA_SERVICES.map(String).toSorted());
});

test("each entry of the registry creates the service of its name and contract", async () => {
  const services = await createServices(readServiceConfigs(new Environment(DEAD_UPSTREAMS)), {
    outbound: { userAgent: "Quintet/test", connectTimeoutMs: 2000 },
    clock: createManualClock({ nowMs: Date.UTC(2026, 10, 21, 12) }),
    randomness: createCountingRandomness(),
    log: createLog("silent"),
  });
  onTestFinished(async () => {
    await Promise.all(services.map((service) => service.close()));
  });
  const contracts = await loadContracts();
  expect(services.map(({ name, desc }) => [name, String(desc)])).toEqual(
    SERVICE_NAMES.map((name, index) => [name, String(contracts[index])]),
  );
});

test("the built-in plans sell every service", () => {
  const sold = Object.keys(JSON.parse(readFileSync(join(ROOT, "plans/default.json"), "utf8")));
  expect(SERVICE_NAMES.filter((name) => !sold.includes(name))).toEqual([]);
});

// The allowed values of each field of the account services that accepts a service's name, and how many of them a list may contain.
function serviceChoices(file: DescFile): readonly { field: string; choices: readonly string[]; itemsMax: number | undefined }[] {
  const messages = (all: readonly DescMessage[]): readonly DescMessage[] =>
    all.flatMap((message) => [message, ...messages(message.nestedMessages)]);
  return messages(file.messages)
    .flatMap(({ fields }) => fields)
    .filter((field: DescField) => hasOption(field, fieldRules))
    .flatMap((field) => {
      const { type } = getOption(field, fieldRules);
      const list = type.case === "repeated" ? type.value : undefined;
      const one = list?.items?.type ?? type;
      const choices = one.case === "string" ? one.value.in.filter((choice) => choice !== "") : [];
      const isService = SERVICE_NAMES.some((name) => choices.includes(name));
      return isService ? [{ field: String(field), choices, itemsMax: list && Number(list.maxItems) }] : [];
    });
}

test("the doctor queries the upstreams of every service that has a source, and no others", () => {
  const groups = upstreamGroups(readServiceConfigs(new Environment(DEAD_UPSTREAMS)));
  expect([...new Set(groups.map(({ service }) => service))]).toEqual(SERVICE_NAMES.filter(hasUpstreams));
  expect(groups.filter(({ urls }) => urls.length === 0)).toEqual([]);
});

test("the protos of accounts and operators accept the name of every service wherever they accept one", () => {
  const { length } = SERVICE_NAMES;
  expect(
    [
      file_quintet_account_v1_account,
      file_quintet_account_v1_billing,
      file_quintet_account_v1_key,
      file_quintet_account_v1_status,
      file_quintet_account_v1_usage,
      file_quintet_operator_v1_operator,
    ].flatMap(serviceChoices),
  ).toEqual([
    { field: "field quintet.account.v1.SetSubscriptionRequest.service", choices: SERVICE_NAMES, itemsMax: undefined },
    { field: "field quintet.account.v1.CancelSubscriptionRequest.service", choices: SERVICE_NAMES, itemsMax: undefined },
    { field: "field quintet.account.v1.CreateCheckoutRequest.service", choices: SERVICE_NAMES, itemsMax: undefined },
    { field: "field quintet.account.v1.PreviewChangeRequest.service", choices: SERVICE_NAMES, itemsMax: undefined },
    { field: "field quintet.account.v1.CreateKeyRequest.services", choices: SERVICE_NAMES, itemsMax: length },
    { field: "field quintet.account.v1.ServiceSelection.names", choices: SERVICE_NAMES, itemsMax: length },
    { field: "field quintet.account.v1.ListPlansRequest.service", choices: SERVICE_NAMES, itemsMax: undefined },
    { field: "field quintet.account.v1.GetUsageRequest.service", choices: SERVICE_NAMES, itemsMax: undefined },
    { field: "field quintet.account.v1.WatchCallsRequest.service", choices: SERVICE_NAMES, itemsMax: undefined },
    { field: "field quintet.account.v1.ListCallsRequest.service", choices: SERVICE_NAMES, itemsMax: undefined },
    { field: "field quintet.operator.v1.GetUsageRequest.service", choices: SERVICE_NAMES, itemsMax: undefined },
    { field: "field quintet.operator.v1.CreateIncidentRequest.services", choices: SERVICE_NAMES, itemsMax: length },
  ]);
});

test("the message Plan has a field for every entitlement", () => {
  const fields = PlanSchema.fields.map(({ localName }) => localName);
  const entitlements = SERVICE_NAMES.flatMap((name) => Object.keys(entitlementsOf(name)));
  expect(entitlements.filter((name) => !fields.includes(name))).toEqual([]);
  expect(entitlements).not.toEqual([]);
});

const VARIABLES = UPSTREAM_VARIABLES.map(({ name }) => name);

const leaveTheMachine = (variables: Readonly<Record<string, string>>): readonly string[] =>
  VARIABLES.filter((name) => {
    const value = variables[name] ?? "not set";
    return value !== "none" && !value.split(",").every((part) => /^([\w.-]+=)?http:\/\/127\.0\.0\.1:/.test(part));
  });

test("the sandbox points every upstream at a stand-in", async () => {
  const { standIns, variables } = await startAllStandIns({
    seed: 1,
    clock: createManualClock({ nowMs: Date.UTC(2026, 10, 21, 12) }),
  });
  onTestFinished(async () => {
    await Promise.all(standIns.map((standIn) => standIn.close()));
  });
  expect(leaveTheMachine({})).toEqual(VARIABLES);
  expect(leaveTheMachine(variables)).toEqual([]);
  expect(new Set(standIns.map(({ name }) => name)).size).toBe(standIns.length);
});

test("the tests' own servers have no upstream outside this machine", () => {
  expect(leaveTheMachine(DEAD_UPSTREAMS)).toEqual([]);
});

test("every method has a sample call", () => {
  expect(() => DATA_OPERATIONS.map(({ get }) => sampleInput(get.operationId, ""))).not.toThrow();
});

test("the README and docs/README.md link to a page about every service", () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const contents = readFileSync(join(ROOT, "docs/README.md"), "utf8");
  const pageOf = (name: ServiceName): string => `services/${folderNameOf(name)}.md`;
  expect(SERVICE_NAMES.filter((name) => !readme.includes(`| [${name}](docs/${pageOf(name)}) |`))).toEqual([]);
  expect(SERVICE_NAMES.filter((name) => !contents.includes(`(${pageOf(name)})`))).toEqual([]);
  expect(SERVICE_NAMES.filter((name) => !existsSync(join(ROOT, "docs", pageOf(name))))).toEqual([]);
});
