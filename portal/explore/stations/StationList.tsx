// The stations of one page of the list, each with a button that plays it, or stops it if it is playing.
import type { Station } from "../../../gen/quintet/radio/v1/radio_pb.js";
import { ForeignText, safeText } from "../../components/foreign-text.tsx";
import { Button } from "../../components/ui/Button.tsx";
import { formatCount } from "../formats.ts";
import { Picture } from "../Picture.tsx";
import { countryName } from "./country-name.ts";
import styles from "./Stations.module.css";

/** What the list needs from the player. */
export interface Playing {
  /** The chosen station, which is marked. */
  readonly station: Station | undefined;
  /** Whether it is playing or connecting. */
  readonly isOngoing: boolean;
  readonly play: (station: Station) => void;
  readonly stop: () => void;
}

/** A station's name, and what is known about the station. */
export const AboutStation = ({ station }: { readonly station: Station }) => (
  <span class={styles.about}>
    <span class={styles.name}>
      <ForeignText text={station.name} />
    </span>
    <span class={styles.facts}>
      <ForeignText text={factsOf(station)} />
    </span>
  </span>
);

export const StationList = ({
  stations,
  playing: { station: chosen, isOngoing, play, stop },
}: {
  readonly stations: readonly Station[];
  readonly playing: Playing;
}) => (
  <ul class={styles.list}>
    {stations.map((station) => (
      <li key={station.uuid} class={styles.station} data-playing={station.uuid === chosen?.uuid ? true : undefined}>
        <Picture src={station.favicon} name={station.name} size={40} />
        <AboutStation station={station} />
        {isOngoing && station.uuid === chosen?.uuid ? (
          <Button label={`Stop ${safeText(station.name)}`} onClick={stop}>
            Stop
          </Button>
        ) : (
          <Button label={`Play ${safeText(station.name)}`} onClick={() => play(station)}>
            Play
          </Button>
        )}
      </li>
    ))}
  </ul>
);

/** A station's place, genre, sound quality, and votes. */
const factsOf = ({ state, country, countrycode, tags, codec, bitrate, votes }: Station): string =>
  [
    [state, countryName(countrycode, country)].filter((part) => part !== undefined && part !== "").join(", "),
    tags.slice(0, 3).join(", "),
    [codec, bitrate > 0 ? `${bitrate} kbit/s` : ""].filter((part) => part !== "").join(" "),
    formatCount(votes, "vote"),
  ]
    .filter((part) => part !== "")
    .join(" · ");
