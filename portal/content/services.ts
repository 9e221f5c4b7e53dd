// The five services as the site presents them. What an operation does and takes comes from the descriptors; here stands only what they have
// no place for.
import { SERVICE_NAMES, SERVICE_TITLES, type ServiceName } from "../../src/catalogue/service-names.ts";

/** What a service is called and shown with. */
export interface ServicePresentation {
  readonly name: ServiceName;
  readonly title: string;
  /** The name in the OpenAPI document. */
  readonly tag: string;
  /** One sentence for who has never heard of it. */
  readonly pitch: string;
  readonly source: string;
  /** The operation that shows best what it does. */
  readonly example: string;
}

const PRESENTATIONS: Readonly<Record<ServiceName, Omit<ServicePresentation, "name" | "title">>> = {
  radio: {
    tag: "Radio",
    pitch: "Search more than 50,000 internet and FM stations by name, country, language, tag, codec, bitrate or place.",
    source: "radio-browser.info, from whichever mirror answers",
    example: "RadioService_ListTopVoted",
  },
  "token-price": {
    tag: "TokenPrice",
    pitch: "Prices of crypto tokens now, at a time in the past, as a chart, as a change in percent, and as a stream.",
    source: "DefiLlama",
    example: "TokenPriceService_GetPrice",
  },
  "token-list": {
    tag: "TokenList",
    pitch: "Names, symbols, decimals and logos of tokens from five curated lists, and every address a token has on other chains.",
    source: "Uniswap, Superchain, Arbitrum, CoW Swap and Aave",
    example: "TokenListService_GetToken",
  },
  bitcoin: {
    tag: "Bitcoin",
    pitch: "Four indicators of where Bitcoin stands in its cycle, each with its inputs, its band and the day it is of.",
    source: "exchanges and blockchain.com",
    example: "BitcoinService_GetMayer",
  },
  farkle: {
    tag: "Farkle",
    pitch: "The score of a roll of Farkle: the best way to split the dice, proven for every roll there is.",
    source: "computed here",
    example: "FarkleService_Score",
  },
};

/** In the order in which the site lists them. */
export const SERVICES: readonly ServicePresentation[] = SERVICE_NAMES.map((name) => ({
  name,
  title: SERVICE_TITLES[name],
  ...PRESENTATIONS[name],
}));

const TITLES: Readonly<Record<string, string>> = { SignIn: "Sign up and sign in", Account: "Account" };

/** What the service of a tag of the OpenAPI document is called. */
export const titleOfTag = (tag: string): string => SERVICES.find((service) => service.tag === tag)?.title ?? TITLES[tag] ?? tag;
