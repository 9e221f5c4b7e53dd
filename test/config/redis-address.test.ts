import { expect, test } from "vitest";
import { redisAddressOf } from "../../src/config/redis-address.ts";

const plain = {
  isTls: false,
  username: undefined,
  password: undefined,
  database: 0,
  primary: "",
  sentinelUsername: undefined,
  sentinelPassword: undefined,
};

test.each([
  ["redis://localhost", { ...plain, kind: "server", hosts: [{ host: "localhost", port: 6379 }] }],
  [
    "rediss://quintet:p%40ss:word@cache.example:6380/2",
    {
      ...plain,
      kind: "server",
      hosts: [{ host: "cache.example", port: 6380 }],
      isTls: true,
      username: "quintet",
      password: "p@ss:word",
      database: 2,
    },
  ],
  ["redis://:secret@[::1]:7000/", { ...plain, kind: "server", hosts: [{ host: "::1", port: 7000 }], password: "secret" }],
  [
    "redis-cluster://one.example,two.example:7000",
    {
      ...plain,
      kind: "cluster",
      hosts: [
        { host: "one.example", port: 6379 },
        { host: "two.example", port: 7000 },
      ],
    },
  ],
  [
    "rediss-sentinel://user:secret@one.example,[fe80::2]:7000/main?sentinelUsername=watch&sentinelPassword=a%26b",
    {
      ...plain,
      kind: "sentinel",
      hosts: [
        { host: "one.example", port: 26379 },
        { host: "fe80::2", port: 7000 },
      ],
      isTls: true,
      username: "user",
      password: "secret",
      primary: "main",
      sentinelUsername: "watch",
      sentinelPassword: "a&b",
    },
  ],
])("%s", (url, address) => {
  expect(redisAddressOf(url)).toEqual(address);
});

test.each([
  "",
  "secret",
  "http://host",
  "redis://",
  "redis://host/first",
  "redis://one,two",
  "redis://host:port",
  "redis://host?password=secret",
  "redis://%zz@host",
  "redis-cluster://host/1",
  "redis-cluster://one,,two",
  "redis-sentinel://host",
  "redis-sentinel://host/main?password=secret",
  "redis-standby://host",
])("%s is faulty", (url) => {
  expect(redisAddressOf(url)).toBeUndefined();
});
