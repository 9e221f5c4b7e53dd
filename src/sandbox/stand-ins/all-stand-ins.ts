// The stand-ins of every service that has a source. Each is in `stand-ins.ts` of the folder named after the service.
import type { StandInContext, StandIns } from "./stand-in.ts";

// `npm run generate` generates this list from the protos. If a service has no such file, the compiler names the file.
const load = () =>
  Promise.all([
    import("./radio/stand-ins.ts"),
    import("./tokenprice/stand-ins.ts"),
    import("./tokenlist/stand-ins.ts"),
    import("./bitcoin/stand-ins.ts"),
  ]);

/** Starts all stand-ins on free ports of 127.0.0.1, in the order of the services' names. */
export async function startAllStandIns(context: StandInContext): Promise<StandIns> {
  const all = await Promise.all((await load()).map(({ startStandIns }) => startStandIns(context)));
  return {
    standIns: all.flatMap(({ standIns }) => standIns),
    variables: Object.assign({}, ...all.map(({ variables }) => variables)),
  };
}
