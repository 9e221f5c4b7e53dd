// What the package exports. README.md explains each.
export { restFetchHandler, restNodeAdapter } from "./adapters.ts";
export { type Bind, compileBind } from "./bind.ts";
export { echoed, echoedDocument, echoedName } from "./echo.ts";
export { hasSecretSibling } from "./field-reader.ts";
export {
  A_TIMESTAMP,
  fullName,
  type IsUnixSeconds,
  isUnspecified,
  lengthRequirementOf,
  oneOfEnum,
  requirementOf,
  shortName,
  valueRules,
} from "./field-requirement.ts";
export { type FieldTable, fieldTable } from "./fields.ts";
export { InvalidInput, type Violation } from "./invalid-input.ts";
export { type Json, JsonMembers, JsonNumber, JsonSyntaxError, readJson, wholeText, writeJson } from "./json.ts";
export { jsonDepthMax, jsonExcess, VALUES_MAX } from "./json-bounds.ts";
export { Violations } from "./message-builder.ts";
export { didYouMean, nearestName } from "./nearest-name.ts";
export { openApiOf } from "./openapi.ts";
export { describeUnknownName, echoedUnknownName } from "./parameter.ts";
export { plainJson, setOwn } from "./plain-json.ts";
export { createRestHandler, type RestHandler, type RestOptions, type RestRequest, type RestResponse } from "./rest-handler.ts";
export { compileRoutes, type Match, type Route, type Routes } from "./routes.ts";
export { type Rule, rulesOf } from "./rule.ts";
export { withoutSecrets } from "./secrets.ts";
export { parseTemplate, type Template } from "./template.ts";
export { readRfc3339, readTimestamp, timestampHint } from "./timestamp.ts";
