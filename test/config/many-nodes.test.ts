import { describe, expect, test } from "vitest";
import { ConfigError, Environment } from "../../src/config/environment.ts";
import { readCell, readDatabaseConfig, readRedisUrl } from "../../src/config/many-nodes.ts";

function read(variables: Readonly<Record<string, string>>, isSandbox = false) {
  const environment = new Environment(variables);
  const config = { database: readDatabaseConfig(environment, isSandbox), redisUrl: readRedisUrl(environment) };
  environment.finish();
  return config;
}

test("without any of them a node is alone", () => {
  expect(read({})).toEqual({ database: undefined, redisUrl: undefined });
});

test("the embedded database can be forbidden, except to a sandbox", () => {
  const off = { QUINTET_EMBEDDED_DATABASE: "off" };
  expect(() => read(off)).toThrow(
    new ConfigError([
      "QUINTET_DATABASE_URL is not set, and QUINTET_EMBEDDED_DATABASE is off; set it to on for a single server whose data directory is kept",
    ]),
  );
  expect(read(off, true).database).toBeUndefined();
  const url = "postgres://db.example/quintet";
  expect(read({ ...off, QUINTET_DATABASE_URL: url }).database?.url).toBe(url);
});

test.each([
  "postgres://user:secret@db.example:5432/quintet",
  "postgres://user:p%40ss%2Fw%23rd@db.example:5432/quintet",
  "postgresql://db.example/quintet?sslmode=verify-full&sslrootcert=/etc/authority.pem",
  "postgres:///quintet?host=/var/run/postgresql",
])("a database may be %s", (url) => {
  expect(read({ QUINTET_DATABASE_URL: url, QUINTET_DATABASE_CONNECTIONS: "20" }).database).toEqual({
    url,
    connectionsMax: 20,
    staleAfterMs: 10_000,
  });
});

test.each([
  "redis://localhost",
  "rediss://user:secret@cache.example:6380/2",
  "redis-cluster://user:secret@one.example,two.example:7000",
  "rediss-sentinel://one.example,two.example/primary?sentinelPassword=secret",
])("a Redis may be %s", (url) => {
  expect(read({ QUINTET_REDIS_URL: url }).redisUrl).toBe(url);
});

const POSTGRES_FAULT =
  "must be a connection string such as postgres://user:password@host:5432/name, in which the password is percent-encoded; " +
  "or leave the password out, and set PGPASSWORD";

const REDIS_FAULT =
  "must be a connection string such as redis://user:password@host:6379/0, redis-cluster://host:6379,host:6379 or " +
  "redis-sentinel://host:26379,host:26379/NAME";

describe("an invalid connection string is refused, and is not repeated", () => {
  test.each([
    ...[
      "mysql://user:secret@db.example/quintet",
      "user:secret@db.example",
      ...["p@ss/w#rd", "a/b+c==", "12/34", "12?34", "12#34", "p@ss", "p@ss/w", "100%", "%zz"].map(
        (password) => `postgres://user:${password}@db.example:5432/quintet`,
      ),
    ].map((value) => ({ name: "QUINTET_DATABASE_URL", value, fault: POSTGRES_FAULT })),
    {
      name: "QUINTET_DATABASE_URL",
      value: "postgres://user:secret@db.example/quintet?sslmode=prefer",
      fault: "must have one of disable, require, verify-ca, verify-full as its sslmode",
    },
    {
      name: "QUINTET_DATABASE_URL",
      value: "postgres://user:secret@db.example/quintet?sslmode=verify-ca",
      fault: "must name the certificate authority's file as its sslrootcert when its sslmode is verify-ca",
    },
    {
      name: "QUINTET_REDIS_URL",
      value: "http://user:secret@cache.example",
      fault: REDIS_FAULT,
    },
    {
      name: "QUINTET_REDIS_URL",
      value: "redis://user:secret@cache.example/first",
      fault: REDIS_FAULT,
    },
    {
      name: "QUINTET_REDIS_URL",
      value: "secret",
      fault: REDIS_FAULT,
    },
  ])("$name", ({ name, value, fault }) => {
    expect(() => read({ [name]: value })).toThrow(new ConfigError([`${name} ${fault}`]));
  });
});

describe("a cell", () => {
  const cellOf = (cell?: string) => {
    const environment = new Environment(cell === undefined ? {} : { QUINTET_CELL: cell });
    const read = readCell(environment);
    environment.finish();
    return read;
  };

  test.each(["00", "07", "99"])("may be %s", (cell) => {
    expect(cellOf(cell)).toBe(cell);
  });

  test("need not be set", () => {
    expect(cellOf()).toBeUndefined();
  });

  test.each(["7", "007", "a7", "-1", "0x", "٠٧"])("may not be %j", (cell) => {
    expect(() => cellOf(cell)).toThrow(new ConfigError(["QUINTET_CELL must be two digits, such as 07"]));
  });
});
