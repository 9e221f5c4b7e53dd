// The types of undici's parts, which it declares for its index alone.
declare module "undici/lib/api/api-request.js" {
  import type { Dispatcher } from "undici";
  export default function request(this: Dispatcher, options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>;
}

declare module "undici/lib/core/errors.js" {
  export { errors as default } from "undici";
}

declare module "undici/lib/dispatcher/agent.js" {
  export { Agent as default } from "undici";
}
