// What the OpenAPI document says of the server that serves it: where it is, whose it is and where its terms are. All of that is the
// operator's to set, so what is not set is left out.
import type { OperatorConfig } from "../config/operator.ts";

/** Who serves the document. */
export interface Publisher {
  /** Where customers reach the server. */
  readonly publicUrl: string | undefined;
  readonly operator: OperatorConfig;
}

const MAIL_ADDRESS = /^[^\s@,<>]+@[^\s@,<>]+$/;

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
    // Where nobody has said where the server is, the document names it by a path, which is relative to where it was read from.
    ...(publicUrl !== undefined && { servers: [{ url: publicUrl }] }),
  };
  return `${JSON.stringify(served, undefined, 2)}\n`;
}

// A contact that is neither an address of mail nor one of the web, such as a telephone number, has no place in the document.
function contactOf({ name, supportContact }: OperatorConfig): Readonly<Record<string, string>> | undefined {
  const contact = {
    ...(name !== undefined && { name }),
    ...(supportContact !== undefined && MAIL_ADDRESS.test(supportContact) && { email: supportContact }),
    ...(supportContact !== undefined && isWebAddress(supportContact) && { url: supportContact }),
  };
  return Object.keys(contact).length === 0 ? undefined : contact;
}

const isWebAddress = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? "");
