// The services as the generated code has them, found by looking through it: what is added to the protos is tested without being named
// in any test. Those of the data, and apart from them those of the account.
import { globSync } from "node:fs";
import { join } from "node:path";
import type { DescFile, DescMethod, DescService } from "@bufbuild/protobuf";
import { rpcPath } from "../src/lanes/rpc-path.ts";

const GEN = join(import.meta.dirname, "..", "gen");

/** Under a session and not under a key, so no data service. */
const ACCOUNT_PACKAGE = "quintet.account.";

/** Begins sessions, so it needs none. */
const SIGN_IN_SERVICE = "quintet.account.v1.SignInService";

const files = await Promise.all(
  globSync("quintet/**/*_pb.js", { cwd: GEN })
    .toSorted()
    .map(async (path): Promise<Record<string, unknown>> => import(join(GEN, path))),
);

const isFile = (exported: unknown): exported is DescFile => (exported as Partial<DescFile> | null)?.kind === "file";

const services: readonly DescService[] = files
  .flatMap((module) => Object.values(module))
  .filter(isFile)
  .flatMap((file) => file.services);

const isOfAccount = ({ typeName }: DescService): boolean => typeName.startsWith(ACCOUNT_PACKAGE);

/** The data services, by their packages' names. */
export const DATA_SERVICES: readonly DescService[] = services.filter((service) => !isOfAccount(service));

type CalledMethod = { readonly path: string; readonly desc: DescMethod };

const methodsOf = (of: readonly DescService[]): readonly CalledMethod[] =>
  of.flatMap(({ methods }) => methods.map((desc) => ({ path: rpcPath(desc), desc })));

/** Their methods, each with its path. */
export const DATA_METHODS: readonly CalledMethod[] = methodsOf(DATA_SERVICES);

/** The services of the account, and the one that begins its sessions. */
export const ACCOUNT_SERVICES: readonly DescService[] = services.filter(isOfAccount);

/** What anybody may call. */
const PUBLIC_METHODS = ["/quintet.account.v1.AccountService/ListPlans"];

/** The methods that only a session may call: all of theirs but those that begin one, and what anybody may call. */
export const SESSION_METHODS: readonly CalledMethod[] = methodsOf(
  ACCOUNT_SERVICES.filter(({ typeName }) => typeName !== SIGN_IN_SERVICE),
).filter(({ path }) => !PUBLIC_METHODS.includes(path));
