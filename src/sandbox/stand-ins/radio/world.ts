// The countries, genres and names that the sandbox's stations are made of. The stations are invented; the countries are real.
import { DIRECTORY_NAMES } from "../../../services/radio/country/directory-names.ts";
import { CITIES, type City } from "./cities.ts";

/** A country as the directory describes its stations. */
export interface Place {
  readonly code: string;
  readonly country: string;
  /** Its number of stations, relative to the others. */
  readonly weight: number;
  readonly language: string;
  readonly languagecodes: string;
  readonly states: readonly string[];
  readonly cities: readonly City[];
}

// Code, name as the directory derives it from the code, weight, languages, their codes, regions.
type Row = readonly [string, string, number, string, string, string];

const LARGE_COUNTRIES: readonly Row[] = [
  ["US", "The United States Of America", 700, "english", "en", "California,New York,Texas,Florida,Oregon,Illinois"],
  ["DE", "Germany", 560, "german", "de", "Bayern,Berlin,Hamburg,Nordrhein-Westfalen,Hessen,Sachsen"],
  ["FR", "France", 270, "french", "fr", "Île-de-France,Bretagne,Occitanie,Provence"],
  ["GB", "The United Kingdom Of Great Britain And Northern Ireland", 210, "english", "en", "England,Scotland,Wales"],
  ["CN", "China", 200, "chinese", "zh", "Beijing,Guangdong,Sichuan"],
  ["RU", "The Russian Federation", 270, "russian", "ru", "Moscow,Saint Petersburg,Tatarstan"],
  ["MX", "Mexico", 250, "spanish", "es", "Jalisco,Nuevo León,Ciudad de México,Yucatán"],
  ["IT", "Italy", 180, "italian", "it", "Lombardia,Lazio,Sicilia,Toscana"],
  ["AU", "Australia", 170, "english", "en", "New South Wales,Victoria,Queensland,Tasmania"],
  ["GR", "Greece", 190, "greek", "el", "Attica,Crete,Central Macedonia"],
  ["BR", "Brazil", 160, "brazilian portuguese,portuguese", "pt", "São Paulo,Bahia,Paraná,Minas Gerais"],
  ["CA", "Canada", 150, "english,french", "en,fr", "Ontario,Québec,British Columbia,Alberta"],
  ["ES", "Spain", 140, "spanish", "es", "Andalucía,Madrid,Galicia"],
  ["PL", "Poland", 130, "polish", "pl", "Mazowieckie,Małopolskie,Śląskie"],
  ["IN", "India", 120, "hindi", "hi", "Kerala,Tamil Nadu,Maharashtra"],
  ["NL", "The Netherlands", 120, "dutch", "nl", "Noord-Holland,Utrecht,Gelderland"],
  ["PH", "The Philippines", 100, "english,tagalog", "en,tl", "Metro Manila,Cebu"],
  ["AR", "Argentina", 90, "spanish", "es", "Buenos Aires,Córdoba,Mendoza"],
  ["CO", "Colombia", 80, "spanish", "es", "Antioquia,Bogotá"],
  ["RO", "Romania", 80, "romanian", "ro", "București,Cluj"],
  ["CH", "Switzerland", 80, "german,french,italian", "de,fr,it", "Zürich,Bern,Ticino,Genève"],
  ["AT", "Austria", 60, "german", "de", "Wien,Tirol,Steiermark"],
  ["TR", "Türkiye", 70, "turkish", "tr", "İstanbul,Ankara,İzmir"],
  ["UA", "Ukraine", 70, "ukrainian", "uk", "Kyiv,Lviv,Odesa"],
  ["CL", "Chile", 60, "spanish", "es", "Santiago,Valparaíso"],
  ["AE", "The United Arab Emirates", 60, "arabic,english", "ar,en", "Dubai,Abu Dhabi"],
  ["HU", "Hungary", 55, "hungarian", "hu", "Budapest,Pest"],
  ["PT", "Portugal", 50, "portuguese", "pt", "Lisboa,Porto,Madeira"],
  ["BE", "Belgium", 50, "dutch,french", "nl,fr", "Vlaanderen,Wallonie"],
  ["CZ", "Czechia", 50, "czech", "cs", "Praha,Brno"],
  ["SE", "Sweden", 40, "swedish", "sv", "Stockholm,Skåne"],
  ["HR", "Croatia", 40, "croatian", "hr", "Zagreb,Istra"],
  ["JP", "Japan", 35, "japanese", "ja", "Tokyo,Osaka,Hokkaido"],
  ["ZA", "South Africa", 35, "english,afrikaans", "en,af", "Gauteng,Western Cape"],
  ["FI", "Finland", 30, "finnish", "fi", "Uusimaa,Lappi"],
  ["DK", "Denmark", 30, "danish", "da", "Hovedstaden,Midtjylland"],
  ["NO", "Norway", 30, "norwegian", "no", "Oslo,Vestland"],
  ["IE", "Ireland", 30, "english,irish", "en,ga", "Leinster,Munster"],
  ["NZ", "New Zealand", 30, "english,maori", "en,mi", "Auckland,Otago"],
  ["PE", "Peru", 50, "spanish", "es", "Lima,Cusco"],
];

const SMALL_COUNTRIES =
  "AD AF AG AL AM AO AW AZ BA BB BD BF BG BH BJ BM BO BS BW BY BZ CD CI CM CR CU CV CW CY DM DO DZ EC EE EG ET FJ FO GE GF GH GI GL GM GP GT GY HK HN HT ID IL IM IQ IR IS JE JM JO KE KG KH KR KW KZ LA LB LC LI LK LT LU LV LY MA MC MD ME MG MK ML MM MN MO MQ MT MU MV MW MY MZ NA NC NE NG NI NP OM PA PF PG PK PR PS PY QA RE RS RW SA SC SD SG SI SK SL SM SN SR SV SY TG TH TN TT TW TZ UG UY UZ VA VE VN XK YE ZM ZW";

/** All countries, those with the most stations first. */
export function places(): readonly Place[] {
  return [
    ...LARGE_COUNTRIES.map(([code, country, weight, language, languagecodes, states]) => ({
      code,
      country,
      weight,
      language,
      languagecodes,
      states: states.split(","),
      cities: CITIES.get(code) ?? [],
    })),
    ...SMALL_COUNTRIES.split(" ").map((code) => ({
      code,
      country: DIRECTORY_NAMES.get(code) ?? "",
      weight: 4,
      language: "english",
      languagecodes: "en",
      states: [],
      cities: CITIES.get(code) ?? [],
    })),
  ];
}

/** Genres, with the tags that volunteers give their stations. The most frequent come first. */
export const GENRES: readonly (readonly string[])[] = [
  ["pop", "top 40", "hits"],
  ["music", "variety", "entertainment"],
  ["news", "talk", "public radio"],
  ["rock", "classic rock", "guitar"],
  ["classical", "opera", "chamber music"],
  ["jazz", "smooth jazz", "swing", "blues"],
  ["oldies", "80s", "70s", "gold"],
  ["dance", "house", "electronic", "club"],
  ["christian", "gospel", "worship"],
  ["country", "americana", "bluegrass"],
  ["folk", "traditional", "world music"],
  ["community radio", "local news", "culture"],
  ["hip hop", "rap", "r&b", "urban"],
  ["metal", "hard rock", "progressive metal"],
  ["chillout", "lounge", "ambient", "downtempo"],
  ["latin", "salsa", "reggaeton", "cumbia"],
  ["sports", "football", "talk"],
  ["reggae", "dub", "ska"],
  ["indie", "alternative", "college radio"],
  ["kids", "audio drama", "stories"],
];

/** First parts of the stations' names. */
export const BRANDS: readonly string[] = (
  "Alpenglow,Amber,Aurora,Beacon,Blue Heron,Bonfire,Canal,Cinnamon,Cobalt,Compass,Copper,Delta,Driftwood,Ember," +
  "Fjord,Foxglove,Galaxie,Granite,Harbour,Horizonte,Indigo,Juniper,Kaleidoskop,Lantern,Lumière,Magnolia,Meridian," +
  "Mistral,Monsoon,Nordlicht,Océano,Orchard,Paprika,Quartz,Ravel,Saffron,Sirocco,Solstice,Sunrise,Tamarind,Tango," +
  "Tidewater,Tramontana,Ultramar,Velvet,Vinyl,Wildflower,Windmill,Zenith,Zephyr"
).split(",");
