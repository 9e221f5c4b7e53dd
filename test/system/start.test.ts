// What a server loads when it starts, which stays in memory even while it is idle.
import { join } from "node:path";
import { expect, test } from "vitest";
import { serve } from "../fixtures/program.ts";
import { ROOT } from "../fixtures/root.ts";
import { temporaryDirectory } from "../fixtures/temporary-directory.ts";

// Prints on standard error which packages are loaded, what uses the tables of all languages, and which V8 flags are set.
const WATCH = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks, syncBuiltinESMExports } from "node:module";
  import v8 from "node:v8";
  const { setFlagsFromString } = v8;
  v8.setFlagsFromString = (flag) => {
    process.stderr.write("SET " + flag + "\\n");
    setFlagsFromString(flag);
  };
  syncBuiltinESMExports();
  const say = (what) => process.stderr.write("LOADED " + what + "\\n");
  registerHooks({
    load(url, context, next) {
      const [, name] = /node_modules\\/((?:@[^/]+\\/)?[^/]+)\\//.exec(url) ?? [];
      if (name !== undefined) say(name);
      return next(url, context);
    },
  });
  const { Intl: own } = globalThis;
  Object.defineProperty(globalThis, "Intl", { get: () => (say("Intl"), own) });
  for (const { prototype } of [String, Number, BigInt, Date, Array])
    for (const name of Object.getOwnPropertyNames(prototype))
      if (name.includes("ocale")) {
        const method = prototype[name];
        prototype[name] = function (...given) { say(name); return method.apply(this, given); };
      }
`)}`;

const PACKAGES = [
  "@bufbuild/cel",
  "@bufbuild/cel-spec",
  "@bufbuild/protobuf",
  "@bufbuild/protovalidate",
  "@bufbuild/re2",
  "@connectrpc/connect",
  "@noble/hashes",
  "@pinojs/redact",
  "atomic-sleep",
  "commander",
  "i18n-iso-countries",
  "kysely",
  "on-exit-leak-free",
  "otpauth",
  "pino",
  "pino-std-serializers",
  "quick-format-unescaped",
  "safe-stable-stringify",
  "sonic-boom",
  "thread-stream",
  "undici",
];

test("a starting server loads these packages and no language tables, and optimizes once it serves", async () => {
  const variables = {
    NODE_OPTIONS: `--import=${WATCH}`,
    QUINTET_DATA_DIR: temporaryDirectory(),
    QUINTET_WORKERS: "1",
    QUINTET_DRAIN_DELAY_MS: "0",
  };
  // The bundle loads no packages.
  const server = await serve(variables, join(ROOT, "src/start.js"));
  server.signal("SIGTERM");
  const { code, err } = await server.ended;
  const said = (pattern: RegExp): readonly (string | undefined)[] => Array.from(err.matchAll(pattern), ([, what]) => what);
  expect({ code, loaded: [...new Set(said(/^LOADED (.*)$/gm))].sort(), flags: said(/^SET --(\S*filter=.*)$/gm) }).toEqual({
    code: 0,
    loaded: PACKAGES,
    flags: ["maglev-filter=~", "turbo-filter=~", "maglev-filter=*", "turbo-filter=*"],
  });
});
