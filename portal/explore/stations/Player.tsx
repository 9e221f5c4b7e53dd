// The player of the chosen station. The sound comes from the station's own server, which learns the user's IP address and nothing else.
import type { Station } from "../../../gen/quintet/radio/v1/radio_pb.js";
import type { ApiProblem } from "../../api/problem.ts";
import { Button } from "../../components/ui/Button.tsx";
import { ForeignLink } from "../foreign-link.tsx";
import { Picture } from "../Picture.tsx";
import { AboutStation } from "./StationList.tsx";
import styles from "./Stations.module.css";
import type { Sound, SoundState } from "./use-sound.ts";

const LABELS: Readonly<Record<Sound, string>> = {
  stopped: "Stopped.",
  connecting: "Connecting…",
  slow: "Still connecting: the station's server is slow. Wait, or try another station.",
  playing: "Playing.",
  failed:
    "This station could not be played: its server does not respond, or sends a format that this browser cannot play. Try another one.",
};
/** `problem` is why the station in the URL could not be read. */
export function Player({
  station,
  player: { audio, sound, isOngoing, play, stop, volume, setVolume, events },
  problem,
}: {
  readonly station: Station | undefined;
  readonly player: SoundState;
  readonly problem: ApiProblem | undefined;
}) {
  return (
    <section class={styles.player} aria-label="Player">
      <audio ref={audio} preload="none" loop {...events} />
      {station === undefined ? (
        <p>
          {problem === undefined || problem.isSessionLost
            ? "Choose a station on the map or in the list."
            : `${problem.message} Choose another station on the map or in the list.`}
        </p>
      ) : (
        <>
          <div class={styles.title}>
            <Picture src={station.favicon} name={station.name} size={48} />
            <AboutStation station={station} />
          </div>
          <div class={styles.controls}>
            {isOngoing ? (
              <Button onClick={stop}>Stop</Button>
            ) : (
              <Button kind="primary" onClick={play}>
                Play
              </Button>
            )}
            <label class={styles.volume}>
              Volume
              <input
                type="range"
                min="0"
                max="1"
                step="0.05"
                value={volume}
                onInput={({ currentTarget }) => setVolume(currentTarget.valueAsNumber)}
              />
            </label>
            <ForeignLink href={station.homepage}>Homepage</ForeignLink>
          </div>
          <p class={sound === "failed" ? styles.failed : styles.note} role="status">
            {LABELS[sound]} {sound === "failed" && <ForeignLink href={station.url}>Open stream</ForeignLink>}
          </p>
        </>
      )}
    </section>
  );
}
