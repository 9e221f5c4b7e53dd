// Signing in with another provider: against a real OpenID Connect provider, and a stand-in for GitHub.
import { create } from "@bufbuild/protobuf";
import { describe, expect, onTestFinished, test } from "vitest";
import { type SignInResponse, SignInService } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import { createAccountRpc } from "../../../src/account/rpc/account-rpc.ts";
import { CallFeed } from "../../../src/account/watch/call-feed.ts";
import { loadPlans } from "../../../src/catalogue/plans.ts";
import type { IdentityProviderConfig } from "../../../src/config/identity-providers.ts";
import type { Failure } from "../../../src/problem/failure.ts";
import { systemRandomness } from "../../../src/runtime/randomness.ts";
import { openStore } from "../../../src/store/open.ts";
import { inMessages } from "../../fixtures/account-messages.ts";
import { codeAt } from "../../fixtures/authenticator.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import { temporaryDataDirectory } from "../../fixtures/migrated-data.ts";
import { noServerState } from "../../fixtures/no-server-state.ts";
import { QUICK_COST, quickPasswords } from "../../fixtures/quick-passwords.ts";
import {
  followToReturn,
  type StartedProvider,
  startGitHub,
  startIdentityProvider,
} from "../../fixtures/servers/identity-provider.ts";

const PUBLIC_URL = "https://api.example.com";
const RETURN_URL = `${PUBLIC_URL}/app/signed-in`;
const PEER = { peer: "203.0.113.9", token: undefined };
const { beginProviderSignIn, signIn } = SignInService.method;

async function open(identityProviders: readonly IdentityProviderConfig[]) {
  const clock = createManualClock({ nowMs: Date.now() });
  const store = await openStore({ dataDir: await temporaryDataDirectory(), clock, role: "command" });
  const rpc = inMessages(
    createAccountRpc({
      ...{ store, plans: loadPlans(undefined), clock, randomness: systemRandomness, unspent: () => 0 },
      ...{ callFeed: new CallFeed(clock), serverState: noServerState, passwordCost: QUICK_COST },
      ...{ publicUrl: PUBLIC_URL, identityProviders },
    }),
  );
  onTestFinished(() => store.close());
  const begin = async (provider: string) =>
    (await rpc.call(beginProviderSignIn, create(beginProviderSignIn.input, { provider }), PEER)) as unknown as {
      readonly url: string;
      readonly ticket: string;
    };
  const complete = async (value: { readonly provider: string; readonly ticket: string; readonly query: string }) => {
    const input = create(signIn.input, { proof: { case: "providerResponse", value } });
    const { outcome } = (await rpc.call(signIn, input, PEER)) as SignInResponse;
    return {
      session: outcome.case === "session" ? outcome.value : undefined,
      challenge: outcome.case === "challenge" ? outcome.value : undefined,
    };
  };
  return { clock, store, rpc, begin, complete };
}

const problemOf = async (call: Promise<unknown>) => {
  const { reason, message, violations } = (
    await call.then(
      () => expect.unreachable("It has not failed"),
      (failure: Failure) => failure,
    )
  ).problem as Failure["problem"] & { readonly violations?: readonly { readonly field: string }[] };
  return [reason, violations?.[0]?.field ?? message];
};

const PROVIDERS = [
  { name: "oidc", start: () => startIdentityProvider(RETURN_URL) },
  { name: "github", start: startGitHub },
] as const;

describe.each(PROVIDERS)("with $name", ({ name, start }) => {
  const opened = async () => {
    const provider: StartedProvider = await start();
    onTestFinished(() => provider.close());
    const server = await open([provider.config]);
    const comeBack = async () => {
      const { url, ticket } = await server.begin(name);
      return { provider: name, ticket, query: await followToReturn(url, RETURN_URL) };
    };
    return { provider, ...server, comeBack };
  };

  test("a new address gets an account with that address verified, and the same account the next time", async () => {
    const { store, comeBack, complete } = await opened();
    const { session } = await complete(await comeBack());
    const again = await complete(await comeBack());
    const account = await store.findAccount("ada@example.com");
    expect(account?.emailVerifiedAtMs).toBeDefined();
    expect([session?.account?.email, session?.account?.id, again.session?.account?.id]).toEqual([
      "ada@example.com",
      account?.id,
      account?.id,
    ]);
  });

  test("the request has a challenge, a state and, with OpenID Connect, a nonce, and none of them is in the ticket", async () => {
    const { begin } = await opened();
    const [first, second] = [await begin(name), await begin(name)];
    const parameters = new URL(first.url).searchParams;
    const { state, nonce, code_challenge, ...rest } = Object.fromEntries(parameters);
    const scope = name === "oidc" ? "openid email" : "user:email";
    expect(rest).toEqual({
      ...{ client_id: "quintet", redirect_uri: RETURN_URL, response_type: "code", code_challenge_method: "S256", scope },
    });
    expect(nonce !== undefined).toBe(name === "oidc");
    const secrets = [state, nonce, code_challenge].filter((secret) => secret !== undefined);
    expect(secrets.every((secret) => /^[\w-]{43}$/.test(secret) && !second.url.includes(secret))).toBe(true);
  });

  test("a response works once, and only with the ticket of its own sign-in", async () => {
    const { comeBack, complete, provider } = await opened();
    const [own, other] = [await comeBack(), await comeBack()];
    const asked = provider.requests.length;
    expect(await problemOf(complete({ ...own, ticket: other.ticket }))).toEqual(["INVALID_ARGUMENT", "provider_response.query"]);
    expect(await problemOf(complete({ ...own, query: "code=1" }))).toEqual(["INVALID_ARGUMENT", "provider_response.query"]);
    // The provider is not asked about a response that is not the browser's own.
    expect(provider.requests.length).toBe(asked);
    await complete(own);
    expect(await problemOf(complete(own))).toEqual(["INVALID_ARGUMENT", "provider_response.query"]);
    // Its own state, but a code that was issued for another challenge.
    const code = new URLSearchParams((await comeBack()).query).get("code") ?? "";
    const mixed = new URLSearchParams(other.query);
    mixed.set("code", code);
    expect(await problemOf(complete({ ...other, query: mixed.toString() }))).toEqual([
      "INVALID_ARGUMENT",
      "provider_response.query",
    ]);
  });

  test("whoever changes their mind at the provider is told so, whatever the provider writes", async () => {
    const { begin, complete } = await opened();
    for (const error of ["access_denied", "<script>alert(1)</script>"]) {
      const { url, ticket } = await begin(name);
      const state = new URL(url).searchParams.get("state") ?? "";
      const query = new URLSearchParams({ error, state, error_description: "<b>no</b>" }).toString();
      const failure = await complete({ provider: name, ticket, query }).catch((thrown: Failure) => thrown.problem.message);
      expect(failure).toContain(error === "access_denied" ? "(access_denied)" : "(error)");
    }
  });

  test("an address that the provider has not verified signs nobody in", async () => {
    const { provider, store, comeBack, complete } = await opened();
    provider.person.isVerified = false;
    expect((await problemOf(complete(await comeBack())))[0]).toBe("FAILED_PRECONDITION");
    expect(await store.findAccount("ada@example.com")).toBeUndefined();
  });

  test("an account whose address was never verified stays its creator's, until it is", async () => {
    const { store, clock, comeBack, complete } = await opened();
    const passwordHash = await quickPasswords.hash("right");
    await store.createOwnedAccount({ id: "a-1", name: "ada", email: "ada@example.com" }, passwordHash);
    expect((await problemOf(complete(await comeBack())))[0]).toBe("FAILED_PRECONDITION");
    const link = { tokenHash: "0".repeat(64), purpose: "verify", email: "ada@example.com", accountId: "a-1" } as const;
    await store.addMailToken({ ...link, expiresAtMs: clock.nowMs() + 1000 });
    await store.verifyEmail(link.tokenHash, undefined);
    expect((await complete(await comeBack())).session?.account?.id).toBe("a-1");
  });

  test("an account with two-factor authentication still needs a code", async () => {
    const { rpc, store, clock, comeBack, complete } = await opened();
    const { session } = await complete(await comeBack());
    const accountId = session?.account?.id ?? "";
    const secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
    await store.prepareTwoFactor(accountId, secret);
    await store.turnOnTwoFactor(accountId, { secret, step: 1, recoveryHashes: ["0".repeat(64)], currentTokenHash: "" });
    const asked = await complete(await comeBack());
    expect([asked.session, typeof asked.challenge]).toEqual([undefined, "string"]);
    const input = { challenge: asked.challenge ?? "", proof: { case: "code", value: codeAt(secret, clock.nowMs()) } } as const;
    const { outcome } = (await rpc.call(signIn, create(signIn.input, input), PEER)) as SignInResponse;
    expect(outcome.case === "session" && outcome.value.account?.id).toBe(accountId);
  });

  test("a provider that does not answer is said to be away, and is asked again", async () => {
    const { provider, begin, complete, comeBack } = await opened();
    const own = await comeBack();
    await provider.close();
    expect((await problemOf(complete(own)))[0]).toBe("PROVIDER_UNAVAILABLE");
    if (name === "oidc") {
      const { begin: beginElsewhere } = await open([provider.config]);
      expect((await problemOf(beginElsewhere(name)))[0]).toBe("PROVIDER_UNAVAILABLE");
    } else {
      expect((await begin(name)).url).toContain(provider.origin);
    }
  });
});

test.each([
  ["no list", { email: "ada@example.com" }, "PROVIDER_UNAVAILABLE"],
  [
    "a list of nothing that is an address",
    [null, "ada@example.com", { email: 5, primary: true, verified: true }],
    "FAILED_PRECONDITION",
  ],
])("GitHub's answer with %s signs nobody in, and is no defect of ours", async (_, addresses, reason) => {
  const provider = await startGitHub();
  onTestFinished(() => provider.close());
  provider.person.addresses = addresses;
  const { begin, complete } = await open([provider.config]);
  const { url, ticket } = await begin("github");
  const query = await followToReturn(url, RETURN_URL);
  expect((await problemOf(complete({ provider: "github", ticket, query })))[0]).toBe(reason);
});

test("a server without providers says so before it does anything", async () => {
  const { begin, complete } = await open([]);
  expect((await problemOf(begin("google")))[0]).toBe("FAILED_PRECONDITION");
  expect((await problemOf(complete({ provider: "google", ticket: "t", query: "code=1" })))[0]).toBe("FAILED_PRECONDITION");
});
