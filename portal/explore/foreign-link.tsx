// A link to another site, whose URL may have been written by anyone. The host is shown next to it.

/**
 * The URL, if it may be linked to: on the web, and without a user name, which would make `known.example@other.example` look like a
 * known host.
 */
export function foreignUrl(text: string): URL | undefined {
  const url = URL.parse(text.trim());
  const isWebUrl = url !== null && /^https?:$/.test(url.protocol);
  return isWebUrl && url.hostname !== "" && url.username === "" && url.password === "" ? url : undefined;
}

/** Renders nothing if the URL may not be linked to. */
export const ForeignLink = ({ href, children }: { readonly href: string; readonly children: string }) => {
  const url = foreignUrl(href);
  return url === undefined ? null : (
    <a href={url.href} rel="noreferrer noopener" target="_blank">
      {children} (<bdi>{url.host}</bdi>)
    </a>
  );
};
