// What the user filters by. It is kept in the URL, so that it survives a reload and can be shared.
import { useLocation } from "preact-iso";
import type { CallFilter } from "./call-list.ts";

/** The filter, and a function that changes parts of it. */
export function useCallFilter(): readonly [CallFilter, (change: Partial<CallFilter>) => void] {
  const { path, query, route } = useLocation();
  const filter: CallFilter = {
    service: query.service ?? "",
    protocol: query.protocol ?? "",
    onlyRefused: query.refused === "true",
    text: query.text ?? "",
  };
  const change = (parts: Partial<CallFilter>): void => {
    const { service, protocol, onlyRefused, text } = { ...filter, ...parts };
    const all = { service, protocol, refused: onlyRefused ? "true" : "", text };
    const search = new URLSearchParams(Object.entries(all).filter(([, value]) => value !== ""));
    route(search.size === 0 ? path : `${path}?${search}`, true);
  };
  return [filter, change];
}
