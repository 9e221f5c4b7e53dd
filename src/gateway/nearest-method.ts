// Finds the method that a caller may have meant, if no method has the given path. The service's name and the method's name are compared
// separately: whole paths of one service are mostly alike, so even a method with an entirely different name would look close.
import { nearestName } from "../runtime/nearest-name.ts";

// The most names that a hint lists: more would not help.
const NAMES_SHOWN_MAX = 10;

/** Creates the function that returns the hint for a path: a space and a sentence, or an empty string. `paths`: of all methods. */
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
