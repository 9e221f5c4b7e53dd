// What all services look like to the rest of the program: a contract and an implementation; data services can also be started and closed.
import type { DescService } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { ServiceName } from "../catalogue/service-names.ts";

/** A service of the contract. */
export interface Service<Desc extends DescService = DescService> {
  readonly desc: Desc;
  /** The handlers. They throw a Failure for every failure that a caller should understand; anything else becomes INTERNAL. */
  readonly implementation: ServiceImpl<Desc>;
}

export interface DataService<Desc extends DescService = DescService> extends Service<Desc> {
  readonly name: ServiceName;
  /**
   * Begins its background work, if any. It sends no upstream requests before that, so a server whose port is taken sends none.
   * Called at most once.
   */
  begin?(): void;
  /**
   * Whether it has tried once to get what it needs before calls, for services that need anything, within a bound of its own. A server is
   * not ready before all of its services are. Once true, it stays true.
   */
  isReady?(): boolean;
  /** Whether it has what it needs to serve calls, for services that need anything beforehand. Checks only its own memory. */
  isServing?(): boolean;
  /** Stops timers and background work, and waits for them. Calls in progress may still finish. */
  close(): Promise<void>;
}
