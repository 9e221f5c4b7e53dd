// What services have in common for the rest of the program: a contract and an implementation; and the five data services an
// identity, a beginning and an end.
import type { DescService } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { ServiceName } from "../catalogue/service-names.ts";

/** A service of the contract. */
export interface Service<Desc extends DescService = DescService> {
  readonly desc: Desc;
  /** The handlers. They throw a Failure for every failure that a caller should understand; anything else becomes INTERNAL. */
  readonly implementation: ServiceImpl<Desc>;
}

/** A data service, running. */
export interface DataService<Desc extends DescService = DescService> extends Service<Desc> {
  readonly name: ServiceName;
  /**
   * Begins its background work, where it has any. It asks no upstream before that, so a server whose port is taken has asked none.
   * Called once, at most.
   */
  begin?(): void;
  /** Whether it has what it needs to answer, where it needs anything before its first call. Its own memory tells; it asks nobody. */
  isServing?(): boolean;
  /** Stops timers and background work, and waits for them. Calls under way may still end. */
  close(): Promise<void>;
}
