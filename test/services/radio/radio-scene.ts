// The radio service over real servers of the sandbox, called through real handlers in memory, with a clock that stands still.
import type { DescMessage, JsonValue, MessageShape } from "@bufbuild/protobuf";
import { toJson } from "@bufbuild/protobuf";
import { type CallOptions, type Client, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.js";
import { RadioService } from "../../../gen/quintet/radio/v1/radio_pb.js";
import { createValidation, validationInterceptor } from "../../../src/gateway/rpc/validation.ts";
import { createLog } from "../../../src/runtime/log.ts";
import { directoryHandler } from "../../../src/sandbox/stand-ins/radio/directory.ts";
import type { RawStation } from "../../../src/sandbox/stand-ins/radio/stations.ts";
import type { StandIn } from "../../../src/sandbox/stand-ins/stand-in.ts";
import { startStandIn } from "../../../src/sandbox/stand-ins/stand-in-server.ts";
import { createRadio } from "../../../src/services/radio/service.ts";
import { createManualClock, type ManualClock } from "../../fixtures/manual-clock.ts";
import { tableResolver } from "./table-resolver.ts";

// 2026-11-21T12:00:00Z, when every scene begins.
const sceneStartMs = Date.UTC(2026, 10, 21, 12);

/** What a test can use. */
export interface RadioScene {
  readonly clock: ManualClock;
  readonly client: Client<typeof RadioService>;
  /** While they are equally good, they are asked in this order: `radio-1`, `radio-2`, `radio-3`. */
  readonly mirrors: readonly StandIn[];
  /** How often each mirror has been asked. */
  counts(): number[];
  /** Resolves when the mirror has received this many requests in all. */
  requested(index: number, count: number): Promise<void>;
  close(): Promise<void>;
}

interface RadioSceneOptions {
  /** Default 0: responses are never fresh, so that every call asks a mirror. */
  readonly freshMs?: number;
  readonly mirrorCount?: number;
  /** Called with each request that a mirror receives. If it throws, the mirror responds with 500. */
  readonly onRequest?: (url: URL) => void;
}

/** Starts it. */
export async function startRadioScene(
  stations: readonly RawStation[],
  { freshMs = 0, mirrorCount = 3, onRequest = () => {} }: RadioSceneOptions = {},
): Promise<RadioScene> {
  const clock = createManualClock({ nowMs: sceneStartMs });
  const directory = directoryHandler(stations);
  const handle = (url: URL) => {
    onRequest(url);
    return directory(url);
  };
  const mirrors = await Promise.all(
    Array.from({ length: mirrorCount }, (_, index) => startStandIn({ name: `radio-${index + 1}`, handle, clock })),
  );
  const { client, close } = openRadio({ clock, mirrors, freshMs });
  return {
    clock,
    mirrors,
    client,
    counts: () => mirrors.map(({ requestCount }) => requestCount),
    async requested(index, count) {
      while ((mirrors[index]?.requestCount ?? count) < count) {
        await new Promise(setImmediate);
      }
    },
    async close() {
      await Promise.all([close(), ...mirrors.map((mirror) => mirror.close())]);
    },
  };
}

interface OpenRadioOptions {
  readonly clock: ManualClock;
  readonly mirrors: readonly StandIn[];
  readonly freshMs?: number;
  /** Decides the order in which mirrors are first queried. Default: no jitter, so the mirrors stay in order. */
  readonly unit?: () => number;
}

/** Starts the service alone. */
export function openRadio({ clock, mirrors, freshMs = 0, unit = () => 0.5 }: OpenRadioOptions): {
  client: Client<typeof RadioService>;
  close: () => Promise<void>;
} {
  const radio = createRadio({
    config: {
      mirrors: mirrors.map(({ origin }) => origin),
      srvName: undefined,
      attemptTimeoutMs: 4000,
      hedgeMs: 600,
      deadlineMs: 8000,
      freshMs,
    },
    outbound: { userAgent: "Quintet/test", connectTimeoutMs: 2000 },
    resolver: tableResolver({ addresses: {}, services: {} }),
    clock,
    randomness: { bytes: (count) => new Uint8Array(count), uuid: () => "", unit },
    log: createLog("silent"),
  });
  radio.begin?.();
  const transport = createRouterTransport(({ service }) => service(radio.desc, radio.implementation), {
    router: { interceptors: [validationInterceptor(createValidation())] },
  });
  return { client: createClient(RadioService, transport), close: async () => radio.close() };
}

/** What REST would show as `data`. */
export const shown = <Desc extends DescMessage>(desc: Desc, message: MessageShape<Desc>): JsonValue =>
  toJson(desc, message, { useProtoFieldName: true, alwaysEmitImplicit: true });

/** The reason and message of a failure, or the response if there is one. */
export async function refusal(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    const failure = ConnectError.from(error);
    return { reason: failure.findDetails(ErrorInfoSchema)[0]?.reason, message: failure.rawMessage, code: failure.code };
  }
}

// Without jitter.
const RETRY_MS = 125;

/** The outcome of a call, during which every pause before a mirror is queried again passes at once. */
export async function withRetries<Value>(clock: ManualClock, call: Promise<Value>): Promise<Value> {
  let isDone = false;
  const settled = call.finally(() => {
    isDone = true;
  });
  settled.catch(() => {});
  while (!isDone) {
    if (clock.hasAlarmIn(RETRY_MS)) {
      clock.advance(RETRY_MS);
    }
    await new Promise(setImmediate);
  }
  return settled;
}

/** Call options that collect our own headers of the response. */
export function gathering(headers: Record<string, string>): CallOptions {
  return {
    onHeader(all) {
      for (const [name, value] of all) {
        if (name === "age" || name.startsWith("x-quintet-")) {
          headers[name] = value;
        }
      }
    },
  };
}
