// Signing in with another provider, by OpenID Connect or, at GitHub, OAuth. All that a provider is asked for is an e-mail address that it
// has verified. `openid-client` makes the requests and checks the ID tokens; it is loaded when first needed.
//
// What a sign-in must remember is derived from a ticket that only the browser keeps: the state, the nonce and the code verifier. So the
// response is worth nothing in another browser, and any server can complete what another has begun. No URL comes from a caller.
import { createHash } from "node:crypto";
import type { Configuration, CustomFetch, IDToken } from "openid-client";
import { fetch, type RequestInit } from "undici";
import type { IdentityProviderConfig } from "../config/identity-providers.ts";
import { Failure } from "../problem/failure.ts";
import { invalidArgument } from "../problem/problem.ts";
import { canonicalEmail } from "../runtime/email.ts";
import { createAgent, type ProxyConfig } from "../runtime/proxied-agent.ts";
import type { Randomness } from "../runtime/randomness.ts";
import { providerUnavailable, stateForbids } from "./refusals.ts";
import { generateToken } from "./tokens.ts";

const TIMEOUT_SECONDS = 10;
const RESPONSE_BYTES_MAX = 262_144;
/** The page to which providers send people back. */
const RETURN_PATH = "/app/signed-in";

interface IdentityProvidersOptions {
  readonly providers: readonly IdentityProviderConfig[];
  readonly publicUrl: string | undefined;
  readonly proxy: ProxyConfig | undefined;
  readonly randomness: Pick<Randomness, "bytes">;
}

const loadLibrary = () => import("openid-client");

// Different for each provider, so that the response of one cannot be passed off as that of another.
const derived = (purpose: string, provider: string, ticket: string): string =>
  createHash("sha256").update(`${purpose} ${provider} ${ticket}`).digest("base64url");

/** What the browser has when the person comes back. */
type ReturnedSignIn = Readonly<Record<"provider" | "ticket" | "query", string>>;

/** Methods reject with a Failure: of the request, or PROVIDER_UNAVAILABLE. */
export class IdentityProviders {
  readonly #options: IdentityProvidersOptions;
  readonly #fetch: CustomFetch;
  readonly #configurations = new Map<string, Promise<Configuration>>();

  constructor(options: IdentityProvidersOptions) {
    const timeoutMs = TIMEOUT_SECONDS * 1000;
    const limits = { maxResponseSize: RESPONSE_BYTES_MAX, headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
    const dispatcher = createAgent(options.proxy, limits);
    this.#options = options;
    this.#fetch = ((url: string, init: RequestInit) => fetch(url, { ...init, dispatcher })) as unknown as CustomFetch;
  }

  /** Where the person signs in, and the ticket that their browser keeps until they come back. */
  async begin(name: string): Promise<{ readonly url: string; readonly ticket: string }> {
    const provider = this.#provider(name);
    const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await loadLibrary();
    const configuration = await this.#configuration(provider);
    const ticket = generateToken(this.#options.randomness);
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: this.#returnUrl().href,
      scope: provider.oauth === undefined ? "openid email" : "user:email",
      state: derived("state", name, ticket),
      code_challenge: await calculatePKCECodeChallenge(derived("verifier", name, ticket)),
      code_challenge_method: "S256",
      ...(provider.oauth === undefined && { nonce: derived("nonce", name, ticket) }),
    });
    return { url: url.href, ticket };
  }

  /** The address that the provider has verified, in lower case. `query` is that with which the person came back. */
  async verifiedEmail({ provider: name, ticket, query }: ReturnedSignIn): Promise<string> {
    const provider = this.#provider(name);
    const url = this.#returnUrl();
    url.search = query;
    const state = derived("state", name, ticket);
    if (url.searchParams.get("state") !== state) {
      throw invalidResponse("does not belong to a sign-in that this browser has begun. Sign in again");
    }
    const error = url.searchParams.get("error");
    if (error !== null) {
      throw invalidResponse(
        `says that ${provider.title} did not sign you in (${/^\w{1,40}$/.test(error) ? error : "error"}). Sign in again`,
      );
    }
    const addresses = await this.#addresses(provider, url, { state, ticket });
    const email = canonicalEmail(addresses.find(({ verified, primary }) => verified === true && primary === true)?.email ?? "");
    if (email === undefined) {
      throw new Failure(
        stateForbids(
          "provider_response",
          `${provider.title} does not say that it has verified your e-mail address. Verify it there, or sign up here.`,
        ),
      );
    }
    return email;
  }

  async #addresses(
    provider: IdentityProviderConfig,
    url: URL,
    { state, ticket }: { readonly state: string; readonly ticket: string },
  ): Promise<readonly ProviderAddress[]> {
    const { authorizationCodeGrant, fetchProtectedResource, ResponseBodyError } = await loadLibrary();
    const { name, oauth } = provider;
    const configuration = await this.#configuration(provider);
    try {
      const tokens = await authorizationCodeGrant(configuration, url, {
        expectedState: state,
        pkceCodeVerifier: derived("verifier", name, ticket),
        ...(oauth === undefined && { expectedNonce: derived("nonce", name, ticket), idTokenExpected: true }),
      });
      if (oauth === undefined) {
        const { email, email_verified: verified }: Partial<IDToken> = tokens.claims() ?? {};
        return typeof email === "string" ? [{ email, primary: true, verified: verified === true }] : [];
      }
      const headers = new Headers({ accept: "application/json" });
      const listed = await fetchProtectedResource(
        configuration,
        tokens.access_token,
        new URL(oauth.emailsUrl),
        "GET",
        null,
        headers,
      );
      if (!listed.ok) {
        throw new Error(`${provider.title} answered ${listed.status} when asked for addresses`);
      }
      const addresses: unknown = await listed.json();
      if (!Array.isArray(addresses)) {
        throw new Error(`${provider.title} answered with something other than a list of addresses`);
      }
      return addresses.filter((address) => typeof address?.email === "string");
    } catch (error) {
      if (error instanceof ResponseBodyError && ["invalid_grant", "bad_verification_code"].includes(error.error)) {
        throw invalidResponse("has a code that was used or has expired. Sign in again");
      }
      throw new Failure({ ...providerUnavailable(provider.title), cause: error });
    }
  }

  #provider(name: string): IdentityProviderConfig {
    const provider = this.#options.providers.find((each) => each.name === name);
    if (provider === undefined) {
      throw new Failure(stateForbids("server", "Nobody can sign in to this server with this provider."));
    }
    return provider;
  }

  #returnUrl(): URL {
    return new URL(RETURN_PATH, this.#options.publicUrl);
  }

  // Read from the provider at the first sign-in. After a failure, the next sign-in tries again.
  async #configuration(provider: IdentityProviderConfig): Promise<Configuration> {
    const { name } = provider;
    const known = this.#configurations.get(name);
    if (known !== undefined) {
      return known;
    }
    const reading = this.#discover(provider).catch((error: unknown) => {
      this.#configurations.delete(name);
      throw new Failure({ ...providerUnavailable(provider.title), cause: error });
    });
    this.#configurations.set(name, reading);
    return reading;
  }

  async #discover({ issuer, clientId, clientSecret, oauth }: IdentityProviderConfig): Promise<Configuration> {
    const library = await loadLibrary();
    // The settings allow http only for this machine.
    const insecure = issuer.startsWith("http:") ? [library.allowInsecureRequests] : [];
    if (oauth === undefined) {
      return library.discovery(new URL(issuer), clientId, clientSecret, undefined, {
        [library.customFetch]: this.#fetch,
        timeout: TIMEOUT_SECONDS,
        execute: [library.enableNonRepudiationChecks, ...insecure],
      });
    }
    const endpoints = { authorization_endpoint: oauth.authorizationUrl, token_endpoint: oauth.tokenUrl };
    const configuration = new library.Configuration({ issuer, ...endpoints }, clientId, clientSecret);
    configuration[library.customFetch] = async (url, init) =>
      url === oauth.tokenUrl ? withErrorStatus(await this.#fetch(url, init)) : this.#fetch(url, init);
    configuration.timeout = TIMEOUT_SECONDS;
    for (const allow of insecure) {
      allow(configuration);
    }
    return configuration;
  }
}

// GitHub answers 200 to a wrong code, with the error in the body.
async function withErrorStatus(response: Response): Promise<Response> {
  const body = await response.text();
  const status = response.ok && "error" in JSON.parse(body) ? 400 : response.status;
  return new Response(body, { status, headers: { "content-type": response.headers.get("content-type") ?? "" } });
}

/** An address as GitHub lists it. */
interface ProviderAddress {
  readonly email: string;
  readonly primary: boolean;
  readonly verified: boolean;
}

const invalidResponse = (description: string): Failure =>
  new Failure(invalidArgument([{ field: "provider_response.query", description }]));
