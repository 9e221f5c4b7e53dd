import { expect, test } from "vitest";
import { ConfigError, Environment } from "../../src/config/environment.ts";
import { readDatabaseConfig } from "../../src/config/many-nodes.ts";
import { readRegionConfig } from "../../src/config/region.ts";

const HOME = "postgres://user:secret@home.example/quintet";
const EAST = "postgres://user:secret@east.example/region";

function read(variables: Readonly<Record<string, string>>) {
  const environment = new Environment(variables);
  const region = readRegionConfig(environment, readDatabaseConfig(environment));
  environment.finish();
  return region;
}

test("without its settings a server is in no region", () => {
  expect(read({ QUINTET_DATABASE_URL: HOME })).toBeUndefined();
});

test("a region has a name and a database, to which a server opens as many connections as to the home database", () => {
  const variables = { QUINTET_DATABASE_URL: HOME, QUINTET_DATABASE_CONNECTIONS: "7" };
  expect(read({ ...variables, QUINTET_REGION: "eu-west", QUINTET_REGION_DATABASE_URL: EAST })).toEqual({
    name: "eu-west",
    url: EAST,
    connectionsMax: 7,
  });
});

test.each([
  [{ QUINTET_REGION: "east" }, "QUINTET_REGION_DATABASE_URL is missing: QUINTET_REGION is set"],
  [{ QUINTET_REGION_DATABASE_URL: EAST }, "QUINTET_REGION is missing: QUINTET_REGION_DATABASE_URL is set"],
  [
    { QUINTET_REGION: "East!", QUINTET_REGION_DATABASE_URL: EAST },
    "QUINTET_REGION must be at most 32 lower-case letters, digits and hyphens, such as eu-west",
  ],
  [
    { QUINTET_REGION: "east", QUINTET_REGION_DATABASE_URL: HOME },
    "QUINTET_REGION_DATABASE_URL must name a different database from QUINTET_DATABASE_URL",
  ],
  [
    { QUINTET_REGION: "east", QUINTET_REGION_DATABASE_URL: "mysql://user:secret@east.example" },
    "QUINTET_REGION_DATABASE_URL must be a connection string such as postgres://user:password@host:5432/name",
  ],
])("%j is refused, and no password is repeated", (variables, fault) => {
  const refused = () => read({ QUINTET_DATABASE_URL: HOME, ...variables });
  expect(refused).toThrow(ConfigError);
  expect(refused).toThrow(fault);
  expect(refused).not.toThrow("secret");
});

test("a region needs a home database", () => {
  expect(() => read({ QUINTET_REGION: "east", QUINTET_REGION_DATABASE_URL: EAST })).toThrow(
    "QUINTET_REGION_DATABASE_URL needs QUINTET_DATABASE_URL, the home database",
  );
});
