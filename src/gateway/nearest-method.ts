// Finds the method that a caller may have meant by a path that no method has. The names of the service and of the method are compared one
// by one: of a whole path, a method whose name has nothing in common is only a few letters away.
import { nearestName } from "../runtime/nearest-name.ts";

// More names than this would not help.
const NAMES_SHOWN_MAX = 10;

/** Creates the function that writes the hint, a sentence after a space; empty if there is none. `paths` are those of all methods. */
export function createMethodHint(paths: Iterable<string>): (path: string) => string {
  const services = new Map<string, string[]>();
  for (const path of paths) {
    const [service, method] = partsOf(path);
    const methods = services.get(service) ?? [];
    services.set(service, methods);
    methods.push(method);
  }
  return (path) => {
    const [given, method] = partsOf(path);
    const service = services.has(given) ? given : nearestName(given, services.keys());
    const methods = services.get(service ?? "");
    if (service === undefined || methods === undefined) {
      return "";
    }
    const nearest = nearestName(method, methods);
    if (nearest !== undefined) {
      return ` Did you mean /${service}/${nearest}?`;
    }
    return methods.length <= NAMES_SHOWN_MAX ? ` ${service} has ${methods.join(", ")}.` : "";
  };
}

// The names of the service and of the method in `/service/method`.
function partsOf(path: string): readonly [service: string, method: string] {
  const end = path.lastIndexOf("/");
  return [path.slice(1, end), path.slice(end + 1)];
}
