// Reads with which other providers people may sign in: Google, GitHub, and one of the operator's own.
import type { Environment } from "./environment.ts";
import { LOOPBACK } from "./public-url.ts";

export interface IdentityProviderConfig {
  /** The name by which calls and pages know it. */
  readonly name: "google" | "github" | "oidc";
  /** For people: `Google`. */
  readonly title: string;
  /** The issuer of its ID tokens. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where a provider is asked that has OAuth, but neither OpenID Connect nor its discovery. */
  readonly oauth?: {
    readonly authorizationUrl: string;
    readonly tokenUrl: string;
    /** Lists the person's addresses as GitHub does. */
    readonly emailsUrl: string;
  };
}

type Known = Pick<IdentityProviderConfig, "title" | "issuer" | "oauth">;

const GOOGLE: Known = { title: "Google", issuer: "https://accounts.google.com" };
const GITHUB: Known = {
  title: "GitHub",
  issuer: "https://github.com/login/oauth",
  oauth: {
    authorizationUrl: "https://github.com/login/oauth/authorize",
    tokenUrl: "https://github.com/login/oauth/access_token",
    emailsUrl: "https://api.github.com/user/emails",
  },
};

/** The providers that are set; none by default. `publicUrl` is where customers reach the server. */
export function readIdentityProviders(environment: Environment, publicUrl: string | undefined): readonly IdentityProviderConfig[] {
  const client = (name: IdentityProviderConfig["name"], whose: string, known: Known | undefined): IdentityProviderConfig[] => {
    const prefix = `QUINTET_${name.toUpperCase()}`;
    const clientId = environment.optionalText(
      `${prefix}_CLIENT_ID`,
      `The client ID with which people can sign in with ${whose}. Needs the secret, and \`QUINTET_PUBLIC_URL\`.`,
    );
    const clientSecret = environment.optionalText(`${prefix}_CLIENT_SECRET`, `The client secret that ${whose} has issued.`);
    if (clientId === undefined && clientSecret === undefined && (known === undefined || name !== "oidc")) {
      return [];
    }
    if (clientId === undefined) {
      environment.fault(`${prefix}_CLIENT_ID`, `must be set with the rest of ${prefix}`);
    }
    if (clientSecret === undefined) {
      environment.fault(`${prefix}_CLIENT_SECRET`, `must be set with the rest of ${prefix}`);
    }
    if (known === undefined) {
      environment.fault(`${prefix}_ISSUER`, "must be an https URL without a query, such as https://login.example.com");
    }
    if (publicUrl === undefined) {
      environment.fault(
        "QUINTET_PUBLIC_URL",
        `must be set with ${prefix}_CLIENT_ID, because people return to it when they have signed in`,
      );
    }
    return known === undefined || clientId === undefined || clientSecret === undefined
      ? []
      : [{ name, ...known, clientId, clientSecret }];
  };
  return [
    ...client("google", "Google", GOOGLE),
    ...client("github", "GitHub", GITHUB),
    ...client("oidc", "your own provider", readOwnProvider(environment)),
  ];
}

function readOwnProvider(environment: Environment): Known | undefined {
  const issuer = environment.optionalText(
    "QUINTET_OIDC_ISSUER",
    "The issuer of your own OpenID Connect provider, such as `https://login.example.com`.",
  );
  const title = environment.text(
    "QUINTET_OIDC_NAME",
    "your company",
    "What follows “Sign in with” on the button of your own provider.",
  );
  const url = URL.parse(issuer ?? "");
  if (issuer === undefined || url === null || url.search + url.hash + url.username !== "") {
    if (issuer !== undefined) {
      environment.fault("QUINTET_OIDC_ISSUER", "must be an https URL without a query, such as https://login.example.com");
    }
    return undefined;
  }
  if (url.protocol !== "https:" && !(url.protocol === "http:" && LOOPBACK.test(url.hostname))) {
    environment.fault("QUINTET_OIDC_ISSUER", "must be an https URL; http is allowed only for this machine");
  }
  // As it is written: a provider's metadata must name the same issuer, to the last slash.
  return { title: title.slice(0, 40), issuer };
}
