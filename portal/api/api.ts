// How a page calls this server: like any other client, with the session's cookie, which scripts cannot read.
import type { Interceptor, Transport } from "@connectrpc/connect";
import { QueryCache, QueryClient } from "@tanstack/query-core";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { createBinaryTransport } from "./binary-transport.ts";
import { type ApiProblem, problemOf } from "./problem.ts";

/** What the hooks of this folder use. */
export interface Api {
  readonly transport: Transport;
  /** Cached responses, for as long as they are fresh. Cleared when the session ends. */
  readonly queries: QueryClient;
  /** Called with the problem of each failed call: some problems concern the whole page. */
  readonly onProblem: (problem: ApiProblem) => void;
  /** Whether the page calls with the public key because nobody is signed in. */
  readonly isVisitor: boolean;
}

const STALE_MS = 10_000;
const RETRIES_MAX = 2;
// If several of a page's calls are refused at once, they are repeated one after another, no faster than an account may call.
const RETRY_SPACING_MS = 100;
const SPACED_RETRIES_MAX = 20;

interface ApiOptions extends Pick<Api, "onProblem"> {
  /** Wrap each call. */
  readonly interceptors?: readonly Interceptor[];
  readonly isVisitor?: boolean;
}

export function createApi({ onProblem, interceptors = [], isVisitor = false }: ApiOptions): Api {
  let retried = 0;
  const spacingMs = (): number => {
    retried += 1;
    return RETRY_SPACING_MS * (retried % SPACED_RETRIES_MAX);
  };
  const queries = new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => onProblem(problemOf(error)),
    }),
    defaultOptions: {
      queries: {
        staleTime: STALE_MS,
        // Calls even when the browser is offline: the server may run on this machine.
        networkMode: "always",
        retry: (failures, error) => failures < RETRIES_MAX && problemOf(error).isTransient,
        retryDelay: (failures, error) => (problemOf(error).retryAfterMs ?? 500 * 2 ** failures) + spacingMs(),
      },
    },
  });
  return {
    transport: createBinaryTransport(location.origin, interceptors),
    queries,
    onProblem,
    isVisitor,
  };
}

const ApiContext = createContext<Api | undefined>(undefined);

/** Provides the API to the hooks of all components inside. */
export const ApiProvider = ApiContext.Provider;

export function useApi(): Api {
  const api = useContext(ApiContext);
  if (api === undefined) {
    throw new Error("This component is not inside an ApiProvider");
  }
  return api;
}
