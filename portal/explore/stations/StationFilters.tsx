// The filters of the stations. The search starts when the user stops typing.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Country } from "../../../gen/quintet/radio/v1/radio_pb.js";
import { Field, SelectField } from "../../components/ui/Field.tsx";
import type { UrlState } from "../url-state.ts";
import { countryName } from "./country-name.ts";
import styles from "./Stations.module.css";

const PAUSE_MS = 350;
const TEXT_MAX = 64;

/** `countries` are the countries to choose from; empty until they are known. */
export function StationFilters({ url, countries }: { readonly url: UrlState; readonly countries: readonly Country[] }) {
  const country = url.get("country") ?? "";
  const rows = countries
    .map(({ code, name }) => [code, countryName(code, name)] as const)
    .toSorted(([, one], [, other]) => one.localeCompare(other));
  return (
    <search class={styles.filters}>
      <TypedFilter label="Name, genre or place" name="query" url={url} />
      <TypedFilter label="Genre" name="tag" url={url} />
      <SelectField
        label="Country"
        name="country"
        value={country}
        options={[
          ["", "All countries"],
          ...(country !== "" && !rows.some(([code]) => code === country)
            ? [[country, countryName(country, country)] as const]
            : []),
          ...rows,
        ]}
        onChange={(value) => url.set({ country: value, offset: undefined, view: undefined })}
      />
    </search>
  );
}

function TypedFilter({ label, name, url }: { readonly label: string; readonly name: string; readonly url: UrlState }) {
  const fromUrl = url.get(name) ?? "";
  const [text, setText] = useState(fromUrl);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  // Going back changes the URL too.
  useEffect(() => setText(fromUrl), [fromUrl]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <Field
      label={label}
      name={name}
      type="search"
      value={text}
      maxLength={TEXT_MAX}
      autocomplete="off"
      onInput={({ currentTarget: { value } }) => {
        setText(value);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => url.set({ [name]: value.trim(), offset: undefined }, "typing"), PAUSE_MS);
      }}
    />
  );
}
