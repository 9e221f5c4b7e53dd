// Numbers as the reader's language writes them, and the names of the services.

const NUMBER = new Intl.NumberFormat();

/** `1,234` */
export const formatNumber = (value: number): string => NUMBER.format(value);

/** `token-price` as a heading: `Token price`. */
export function serviceTitle(service: string): string {
  const words = service.replaceAll("-", " ");
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
