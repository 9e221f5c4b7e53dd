// Nothing forgets a service. Whatever lists the services, but cannot be made from the registry, is compared with it here: each failure
// names what is missing. What the compiler or a start of the program already asks for is not repeated.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type DescField, type DescFile, type DescMessage, getOption, hasOption } from "@bufbuild/protobuf";
import { field as fieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { expect, onTestFinished, test } from "vitest";
import { file_quintet_account_v1_account, PlanSchema } from "../../gen/quintet/account/v1/account_pb.js";
import { entitlementsOf } from "../../src/catalogue/entitlements.ts";
import { folderNameOf, SERVICE_NAMES, type ServiceName } from "../../src/catalogue/service-names.ts";
import { Environment } from "../../src/config/environment.ts";
import { createLog } from "../../src/runtime/log.ts";
import { variableDocs } from "../../src/server-config.ts";
import { createServices, loadContracts, readServiceConfigs, startAllStandIns } from "../../src/services/registry.ts";
import { createCountingRandomness } from "../fixtures/counting-randomness.ts";
import { DATA_SERVICES } from "../fixtures/data-services.ts";
import { DEAD_UPSTREAMS } from "../fixtures/dead-upstreams.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";
import { ROOT } from "../fixtures/root.ts";

test("every service of the protos is in the registry, in the package that its name says", async () => {
  const contracts = await loadContracts();
  expect(contracts.map(({ file }) => file.proto.package)).toEqual(SERVICE_NAMES.map((name) => `quintet.${folderNameOf(name)}.v1`));
  expect(contracts.map(String).toSorted()).toEqual(DATA_SERVICES.map(String).toSorted());
});

test("what the registry makes is the service of that name and that contract", async () => {
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

// The choices of each text of the account services that may be a service's name, and how many of them a list may hold.
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

test("account.proto takes the name of every service wherever it takes one", () => {
  const { length } = SERVICE_NAMES;
  expect(serviceChoices(file_quintet_account_v1_account)).toEqual([
    { field: "field quintet.account.v1.CreateKeyRequest.services", choices: SERVICE_NAMES, itemsMax: length },
    { field: "field quintet.account.v1.ServiceSelection.names", choices: SERVICE_NAMES, itemsMax: length },
    { field: "field quintet.account.v1.ListPlansRequest.service", choices: SERVICE_NAMES, itemsMax: undefined },
    { field: "field quintet.account.v1.CreateSubscriptionRequest.service", choices: SERVICE_NAMES, itemsMax: undefined },
    { field: "field quintet.account.v1.GetUsageRequest.service", choices: SERVICE_NAMES, itemsMax: undefined },
    { field: "field quintet.account.v1.ListRefusalsRequest.service", choices: SERVICE_NAMES, itemsMax: undefined },
    { field: "field quintet.account.v1.WatchCallsRequest.service", choices: SERVICE_NAMES, itemsMax: undefined },
  ]);
});

test("the message Plan has a field for every entitlement", () => {
  const fields = PlanSchema.fields.map(({ localName }) => localName);
  const entitlements = SERVICE_NAMES.flatMap((name) => Object.keys(entitlementsOf(name)));
  expect(entitlements.filter((name) => !fields.includes(name))).toEqual([]);
  expect(entitlements).not.toEqual([]);
});

// The variables that say where an upstream is: by default they hold a URL, or a DNS name under which upstreams are looked for.
const UPSTREAM_VARIABLES = variableDocs()
  .filter(({ fallback }) => /https?:|^_.*\._tcp\./.test(fallback))
  .map(({ name }) => name);

const leaveTheMachine = (variables: Readonly<Record<string, string>>): readonly string[] =>
  UPSTREAM_VARIABLES.filter((name) => {
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
  expect(leaveTheMachine({})).toEqual(UPSTREAM_VARIABLES);
  expect(leaveTheMachine(variables)).toEqual([]);
  expect(new Set(standIns.map(({ name }) => name)).size).toBe(standIns.length);
});

test("the tests' own servers have no upstream outside of this machine", () => {
  expect(leaveTheMachine(DEAD_UPSTREAMS)).toEqual([]);
});

test("the README and docs/README.md lead to a page about every service", () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const contents = readFileSync(join(ROOT, "docs/README.md"), "utf8");
  const pageOf = (name: ServiceName): string => `services/${folderNameOf(name)}.md`;
  expect(SERVICE_NAMES.filter((name) => !readme.includes(`| [${name}](docs/${pageOf(name)}) |`))).toEqual([]);
  expect(SERVICE_NAMES.filter((name) => !contents.includes(`(${pageOf(name)})`))).toEqual([]);
  expect(SERVICE_NAMES.filter((name) => !existsSync(join(ROOT, "docs", pageOf(name))))).toEqual([]);
});
