// The origin of a page, as browsers send it in the `Origin` header: scheme, host and, unless it is the scheme's default, port.
// https://html.spec.whatwg.org/multipage/browsers.html#ascii-serialisation-of-an-origin

// The longest origin that is accepted.
const WEB_ORIGIN_LENGTH_MAX = 100;

// Apps and extensions have their own schemes, such as `capacitor://localhost`.
const OTHER_SCHEME = /^[a-z][a-z\d+.-]*:\/\/[a-z\d](?:[a-z\d.-]*[a-z\d])?(?::\d{1,5})?$/;

/** Whether a string is an origin exactly as a browser sends it: `https://app.example.com`, and not `https://app.example.com/`. */
export function isWebOrigin(text: string): boolean {
  return (
    text.length <= WEB_ORIGIN_LENGTH_MAX &&
    (/^https?:/i.test(text) ? originOf(text) === text && !text.includes("*") : OTHER_SCHEME.test(text) && URL.canParse(text))
  );
}

/** The origin of the page with this URL; undefined if it is not the URL of a web page. */
export function originOf(url: string): string | undefined {
  const parsed = /^https?:\/\//i.test(url) && URL.canParse(url) ? new URL(url) : undefined;
  return parsed?.origin;
}
