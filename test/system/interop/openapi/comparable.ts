// Results in a form that can be compared: languages write the same time in several ways, and each call has its own id.

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** Writes times in the same way, and leaves out the request's id. */
export function comparable(value: unknown): unknown {
  if (typeof value === "string") {
    return TIME.test(value) ? new Date(value).toISOString() : value;
  }
  if (Array.isArray(value)) {
    return value.map(comparable);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const members = Object.entries(value).filter(([name]) => name !== "request_id");
  return Object.fromEntries(members.map(([name, member]) => [name, comparable(member)]));
}
