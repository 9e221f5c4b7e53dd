// The examples name a server on the reader's own machine. This makes them name the server that the page came from.
const EXAMPLE_ORIGIN = "http://127.0.0.1:8080";
const EXAMPLE_HOST = "127.0.0.1:8080";

/** Replaces the example's address in all text of the blocks with that of the page. */
export function putOwnAddress(blocks: Iterable<Element>, { origin, host }: Location): void {
  for (const block of blocks) {
    const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (node.nodeValue?.includes(EXAMPLE_HOST)) {
        node.nodeValue = node.nodeValue.replaceAll(EXAMPLE_ORIGIN, origin).replaceAll(EXAMPLE_HOST, host);
      }
    }
  }
}
