// The first call of each service as code. The build computes them: build/computed-modules.ts.
import type { ServiceName } from "../../src/catalogue/service-names.ts";
import { exampleOperation } from "./front.ts";
import { SERVICES } from "./services.ts";
import { callOf } from "./snippets/call.ts";
import type { SnippetCall } from "./snippets/snippet.ts";

export const FIRST_CALLS = Object.fromEntries(
  SERVICES.map((service) => [service.name, callOf(exampleOperation(service))]),
) as Readonly<Record<ServiceName, SnippetCall>>;
