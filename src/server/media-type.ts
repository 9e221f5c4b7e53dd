// Media types in headers. Pure. https://www.rfc-editor.org/rfc/rfc9110#name-accept

/** The media type of a `content-type` header, lower case, without its parameters; empty when there is none. */
export function mediaTypeOf(contentType: string | undefined): string {
  if (contentType === undefined) {
    return "";
  }
  const end = contentType.indexOf(";");
  return (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

/** Whether an `accept` header takes `application/json`. Of the ranges that match it, the most specific one's weight decides. */
export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === "" || accept === "*/*") {
    return true;
  }
  let best = { specificity: 0, weight: 0 };
  for (const range of accept.split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const specificity = ["*/*", "application/*", "application/json"].indexOf(type) + 1;
    if (specificity > best.specificity) {
      const q = parameters.find((parameter) => parameter.startsWith("q="));
      best = { specificity, weight: q === undefined ? 1 : Number(q.slice(2)) };
    }
  }
  return best.weight > 0;
}
