// The countries, genres and names that the sandbox's stations are made of. The stations are invented; the countries are real.
import { DIRECTORY_NAMES } from "../../../services/radio/country/directory-names.ts";

// The locations of the sandbox's stations: real cities, as degrees north and east. Large countries have several, each with the
// state that the directory would name; the others have their capital.
interface City {
  /** As spelled in the `states` of world.ts; empty for a country that has no states there. */
  readonly state: string;
  readonly lat: number;
  readonly lon: number;
}

// State, latitude, longitude, and the city.
const CITIES_OF_LARGE_COUNTRIES: Readonly<Record<string, string>> = {
  US:
    "California 34.0522 -118.2437 Los Angeles; California 37.7749 -122.4194 San Francisco; New York 40.7128 -74.006 New York; " +
    "New York 42.8864 -78.8784 Buffalo; Texas 29.7604 -95.3698 Houston; Texas 32.7767 -96.797 Dallas; Texas 30.2672 -97.7431 Austin; " +
    "Florida 25.7617 -80.1918 Miami; Florida 27.9506 -82.4572 Tampa; Oregon 45.5152 -122.6784 Portland; Illinois 41.8781 -87.6298 Chicago; " +
    "Illinois 39.7817 -89.6501 Springfield",
  DE:
    "Bayern 48.1351 11.582 München; Bayern 49.4521 11.0767 Nürnberg; Berlin 52.52 13.405 Berlin; Hamburg 53.5511 9.9937 Hamburg; " +
    "Nordrhein-Westfalen 50.9375 6.9603 Köln; Nordrhein-Westfalen 51.5136 7.4653 Dortmund; Hessen 50.1109 8.6821 Frankfurt; " +
    "Sachsen 51.3397 12.3731 Leipzig; Sachsen 51.0504 13.7373 Dresden",
  FR:
    "Île-de-France 48.8566 2.3522 Paris; Bretagne 48.1173 -1.6778 Rennes; Bretagne 48.3904 -4.4861 Brest; Occitanie 43.6047 1.4442 Toulouse; " +
    "Occitanie 43.6108 3.8767 Montpellier; Provence 43.2965 5.3698 Marseille; Provence 43.7102 7.262 Nice",
  GB:
    "England 51.5074 -0.1278 London; England 53.4808 -2.2426 Manchester; England 52.4862 -1.8904 Birmingham; Scotland 55.9533 -3.1883 Edinburgh; " +
    "Scotland 55.8642 -4.2518 Glasgow; Wales 51.4816 -3.1791 Cardiff",
  CN: "Beijing 39.9042 116.4074 Beijing; Guangdong 23.1291 113.2644 Guangzhou; Guangdong 22.5431 114.0579 Shenzhen; Sichuan 30.5728 104.0668 Chengdu",
  RU: "Moscow 55.7558 37.6173 Moscow; Saint Petersburg 59.9311 30.3609 Saint Petersburg; Tatarstan 55.7887 49.1221 Kazan",
  MX:
    "Jalisco 20.6597 -103.3496 Guadalajara; Nuevo León 25.6866 -100.3161 Monterrey; Ciudad de México 19.4326 -99.1332 Ciudad de México; " +
    "Yucatán 20.9674 -89.5926 Mérida",
  IT:
    "Lombardia 45.4642 9.19 Milano; Lombardia 45.5416 10.2118 Brescia; Lazio 41.9028 12.4964 Roma; Sicilia 38.1157 13.3615 Palermo; " +
    "Sicilia 37.5079 15.083 Catania; Toscana 43.7696 11.2558 Firenze",
  AU:
    "New South Wales -33.8688 151.2093 Sydney; Victoria -37.8136 144.9631 Melbourne; Queensland -27.4698 153.0251 Brisbane; " +
    "Queensland -16.9186 145.7781 Cairns; Tasmania -42.8821 147.3272 Hobart",
  GR: "Attica 37.9838 23.7275 Athens; Crete 35.3387 25.1442 Heraklion; Central Macedonia 40.6401 22.9444 Thessaloniki",
  BR:
    "São Paulo -23.5505 -46.6333 São Paulo; São Paulo -22.9099 -47.0626 Campinas; Bahia -12.9777 -38.5016 Salvador; " +
    "Paraná -25.4284 -49.2733 Curitiba; Minas Gerais -19.9167 -43.9345 Belo Horizonte",
  CA:
    "Ontario 43.6532 -79.3832 Toronto; Ontario 45.4215 -75.6972 Ottawa; Québec 45.5019 -73.5674 Montréal; Québec 46.8139 -71.208 Québec; " +
    "British Columbia 49.2827 -123.1207 Vancouver; Alberta 51.0447 -114.0719 Calgary; Alberta 53.5461 -113.4938 Edmonton",
  ES:
    "Andalucía 37.3891 -5.9845 Sevilla; Andalucía 36.7213 -4.4214 Málaga; Madrid 40.4168 -3.7038 Madrid; Galicia 42.8782 -8.5448 Santiago; " +
    "Galicia 43.3623 -8.4115 A Coruña",
  PL: "Mazowieckie 52.2297 21.0122 Warszawa; Małopolskie 50.0647 19.945 Kraków; Śląskie 50.2649 19.0238 Katowice",
  IN:
    "Kerala 9.9312 76.2673 Kochi; Kerala 8.5241 76.9366 Thiruvananthapuram; Tamil Nadu 13.0827 80.2707 Chennai; Maharashtra 19.076 72.8777 Mumbai; " +
    "Maharashtra 18.5204 73.8567 Pune",
  NL: "Noord-Holland 52.3676 4.9041 Amsterdam; Utrecht 52.0907 5.1214 Utrecht; Gelderland 51.9851 5.8987 Arnhem",
  PH: "Metro Manila 14.5995 120.9842 Manila; Metro Manila 14.676 121.0437 Quezon City; Cebu 10.3157 123.8854 Cebu",
  AR: "Buenos Aires -34.6037 -58.3816 Buenos Aires; Buenos Aires -38.0055 -57.5426 Mar del Plata; Córdoba -31.4201 -64.1888 Córdoba",
  CO: "Antioquia 6.2442 -75.5812 Medellín; Bogotá 4.711 -74.0721 Bogotá",
  RO: "București 44.4268 26.1025 București; Cluj 46.7712 23.6236 Cluj-Napoca",
  CH: "Zürich 47.3769 8.5417 Zürich; Bern 46.948 7.4474 Bern; Ticino 46.0037 8.9511 Lugano; Genève 46.2044 6.1432 Genève",
  AT: "Wien 48.2082 16.3738 Wien; Tirol 47.2692 11.4041 Innsbruck; Steiermark 47.0707 15.4395 Graz",
  TR: "İstanbul 41.0082 28.9784 İstanbul; Ankara 39.9334 32.8597 Ankara; İzmir 38.4237 27.1428 İzmir",
  UA: "Kyiv 50.4501 30.5234 Kyiv; Lviv 49.8397 24.0297 Lviv; Odesa 46.4825 30.7233 Odesa",
  CL: "Santiago -33.4489 -70.6693 Santiago; Valparaíso -33.0472 -71.6127 Valparaíso",
  AE: "Dubai 25.2048 55.2708 Dubai; Abu Dhabi 24.4539 54.3773 Abu Dhabi",
  HU: "Budapest 47.4979 19.0402 Budapest; Pest 47.5964 19.355 Gödöllő",
  PT: "Lisboa 38.7223 -9.1393 Lisboa; Porto 41.1579 -8.6291 Porto; Madeira 32.6669 -16.9241 Funchal",
  BE: "Vlaanderen 51.2194 4.4025 Antwerpen; Vlaanderen 51.0543 3.7174 Gent; Wallonie 50.6326 5.5797 Liège; Wallonie 50.4108 4.4446 Charleroi",
  CZ: "Praha 50.0755 14.4378 Praha; Brno 49.1951 16.6068 Brno",
  SE: "Stockholm 59.3293 18.0686 Stockholm; Skåne 55.605 13.0038 Malmö",
  HR: "Zagreb 45.815 15.9819 Zagreb; Istra 44.8666 13.8496 Pula",
  JP: "Tokyo 35.6762 139.6503 Tokyo; Osaka 34.6937 135.5023 Osaka; Hokkaido 43.0618 141.3545 Sapporo",
  ZA: "Gauteng -26.2041 28.0473 Johannesburg; Gauteng -25.7479 28.2293 Pretoria; Western Cape -33.9249 18.4241 Cape Town",
  FI: "Uusimaa 60.1699 24.9384 Helsinki; Lappi 66.5039 25.7294 Rovaniemi",
  DK: "Hovedstaden 55.6761 12.5683 København; Midtjylland 56.1629 10.2039 Aarhus",
  NO: "Oslo 59.9139 10.7522 Oslo; Vestland 60.3913 5.3221 Bergen",
  IE: "Leinster 53.3498 -6.2603 Dublin; Munster 51.8985 -8.4756 Cork",
  NZ: "Auckland -36.8509 174.7645 Auckland; Otago -45.8788 170.5028 Dunedin",
  PE: "Lima -12.0464 -77.0428 Lima; Cusco -13.532 -71.9675 Cusco",
};

// Capitals, to a hundredth of a degree.
const CAPITALS =
  "AD 42.51 1.52,AF 34.53 69.17,AG 17.12 -61.85,AL 41.33 19.82,AM 40.18 44.51,AO -8.84 13.23,AW 12.52 -70.03,AZ 40.41 49.87,BA 43.86 18.41," +
  "BB 13.1 -59.62,BD 23.81 90.41,BF 12.37 -1.52,BG 42.7 23.32,BH 26.23 50.59,BJ 6.5 2.63,BM 32.29 -64.78,BO -16.49 -68.12,BS 25.05 -77.36," +
  "BW -24.65 25.91,BY 53.9 27.56,BZ 17.25 -88.77,CD -4.32 15.31,CI 6.83 -5.29,CM 3.85 11.5,CR 9.93 -84.09,CU 23.11 -82.37,CV 14.93 -23.51," +
  "CW 12.11 -68.93,CY 35.19 33.38,DM 15.31 -61.38,DO 18.49 -69.93,DZ 36.75 3.06,EC -0.18 -78.47,EE 59.44 24.75,EG 30.04 31.24,ET 9.03 38.74," +
  "FJ -18.14 178.44,FO 62.01 -6.77,GE 41.72 44.79,GF 4.92 -52.31,GH 5.6 -0.19,GI 36.14 -5.35,GL 64.18 -51.74,GM 13.45 -16.58,GP 16 -61.73," +
  "GT 14.63 -90.51,GY 6.8 -58.16,HK 22.32 114.17,HN 14.07 -87.19,HT 18.59 -72.31,ID -6.21 106.85,IL 31.77 35.21,IM 54.15 -4.48,IQ 33.31 44.37," +
  "IR 35.69 51.39,IS 64.15 -21.94,JE 49.19 -2.11,JM 18.02 -76.8,JO 31.95 35.93,KE -1.29 36.82,KG 42.87 74.59,KH 11.56 104.92,KR 37.57 126.98," +
  "KW 29.38 47.98,KZ 51.17 71.43,LA 17.98 102.63,LB 33.89 35.5,LC 14.01 -60.99,LI 47.14 9.52,LK 6.93 79.85,LT 54.69 25.28,LU 49.61 6.13," +
  "LV 56.95 24.11,LY 32.89 13.19,MA 34.02 -6.84,MC 43.73 7.42,MD 47.01 28.86,ME 42.44 19.26,MG -18.88 47.51,MK 42 21.43,ML 12.64 -8," +
  "MM 19.76 96.08,MN 47.89 106.91,MO 22.2 113.54,MQ 14.62 -61.06,MT 35.9 14.51,MU -20.16 57.5,MV 4.18 73.51,MW -13.96 33.77,MY 3.14 101.69," +
  "MZ -25.97 32.57,NA -22.56 17.08,NC -22.27 166.44,NE 13.51 2.13,NG 9.08 7.4,NI 12.11 -86.24,NP 27.72 85.32,OM 23.59 58.41,PA 8.98 -79.52," +
  "PF -17.54 -149.57,PG -9.44 147.18,PK 33.68 73.05,PR 18.47 -66.11,PS 31.9 35.2,PY -25.26 -57.58,QA 25.29 51.53,RE -20.88 55.45,RS 44.79 20.45," +
  "RW -1.94 30.06,SA 24.71 46.68,SC -4.62 55.45,SD 15.5 32.56,SG 1.35 103.82,SI 46.06 14.51,SK 48.15 17.11,SL 8.47 -13.23,SM 43.94 12.45," +
  "SN 14.72 -17.47,SR 5.85 -55.2,SV 13.69 -89.22,SY 33.51 36.28,TG 6.17 1.23,TH 13.76 100.5,TN 36.81 10.18,TT 10.65 -61.5,TW 25.03 121.57," +
  "TZ -6.16 35.75,UG 0.35 32.58,UY -34.9 -56.16,UZ 41.3 69.24,VA 41.9 12.45,VE 10.48 -66.9,VN 21.03 105.85,XK 42.66 21.17,YE 15.37 44.19," +
  "ZM -15.39 28.32,ZW -17.83 31.05";

/** The cities of each country, by its code. */
const CITIES: ReadonlyMap<string, readonly City[]> = new Map<string, readonly City[]>([
  ...Object.entries(CITIES_OF_LARGE_COUNTRIES).map(([code, text]) => [code, text.split("; ").map(cityOf)] as const),
  ...CAPITALS.split(",").map((text) => {
    const [code = "", lat, lon] = text.split(" ");
    return [code, [{ state: "", lat: Number(lat), lon: Number(lon) }]] as const;
  }),
]);

function cityOf(text: string): City {
  const [, state = "", lat, lon] = /^(\D+) (-?[\d.]+) (-?[\d.]+) \D+$/.exec(text) ?? [];
  return { state, lat: Number(lat), lon: Number(lon) };
}

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
