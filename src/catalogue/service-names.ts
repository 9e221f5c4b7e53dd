// The data services, as the option quintet.options.v1.data_service of their protos describes them. Plans, subscriptions, keys and the
// command line use their names.
import { DATA_SERVICES } from "../../gen/data-services.ts";

export type ServiceName = keyof typeof DATA_SERVICES;

/** How a service is presented to people, and where it is called. */
export interface ServicePresentation {
  /** The full name of the service in its proto, such as `quintet.radio.v1.RadioService`. */
  readonly service: string;
  /** Its name for people. */
  readonly title: string;
  /** What it provides, in a sentence. */
  readonly summary: string;
  /** Where its data comes from; empty if it has no upstream. */
  readonly source: string;
  /** Whether its source has several mirrors. */
  readonly hasMirrors: boolean;
  /** Path and query of a GET that every plan allows. */
  readonly firstCall: string;
}

export const SERVICES: Readonly<Record<ServiceName, ServicePresentation>> = DATA_SERVICES;

/** Their names, in the order of all lists. */
export const SERVICE_NAMES = Object.keys(DATA_SERVICES) as readonly ServiceName[];

/** The position of a service in all lists, from 0. */
export const serviceRank = (name: ServiceName): number => SERVICE_NAMES.indexOf(name);

/** Whether a service has upstreams. */
export const hasUpstreams = (name: ServiceName): boolean => SERVICES[name].source !== "";

/** A service's name in folders and in its proto's package: `tokenprice`, as in `quintet.tokenprice.v1`, for `token-price`. */
export const folderNameOf = (name: ServiceName): string => name.replaceAll("-", "");

export const isServiceName = (name: string): name is ServiceName => Object.hasOwn(DATA_SERVICES, name);
