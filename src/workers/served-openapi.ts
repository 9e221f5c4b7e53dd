// What the OpenAPI document says about the server that serves it: its URL, its operator and its terms. Operators set all of these, so
// anything that is not set is left out.
import type { OperatorConfig } from "../config/operator.ts";
import { canonicalEmail } from "../runtime/email.ts";

/** Who serves the document. */
export interface Publisher {
  /** Where customers reach the server. */
  readonly publicUrl: string | undefined;
  readonly operator: OperatorConfig;
}

/** The document as it is served; `undefined` if nothing is set, so that it is served as it was generated. */
export function servedOpenApi(generated: string, publisher: Publisher): string | undefined {
  const { publicUrl } = publisher;
  const contact = contactOf(publisher.operator);
  if (publicUrl === undefined && contact === undefined) {
    return undefined;
  }
  const document = JSON.parse(generated);
  const served = {
    ...document,
    info: {
      ...document.info,
      ...(publicUrl !== undefined && { termsOfService: `${publicUrl}/docs/terms` }),
      ...(contact !== undefined && { contact }),
    },
    // If the server's URL is not set, the document names it by a path, which is relative to the document's own URL.
    ...(publicUrl !== undefined && { servers: [{ url: publicUrl }] }),
  };
  return `${JSON.stringify(served, undefined, 2)}\n`;
}

// A contact that is neither an e-mail address nor a URL, such as a telephone number, has no place in the document.
function contactOf({ name, supportContact }: OperatorConfig): Readonly<Record<string, string>> | undefined {
  const contact = {
    ...(name !== undefined && { name }),
    ...(supportContact !== undefined && canonicalEmail(supportContact) !== undefined && { email: supportContact }),
    ...(supportContact !== undefined && isWebAddress(supportContact) && { url: supportContact }),
  };
  return Object.keys(contact).length === 0 ? undefined : contact;
}

const isWebAddress = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? "");
