// Phrases as people type them, and the stations that they mean, in the whole directory as recorded on one day. They were written before
// any result was seen. Set QUINTET_RECORDED_DATA to the folder with the recording.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Station } from "../../../gen/quintet/radio/v1/radio_pb.js";
import type { RawStation } from "../../../src/sandbox/stand-ins/radio/stations.ts";
import { seeded } from "../../../src/sandbox/stand-ins/seeded.ts";
import { parseStations } from "../../../src/services/radio/station.ts";
import { type RadioScene, startRadioScene } from "../../services/radio/radio-scene.ts";

const folder = process.env.QUINTET_RECORDED_DATA;

/**
 * Each line is a phrase and the patterns that a station must match to be meant: `n` its name and `s` its region, without case and accents,
 * `c` its country's code, `t` one of its tags, `l` its languages, `b` its bitrate, and `k` the start of its codec.
 */
const PHRASES = String.raw`
# A station's name
bbc world service | n:^bbc world service
bbc radio 4 | n:^bbc radio 4\b
bbc radio four extra | n:bbc radio 4 extra
bbc 6 music | n:^bbc radio 6 music
france culture | n:^france culture
france inter | n:^france inter
fip | n:^fip\b
swr3 | n:^swr3
wdr 5 | n:^wdr 5
1live | n:^1live
deutschlandfunk kultur | n:^deutschlandfunk kultur
deutschlandfunk nova | n:^deutschlandfunk nova
radio swiss jazz | n:^radio swiss jazz
swiss classic radio | n:^radio swiss classic
classic vinyl | n:^classic vinyl
dance wave | n:^dance wave
mango radio | n:^mango ?radio
101 smooth jazz | n:^101 smooth jazz
somafm groove salad | n:^somafm groove salad
secret agent somafm | n:^somafm secret agent
radio paradise | n:^radio paradise
radio paradise rock mix | n:^radio paradise rock mix
europa plus | n:^europa plus
rmf fm | n:^rmf fm
radio zet | n:^radio zet
radio nowy swiat | n:^radio nowy swiat
npo radio 2 | n:^npo radio 2
radio 538 | n:538
sky radio | n:^sky radio
cadena ser | n:^cadena ser
los 40 | n:^los ?40
onda cero | n:^onda cero
rac1 | n:^rac ?1
rai radio 3 | n:^rai radio 3
rtl 102.5 | n:^rtl 102[.]5
radio 105 | n:^radio 105
radio sportiva | n:^radio sportiva
antena 1 | n:^antena 1
rfm | n:^rfm
studio brussel | n:^studio brussel
talksport | n:^talksport
times radio | n:^times radio
radio caroline | n:^radio caroline
rockantenne heavy metal | n:^rock ?antenne.*heavy metal
bassdrive | n:^bassdrive
ambient sleeping pill | n:^ambient sleeping pill
adroit jazz underground | n:^adroit jazz underground
radio maria | n:^radio maria\b
mosaique fm | n:^mosaique fm
# A name and a country, or where the station is
virgin radio italia | n:virgin radio c:IT
virgin radio turkey | n:virgin radio c:TR
radio maria austria | n:radio maria c:AT
radio maria argentina | n:radio maria c:AR
classic fm uk | n:classic fm c:GB
qmusic belgium | n:q-?music c:BE
kiss fm ukraine | n:kiss fm c:UA
kiss fm romania | n:kiss fm c:RO
kiss fm españa | n:kiss fm c:ES
nrj france | n:nrj c:FR
energy wien | n:energy c:AT
antenne österreich | n:antenne c:AT
radio classique paris | n:radio classique c:FR
nova paris | n:nova c:FR
capital fm london | n:^capital c:GB
heart london | n:^heart.*london|heart s:london
rai radio 1 italy | n:^rai radio 1 c:IT
radio caracol colombia | n:caracol c:CO
mdr sachsen | n:^mdr sachsen
antenne bayern germany | n:antenne bayern c:DE
# A genre and a country
jazz france | t:jazz c:FR
jazz germany | t:jazz c:DE
rock uk | t:rock c:GB
news usa | t:news c:US
metal finland | t:metal c:FI
reggae jamaica | t:reggae c:JM
k-pop korea | t:k-?pop c:KR
pop south korea | t:pop c:KR
classical netherlands | t:classical c:NL
schlager österreich | t:schlager c:AT
folk eire | t:folk c:IE
news england | t:news c:GB
salsa colombia | t:salsa c:CO
tango argentina | t:tango c:AR
fado portugal | t:fado c:PT
techno deutschland | t:techno c:DE
oldies nederland | t:oldies c:NL
bossa nova brazil | t:bossa nova c:BR
flamenco spain | t:flamenco c:ES
# A genre and a region
rock ontario canada | t:rock s:ontario c:CA
rock ontario | t:rock s:ontario
jazz california usa | t:jazz s:california c:US
jazz california | t:jazz s:california
hits bayern germany | t:hits s:bayern|bavaria c:DE
country texas | t:country s:texas
jazz paris | t:jazz s:paris
news london | t:news s:london
jazz new york | t:jazz s:new york
pop lombardia | t:pop s:lombardia
techno berlin | t:techno s:berlin
news talk california | t:news talk s:california
christian texas | t:christian s:texas
# A genre and a language
rock english | t:rock l:english
news german | t:news l:german
german news | t:news l:german
pop spanish | t:pop l:spanish
news french | t:news l:french
news arabic | t:news l:arabic
pop russian | t:pop l:russian
news portuguese | t:news l:portuguese
rock polish | t:rock l:polish
pop italian | t:pop l:italian
classical dutch | t:classical l:dutch
news chinese | t:news l:chinese
pop deutsch | t:pop l:german
noticias español | t:noticias l:spanish
pop türkçe | t:pop l:turkish
rock magyar | t:rock l:hungarian
bollywood hindi | t:bollywood l:hindi
talk hebrew | t:talk l:hebrew
# One typing mistake, anywhere
radio paradice | n:^radio paradise
radio pradise | n:^radio paradise
raido paradise | n:^radio paradise
deutschlandfunck | n:^deutschlandfunk
eutschlandfunk | n:^deutschlandfunk
virgn radio italia | n:virgin radio c:IT
antene bayern | n:^antenne bayern
antenne bayren | n:^antenne bayern
smoth jazz | t:smooth jazz
smooth jaz | t:smooth jazz
clasical | t:classical
heavy metall | t:heavy metal
ambinet | t:ambient
technno germany | t:techno c:DE
rock gremany | t:rock c:DE
news frnace | t:news c:FR
jazz californa | t:jazz s:california
rock onatrio | t:rock s:ontario
pop spansh | t:pop l:spanish
somaf groove salad | n:^somafm groove salad
groove salat | n:groove salad
bbc wrold service | n:^bbc world service
france inetr | n:^france inter
franse culture | n:^france culture
rock antena | n:^rock ?antenne
talksprt | n:^talksport
radio carolin | n:^radio caroline
udio brussel | n:^studio brussel
studio brusel | n:^studio brussel
chilltrx | n:^chilltrax
# Without accents, or with other letters for them
musica clasica | t:m[uú]sica cl[aá]sica
turkce pop | t:pop l:turkish
cafe del mar | n:cafe del mar
radio koln | n:radio koln
radio koeln | n:radio koln
munchen | n:munchen|muenchen
muenchen | n:munchen|muenchen
oe1 | n:^o1\b
hitradio o3 | n:hitradio o3
nostalgie chansons francaises | n:nostalgie chansons francaises
cherie fm | n:^cherie fm
radio saudade | n:^radio saudade
sao paulo pop | t:pop s:s[aã]o paulo
radio karnten | n:radio karnten
# Other scripts
радио маяк | n:радио маяк
вести фм | n:вести фм
русское радио | n:русское радио
шансон | n:шансон
дорожное радио | n:дорожное радио
ретро фм | n:ретро (fm|фм)
новости россия | t:новости|news c:RU
рок | t:рок
القران الكريم | n:القران الكريم
مصر القرآن | n:القران c:EG
中国之声 | n:中国之声
凤凰卫视 | n:凤凰卫视
新闻 | n:新闻
台灣 音樂 | n:音樂 c:TW
日本 anime | t:anime c:JP
ελλάδα pop | t:pop c:GR
한국 pop | t:pop c:KR
# A bitrate, a codec or a frequency
radio swiss jazz 128 | n:^radio swiss jazz b:128
radio paradise 320 | n:radio paradise b:320
jazz 320 | t:jazz b:320
classical 320 kbps | t:classical b:320
rock 192k | t:rock b:192
ambient aac | t:ambient k:AAC
news mp3 | t:news k:MP3
deutschlandfunk opus | n:deutschlandfunk.*opus
somafm groove salad 128k aac | n:somafm groove salad.*128k aac
rythmos 94.9 | n:^rythmos 94[.]9
kaya fm 95.9 | n:^kaya fm 95[.]9
la 100 99.9 | n:^la 100
98.5 | n:98[.]5
wish 107.5 | n:^wish 107[.]5
aspen 102.3 | n:^aspen 102[.]3
radio paradise flac | n:radio paradise.*flac
עברית חדשות | n:. l:hebrew
jazz suisse | t:jazz c:CH
rock svenska | t:rock l:swedish
kiss fm berlin | n:kiss c:DE
`;

const FIELDS: Readonly<Record<string, (station: Station, pattern: string) => boolean>> = {
  n: ({ name }, pattern) => new RegExp(pattern, "u").test(folded(name)),
  s: ({ state = "" }, pattern) => new RegExp(pattern, "u").test(folded(state)),
  c: ({ countrycode }, pattern) => countrycode === pattern,
  t: ({ tags }, pattern) => tags.some((tag) => new RegExp(pattern, "u").test(tag)),
  l: ({ language = "" }, pattern) => language.includes(pattern),
  b: ({ bitrate }, pattern) => bitrate === Number(pattern),
  k: ({ codec }, pattern) => codec.startsWith(pattern),
};

const folded = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase()
    .trim();

interface Phrase {
  readonly query: string;
  readonly isMeant: (station: Station) => boolean;
}

const phrases: readonly Phrase[] = PHRASES.split("\n")
  .filter((line) => line !== "" && !line.startsWith("# "))
  .map((line) => {
    const [query = "", meant = ""] = line.split(" | ");
    const patterns = [...meant.matchAll(/([a-z]):(.*?)(?= [a-z]:|$)/g)];
    return { query, isMeant: (station) => patterns.every(([, field = "", pattern = ""]) => FIELDS[field]?.(station, pattern)) };
  });

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** The word with one typing mistake at any place: a letter missing, too many or wrong, or two swapped. */
function mistyped(word: string, random: () => number): string {
  const at = Math.floor(random() * word.length);
  const letter = LETTERS[Math.floor(random() * LETTERS.length)] ?? "";
  const [before, own, after] = [word.slice(0, at), word[at] ?? "", word.slice(at + 1)];
  const mistakes = [
    before + after,
    before + letter + own + after,
    before + letter + after,
    before + after.slice(0, 1) + own + after.slice(1),
  ];
  return mistakes[Math.floor(random() * mistakes.length)] ?? word;
}

describe.skipIf(folder === undefined)("the recorded directory (skipped unless QUINTET_RECORDED_DATA names its folder)", () => {
  let stations: readonly Station[];
  let scene: RadioScene;

  beforeAll(async () => {
    const file = join(folder ?? "", "radio", "radiobrowser-2025-04-27-stations.json.gz");
    const rows: RawStation[] = JSON.parse(gunzipSync(readFileSync(file)).toString());
    scene = await startRadioScene(rows, { mirrorCount: 1 });
    stations = parseStations(rows)
      .filter(({ broken }) => !broken)
      .sort((one, other) => other.clickcount - one.clickcount);
  });

  afterAll(() => scene?.close());

  test("a phrase finds a station that is meant first, and the most played of them on the first page", async () => {
    const [otherFirst, notFound]: [string[], string[]] = [[], []];
    let requestsMax = 0;
    await scene.client.searchStations({ query: "jazz" });
    for (const { query, isMeant } of phrases) {
      const [before = 0] = scene.counts();
      const { results } = await scene.client.searchStations({ query });
      requestsMax = Math.max(requestsMax, (scene.counts()[0] ?? 0) - before);
      const [first] = results;
      const mostPlayed = stations.find(isMeant);
      if (first === undefined || !isMeant(first)) {
        otherFirst.push(`${query}: ${first?.name}`);
      }
      if (mostPlayed === undefined || !results.some(({ url }) => url === mostPlayed.url)) {
        notFound.push(`${query}: ${mostPlayed?.name}`);
      }
    }
    const shares = { first: 1 - otherFirst.length / phrases.length, found: 1 - notFound.length / phrases.length };
    expect([phrases.length, shares.first >= 0.95, shares.found >= 0.99, otherFirst, notFound]).toEqual([
      200,
      true,
      true,
      otherFirst,
      notFound,
    ]);
    expect(requestsMax).toBeLessThanOrEqual(6);
  }, 300_000);

  test("the names of the most played stations are found with a mistake at any place of a word, also its first or last letter", async () => {
    const random = seeded(42);
    const names = new Set(stations.slice(0, 1500).map(({ name }) => folded(name)));
    const cases = [...names]
      .filter((name) => /^(?:[a-z0-9]+ ){1,3}[a-z0-9]+$/.test(name) && /[a-z]{5}/.test(name))
      .slice(0, 100)
      .map((name) => ({ name, query: name.replace(/[a-z]{5,}/, (word) => mistyped(word, random)) }));
    const notFound: string[] = [];
    for (const { name, query } of cases) {
      const { results } = await scene.client.searchStations({ query });
      if (!results.some((station) => folded(station.name) === name)) {
        notFound.push(`${query}: ${name}`);
      }
    }
    expect([cases.length, notFound.length <= 5 ? [] : notFound]).toEqual([100, []]);
  }, 300_000);
});
