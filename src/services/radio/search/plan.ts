// Decides with the directory's vocabulary what each word of a query is, and which requests to the directory find the stations. The
// directory compares one text with each field. Pure.
import { patternsOf, type Vocabulary } from "./vocabulary.ts";
import { compared, type Words } from "./words.ts";

/** The text that fields must contain, as parameters of the directory's search. */
export type Wanted = Readonly<Record<string, string>>;

/** One or several words of a query that mean one thing. */
export interface Run {
  /** As typed. */
  readonly words: Words;
  /** As typed, for patterns of names. */
  readonly pattern: Words;
  /** Without typing mistakes, and with numbers in digits. */
  readonly meant: Words;
  /** What it may be instead, if the stations found suggest it. */
  readonly alternatives?: readonly string[];
  /** What it is called, in the form of `compared`: as meant, and in the vocabulary's spellings. */
  readonly forms: readonly string[];
  /** If it is a country, a language, a region, a bitrate or a codec. */
  readonly place: Place | undefined;
  /** Patterns of the tags that it may be, the most frequent first. */
  readonly tags: readonly string[];
  /** The tags in the directory's spelling. */
  readonly wholeTags: readonly string[];
  readonly isKnown: boolean;
}

interface Place {
  readonly field: "countrycode" | "language" | "state" | "bitrate" | "codec";
  /** The values of the field, the most frequent first. */
  readonly values: readonly string[];
  readonly stations: number;
}

const FIRST_ROUND_MAX = 4;
const RUN_WORDS_MAX = 4;
/** Words are one term if it has this part of the stations of its rarest word: `smooth jazz`, but not `pop italian`. */
const TERM_SHARE = 0.1;

/** A shorter word, such as `in`, is not a region, and in another script it is not shorter. */
const PLACE_LETTERS_MIN = 3;

/** A word may be two of so many letters, one of which at least so many stations have. */
const COMMON_MIN = 100;
const PART_LETTERS_MIN = 4;

const NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const BITRATE = /^(32|40|48|56|64|96|112|128|160|192|224|256|320)(k|kb|kbps|kbit|kbits)?$/;
const BITRATE_UNITS = /^(?:k|kb|kbps|kbit|kbits)$/;
/** Stands before or after the rest of a name. */
export const FILLERS: ReadonlySet<string> = new Set(["radio", "fm", "радио"]);
const CODECS: ReadonlyMap<string, readonly string[]> = new Map([
  ["mp3", ["MP3"]],
  ["aac", ["AAC", "AAC+"]],
  ["ogg", ["OGG"]],
]);

// A pattern for names that also finds the word as two, of which one is common: `franceinter`.
function perhapsApart(word: string, vocabulary: Vocabulary): string {
  const splits = Array.from(word, (_, at) => [word.slice(0, at), word.slice(at)] as const).slice(
    PART_LETTERS_MIN,
    1 - PART_LETTERS_MIN,
  );
  const split =
    splits.findLast(([start]) => vocabulary.count(start) >= COMMON_MIN) ??
    splits.find(([, end]) => vocabulary.count(end) >= COMMON_MIN);
  return split === undefined || vocabulary.count(word) > 0 ? word : split.join("%");
}

/** The runs of a query, in its order. At most one is a country, one a language and so on. */
export function runsOf(words: Words, vocabulary: Vocabulary): readonly Run[] {
  const meant = words.map((word) =>
    NUMBERS.includes(word) ? String(NUMBERS.indexOf(word)) : word === "фм" ? "fm" : (vocabulary.correction(word) ?? word),
  );
  const runs: Run[] = [];
  for (let at = 0; at < words.length; at += runs.at(-1)?.words.length ?? 1) {
    runs.push(bitrateAt(words, at) ?? longestRun(words.slice(at), meant.slice(at), vocabulary));
  }
  return runs.map((run) => {
    const same = runs.flatMap(({ place }) => (place?.field === run.place?.field ? (place?.stations ?? 0) : 0));
    return run.place !== undefined && run.place.stations < Math.max(...same) ? { ...run, place: undefined } : run;
  });
}

function longestRun(words: Words, meant: Words, vocabulary: Vocabulary): Run {
  for (let length = Math.min(RUN_WORDS_MAX, words.length); length > 1; length -= 1) {
    const run = runOf(words.slice(0, length), meant.slice(0, length), vocabulary);
    const rarest = Math.min(...run.meant.map((word) => vocabulary.count(word)));
    if (run.place?.field === "countrycode" || (run.isKnown && vocabulary.stations(run.meant) >= rarest * TERM_SHARE)) {
      return run;
    }
  }
  return runOf(words.slice(0, 1), meant.slice(0, 1), vocabulary);
}

// A short number only at the end, or with its unit: `radio 24 news` has none.
function bitrateAt(words: Words, at: number): Run | undefined {
  const [, bitrate, unit] = BITRATE.exec(words[at] ?? "") ?? [];
  const own = words.slice(at, BITRATE_UNITS.test(words[at + 1] ?? "") ? at + 2 : at + 1);
  if (
    bitrate === undefined ||
    (at === 0 && unit === undefined && own.length === 1) ||
    (bitrate.length < 3 && unit === undefined && own.length === 1 && at + 1 < words.length)
  ) {
    return undefined;
  }
  return {
    words: own,
    meant: own,
    pattern: own,
    forms: own,
    place: { field: "bitrate", values: [bitrate], stations: 1 },
    tags: [],
    wholeTags: [],
    isKnown: true,
  };
}

function runOf(words: Words, meant: Words, vocabulary: Vocabulary): Run {
  const { tag, state, language } = vocabulary.term(meant);
  const country = vocabulary.country(meant);
  const codec = CODECS.get(meant.join(" "));
  const places: readonly Place[] = [
    { field: "codec", values: codec ?? [], stations: codec === undefined ? 0 : Number.MAX_SAFE_INTEGER },
    { field: "countrycode", values: country === undefined ? [] : [country], stations: vocabulary.stationsIn(country) },
    { field: "language", values: patternsOf(language), stations: language?.stations ?? 0 },
    { field: "state", values: patternsOf(state), stations: meant.join("").length < PLACE_LETTERS_MIN ? 0 : (state?.stations ?? 0) },
  ];
  // A word is what most stations have it for: `english` is a language, though it is also a tag.
  const [place] = places.toSorted((one, other) => other.stations - one.stations);
  const spellings = [tag, state, language].flatMap((field) => [...(field?.counts.keys() ?? [])]);
  return {
    words,
    meant,
    pattern: words.map((word) => perhapsApart(word, vocabulary)),
    forms: [...new Set([meant.join(" "), ...spellings].map(compared))],
    place: place !== undefined && place.stations > (tag?.stations ?? 0) ? place : undefined,
    tags: vocabulary.isComplete ? patternsOf(tag) : meant,
    wholeTags: [...(tag?.counts.keys() ?? [])],
    isKnown: spellings.length > 0 || country !== undefined || codec !== undefined,
  };
}

/** A pattern for names with these words in this order: `wdr2` finds `WDR 2`, and `koeln` finds `Köln`. */
const inOrder = (words: Words): string =>
  words
    .map((word) =>
      word
        .replace(/[äöüß]|[aou]e/g, (letters) => `${compared(letters)}%`)
        .replace(/(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/gu, "%"),
    )
    .join("%");

const typed = (runs: readonly Run[]): Words => runs.flatMap(({ pattern }) => pattern);

// Patterns that the words match as typed and as meant.
const either = (runs: readonly Run[]): Words =>
  runs.flatMap(({ words, meant, pattern }) =>
    words.map((word, index) =>
      word === meant[index] ? (pattern[index] ?? "") : commonPattern(compared(word), meant[index] ?? ""),
    ),
  );

function commonPattern(word: string, meant: string): string {
  if (meant.length <= 2) {
    return meant;
  }
  let start = 0;
  while (start < word.length && word[start] === meant[start]) {
    start += 1;
  }
  let end = 0;
  while (end < Math.min(word.length, meant.length) - start && word.at(-1 - end) === meant.at(-1 - end)) {
    end += 1;
  }
  return `${meant.slice(0, start)}%${meant.slice(meant.length - end)}`;
}

const named = (words: Words): Wanted => (words.length === 0 ? {} : { name: inOrder(words) });
const tagged = (runs: readonly Run[]): Wanted =>
  runs.length === 0 ? {} : { tagList: runs.map(({ tags }) => tags[0] ?? "").join(",") };
const isTag = ({ tags }: Run): boolean => tags.length > 0;
const isFiller = ({ words }: Run): boolean => FILLERS.has(words.join(" "));
const without = (runs: readonly Run[], some: readonly Run[]): readonly Run[] => runs.filter((run) => !some.includes(run));

// The values of the places' fields: the most frequent ones, or the next ones.
function placed(places: readonly Run[], nth = 0): Wanted {
  const entries = places.flatMap(({ place }) => {
    const value = place?.values[nth] ?? place?.values[0] ?? "";
    return place?.field === "bitrate"
      ? [
          ["bitrateMin", value],
          ["bitrateMax", value],
        ]
      : [[place?.field, value]];
  });
  return Object.fromEntries(entries);
}

interface Parts {
  readonly places: readonly Run[];
  /** The other runs, and those of them that tell stations apart. */
  readonly rest: readonly Run[];
  readonly telling: readonly Run[];
}

function partsOf(runs: readonly Run[]): Parts {
  const places = runs.filter(({ place }) => place !== undefined);
  const rest = without(runs, places);
  return { places, rest, telling: rest.every(isFiller) ? rest : rest.filter((run) => !isFiller(run)) };
}

/** The first requests, which are sent at the same time. */
export function firstRound(runs: readonly Run[]): readonly Wanted[] {
  const words = typed(runs);
  const names = words.every((word) => word.length === 1) ? [] : [named(words), named(either(runs))];
  // `radio_1` does not find `Radio 101`.
  const phrase = words.some((word) => word.length <= 2) ? [{ name: words.join("_") }] : [];
  const { places, telling } = partsOf(runs);
  const [run] = runs;
  if (run !== undefined && runs.length === 1) {
    const [tag, ...otherTags] = run.tags.map((tagList) => ({ tagList }));
    return first([...names, tag ?? {}, placed(places), ...otherTags, ...phrase]);
  }
  const known = telling.filter(isTag);
  const structured = { ...placed(places), ...tagged(known), ...named(typed(without(telling, known))) };
  const otherTags = known.flatMap((one) =>
    one.tags
      .slice(1, 2)
      .map((tag) => ({ ...structured, ...tagged(known.map((other) => (other === one ? { ...one, tags: [tag] } : other))) })),
  );
  return first([
    ...names,
    structured,
    { ...structured, ...placed(places, 1) },
    ...otherTags,
    ...phrase,
    ...(places.length > 0 ? [nameInPlace(runs)] : []),
    { ...placed(places), ...tagged(known) },
    ...(places.length > 0 && runs.every(isTag) ? [tagged(runs)] : []),
  ]);
}

// In a name there may be any word but a country or a bitrate. A name with a codec is rare enough without it.
function nameInPlace(runs: readonly Run[], part?: readonly [of: Run, letters: string]): Wanted {
  const places = partsOf(runs).places.filter((run) => run.place?.field !== "codec" && run !== part?.[0]);
  const isStrong = (run: Run): boolean => run.place?.field !== "language" && run.place?.field !== "state";
  const strong = places.filter((run) => isStrong(run) && (part === undefined || !isCorrected(run)));
  const chosen = strong.length > 0 || part !== undefined ? strong : places;
  const others = runs.filter((run) => !chosen.includes(run) && run.place?.field !== "codec");
  const telling = others.filter((run) => chosen.length === 0 || run === part?.[0] || !isFiller(run));
  const words = (telling.length > 0 ? telling : others).flatMap((run) => (run === part?.[0] ? [part[1]] : either([run])));
  return { ...placed(chosen), ...named(words) };
}

/** The requests after the first ones found too little: with parts of the mistyped word, in another order, and without the places. */
export function secondRound(runs: readonly Run[], mistyped: Run | undefined): readonly Wanted[] {
  const { places, rest, telling } = partsOf(runs);
  const letters = [...(mistyped?.words[0] ?? "")];
  const middle = Math.floor(letters.length / 2);
  // One mistake leaves at least one of these parts as it is.
  const parts = [letters.slice(0, middle), letters.slice(middle + 1)].map((part) => part.join(""));
  const withParts = mistyped === undefined ? [] : parts.map((part) => nameInPlace(runs, [mistyped, part]));
  const tagOrName = [telling.find(isTag), telling.findLast(isTag)].flatMap((run) =>
    run === undefined || rest.length < 2 ? [] : [{ ...placed(places), ...tagged([run]), ...named(typed(without(rest, [run]))) }],
  );
  const others = [
    ...(places.length > 0 ? [named(either(rest))] : []),
    ...tagOrName,
    named(typed([...runs.slice(-1), ...runs.slice(0, -1)])),
    named(typed([...runs.slice(1), ...runs.slice(0, 1)])),
  ];
  return distinct(
    mistyped?.isKnown === true && mistyped.words[0] === mistyped.meant[0] ? [...others, ...withParts] : [...withParts, ...others],
  );
}

const distinct = (requests: readonly Wanted[]): readonly Wanted[] => [
  ...new Map(
    requests.filter((wanted) => Object.keys(wanted).length > 0).map((wanted) => [JSON.stringify(wanted), wanted]),
  ).values(),
];
const first = (requests: readonly Wanted[]): readonly Wanted[] => distinct(requests).slice(0, FIRST_ROUND_MAX);

/** Whether the vocabulary has another word for it, other than a number in digits. */
export const isCorrected = ({ words, meant }: Run): boolean =>
  words.some((word, index) => word !== meant[index] && !/^\d+$/.test(meant[index] ?? ""));

/** The run that is most likely to have a typing mistake: one word that the vocabulary does not have, or corrects, or has least. */
export function mistypedRun(runs: readonly Run[], vocabulary: Vocabulary): Run | undefined {
  const rank = (run: Run): number => (!run.isKnown ? -2 : isCorrected(run) ? -1 : vocabulary.count(run.words[0] ?? ""));
  return runs
    .filter((run) => run.words.length === 1 && [...(run.words[0] ?? "")].length > 3)
    .filter((run) => run.place?.field !== "countrycode" || isCorrected(run))
    .sort((one, other) => rank(one) - rank(other))[0];
}
