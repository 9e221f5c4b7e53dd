// The countries, genres and names that the sandbox's stations are made of. The stations are invented; the countries are not.

/** A country as the directory describes its stations. */
export interface Place {
  readonly code: string;
  readonly country: string;
  /** How many stations it has, against the others. */
  readonly weight: number;
  readonly language: string;
  readonly languagecodes: string;
  readonly states: readonly string[];
  /** The middle of the country; undefined where the sandbox places no station. */
  readonly centre?: { readonly lat: number; readonly lon: number };
}

// code, name as the directory derives it from the code, weight, languages, their codes, regions, latitude, longitude.
type Row = readonly [string, string, number, string, string, string, number, number];

const LARGE_COUNTRIES: readonly Row[] = [
  ["US", "The United States Of America", 700, "english", "en", "California,New York,Texas,Florida,Oregon,Illinois", 39.8, -98.6],
  ["DE", "Germany", 560, "german", "de", "Bayern,Berlin,Hamburg,Nordrhein-Westfalen,Hessen,Sachsen", 51.2, 10.4],
  ["FR", "France", 270, "french", "fr", "Île-de-France,Bretagne,Occitanie,Provence", 46.6, 2.5],
  ["GB", "The United Kingdom Of Great Britain And Northern Ireland", 210, "english", "en", "England,Scotland,Wales", 54.0, -2.5],
  ["CN", "China", 200, "chinese", "zh", "Beijing,Guangdong,Sichuan", 35.9, 104.2],
  ["RU", "The Russian Federation", 270, "russian", "ru", "Moscow,Saint Petersburg,Tatarstan", 55.8, 49.1],
  ["MX", "Mexico", 250, "spanish", "es", "Jalisco,Nuevo León,Ciudad de México,Yucatán", 23.6, -102.5],
  ["IT", "Italy", 180, "italian", "it", "Lombardia,Lazio,Sicilia,Toscana", 42.5, 12.6],
  ["AU", "Australia", 170, "english", "en", "New South Wales,Victoria,Queensland,Tasmania", -25.7, 134.5],
  ["GR", "Greece", 190, "greek", "el", "Attica,Crete,Central Macedonia", 38.3, 23.8],
  ["BR", "Brazil", 160, "brazilian portuguese,portuguese", "pt", "São Paulo,Bahia,Paraná,Minas Gerais", -10.8, -53.1],
  ["CA", "Canada", 150, "english,french", "en,fr", "Ontario,Québec,British Columbia,Alberta", 56.1, -106.3],
  ["ES", "Spain", 140, "spanish", "es", "Andalucía,Madrid,Galicia", 40.2, -3.6],
  ["PL", "Poland", 130, "polish", "pl", "Mazowieckie,Małopolskie,Śląskie", 52.1, 19.4],
  ["IN", "India", 120, "hindi", "hi", "Kerala,Tamil Nadu,Maharashtra", 22.9, 79.6],
  ["NL", "The Netherlands", 120, "dutch", "nl", "Noord-Holland,Utrecht,Gelderland", 52.2, 5.6],
  ["PH", "The Philippines", 100, "english,tagalog", "en,tl", "Metro Manila,Cebu", 12.9, 122.0],
  ["AR", "Argentina", 90, "spanish", "es", "Buenos Aires,Córdoba,Mendoza", -34.9, -64.9],
  ["CO", "Colombia", 80, "spanish", "es", "Antioquia,Bogotá", 4.1, -72.9],
  ["RO", "Romania", 80, "romanian", "ro", "București,Cluj", 45.9, 25.0],
  ["CH", "Switzerland", 80, "german,french,italian", "de,fr,it", "Zürich,Bern,Ticino,Genève", 46.8, 8.2],
  ["AT", "Austria", 60, "german", "de", "Wien,Tirol,Steiermark", 47.6, 14.1],
  ["TR", "Türkiye", 70, "turkish", "tr", "İstanbul,Ankara,İzmir", 39.1, 35.2],
  ["UA", "Ukraine", 70, "ukrainian", "uk", "Kyiv,Lviv,Odesa", 48.9, 31.4],
  ["CL", "Chile", 60, "spanish", "es", "Santiago,Valparaíso", -35.8, -71.3],
  ["AE", "The United Arab Emirates", 60, "arabic,english", "ar,en", "Dubai,Abu Dhabi", 23.9, 54.3],
  ["HU", "Hungary", 55, "hungarian", "hu", "Budapest,Pest", 47.2, 19.4],
  ["PT", "Portugal", 50, "portuguese", "pt", "Lisboa,Porto,Madeira", 39.6, -8.5],
  ["BE", "Belgium", 50, "dutch,french", "nl,fr", "Vlaanderen,Wallonie", 50.6, 4.6],
  ["CZ", "Czechia", 50, "czech", "cs", "Praha,Brno", 49.7, 15.3],
  ["SE", "Sweden", 40, "swedish", "sv", "Stockholm,Skåne", 62.8, 16.7],
  ["HR", "Croatia", 40, "croatian", "hr", "Zagreb,Istra", 45.1, 16.4],
  ["JP", "Japan", 35, "japanese", "ja", "Tokyo,Osaka,Hokkaido", 37.6, 138.0],
  ["ZA", "South Africa", 35, "english,afrikaans", "en,af", "Gauteng,Western Cape", -29.0, 25.1],
  ["FI", "Finland", 30, "finnish", "fi", "Uusimaa,Lappi", 64.5, 26.3],
  ["DK", "Denmark", 30, "danish", "da", "Hovedstaden,Midtjylland", 55.9, 10.0],
  ["NO", "Norway", 30, "norwegian", "no", "Oslo,Vestland", 64.6, 12.7],
  ["IE", "Ireland", 30, "english,irish", "en,ga", "Leinster,Munster", 53.2, -8.1],
  ["NZ", "New Zealand", 30, "english,maori", "en,mi", "Auckland,Otago", -41.8, 171.5],
  ["PE", "Peru", 50, "spanish", "es", "Lima,Cusco", -9.2, -74.4],
];

const SMALL_COUNTRIES =
  "AD AF AG AL AM AO AW AZ BA BB BD BF BG BH BJ BM BO BS BW BY BZ CD CI CM CR CU CV CW CY DM DO DZ EC EE EG ET FJ FO GE GF GH GI GL GM GP GT GY HK HN HT ID IL IM IQ IR IS JE JM JO KE KG KH KR KW KZ LA LB LC LI LK LT LU LV LY MA MC MD ME MG MK ML MM MN MO MQ MT MU MV MW MY MZ NA NC NE NG NI NP OM PA PF PG PK PR PS PY QA RE RS RW SA SC SD SG SI SK SL SM SN SR SV SY TG TH TN TT TW TZ UG UY UZ VA VE VN XK YE ZM ZW";

/** All countries, the ones with the most stations first. */
export function places(): readonly Place[] {
  // The directory, too, derives the name from the code.
  const names = new Intl.DisplayNames("en", { type: "region" });
  return [
    ...LARGE_COUNTRIES.map(([code, country, weight, language, languagecodes, states, lat, lon]) => ({
      code,
      country,
      weight,
      language,
      languagecodes,
      states: states.split(","),
      centre: { lat, lon },
    })),
    ...SMALL_COUNTRIES.split(" ").map((code) => ({
      code,
      country: names.of(code) ?? "",
      weight: 4,
      language: "english",
      languagecodes: "en",
      states: [],
    })),
  ];
}

/** Genres, with the tags that volunteers give their stations. The first ones are the most frequent. */
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
export const BRANDS: readonly string[] = [
  "Alpenglow",
  "Amber",
  "Aurora",
  "Beacon",
  "Blue Heron",
  "Bonfire",
  "Canal",
  "Cinnamon",
  "Cobalt",
  "Compass",
  "Copper",
  "Delta",
  "Driftwood",
  "Ember",
  "Fjord",
  "Foxglove",
  "Galaxie",
  "Granite",
  "Harbour",
  "Horizonte",
  "Indigo",
  "Juniper",
  "Kaleidoskop",
  "Lantern",
  "Lumière",
  "Magnolia",
  "Meridian",
  "Mistral",
  "Monsoon",
  "Nordlicht",
  "Océano",
  "Orchard",
  "Paprika",
  "Quartz",
  "Ravel",
  "Saffron",
  "Sirocco",
  "Solstice",
  "Sunrise",
  "Tamarind",
  "Tango",
  "Tidewater",
  "Tramontana",
  "Ultramar",
  "Velvet",
  "Vinyl",
  "Wildflower",
  "Windmill",
  "Zenith",
  "Zephyr",
];
