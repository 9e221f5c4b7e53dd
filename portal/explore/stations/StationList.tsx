// The stations of one page of the list, each with a button to hear it.
import type { Station } from "../../../gen/quintet/radio/v1/radio_pb.js";
import { ForeignText, harmless } from "../../components/foreign-text.tsx";
import { Button } from "../../components/ui/Button.tsx";
import { formatWhole } from "../formats.ts";
import { Picture } from "../Picture.tsx";
import styles from "./Stations.module.css";

/** `playing` is marked. */
export const StationList = ({
  stations,
  playing,
  onPlay,
}: {
  readonly stations: readonly Station[];
  readonly playing: Station | undefined;
  readonly onPlay: (station: Station) => void;
}) => (
  <ul class={styles.list}>
    {stations.map((station) => (
      <li key={station.uuid} class={styles.station} data-playing={station.uuid === playing?.uuid ? true : undefined}>
        <Picture src={station.favicon} name={station.name} size={40} />
        <span class={styles.about}>
          <span class={styles.name}>
            <ForeignText text={station.name} />
          </span>
          <span class={styles.facts}>
            <ForeignText text={factsOf(station)} />
          </span>
        </span>
        <Button label={`Play ${harmless(station.name)}`} onClick={() => onPlay(station)}>
          Play
        </Button>
      </li>
    ))}
  </ul>
);

/** Where it is, what it plays, how it sounds, and how many like it. */
export const factsOf = ({ state, country, tags, codec, bitrate, votes }: Station): string =>
  [
    [state, country].filter((part) => part !== undefined && part !== "").join(", "),
    tags.slice(0, 3).join(", "),
    [codec, bitrate > 0 ? `${bitrate} kbit/s` : ""].filter((part) => part !== "").join(" "),
    `${formatWhole(votes)} votes`,
  ]
    .filter((part) => part !== "")
    .join(" · ");
