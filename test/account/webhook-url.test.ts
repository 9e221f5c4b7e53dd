// Which URLs a webhook may go to.
import { describe, expect, test } from "vitest";
import { webhookUrlFault } from "../../src/account/webhook-url.ts";

const faultOf = (url: string, allowsPrivate = false) => webhookUrlFault(url, { allowsPrivate });
const NOT_HTTPS = "must be an https URL, such as https://example.com/webhooks";
const UNSEEN = "must not contain spaces or control characters";
const PRIVATE = "must name a host on the public internet";

describe("outside a sandbox", () => {
  test.each([
    "https://example.com",
    "https://example.com:8443/hooks?token=1",
    "https://93.184.215.14/",
    "https://münchen.example/",
  ])("%s is allowed", (url) => expect(faultOf(url)).toBeUndefined());

  test.each([
    ["", NOT_HTTPS],
    [" https://example.com/", UNSEEN],
    ["https://example.com/\u0000", UNSEEN],
    ["https://exam\nple.com/", UNSEEN],
    ["https://example.com/\u202emoc.live", UNSEEN],
    ["example.com/hooks", NOT_HTTPS],
    ["http://example.com/", NOT_HTTPS],
    ["ftp://example.com/", NOT_HTTPS],
    ["https://", NOT_HTTPS],
    ["https://ada:secret@example.com/", "must not contain a user name or password; requests are signed instead"],
    ["https://example.com/#top", "must not have a fragment: leave out # and what follows it"],
    ["https://localhost/", PRIVATE],
    ["https://api.localhost./", PRIVATE],
    ["https://127.0.0.1/", PRIVATE],
    ["https://2130706433/", PRIVATE],
    ["https://0x7f000001/", PRIVATE],
    ["https://192.168.0.1/", PRIVATE],
    ["https://169.254.169.254/latest/meta-data", PRIVATE],
    ["https://[::1]/", PRIVATE],
    ["https://[::ffff:7f00:1]/", PRIVATE],
    ["https://[fd00::1]/", PRIVATE],
  ])("%s is not allowed", (url, fault) => expect(faultOf(url)).toBe(fault));
});

describe("where private addresses are allowed", () => {
  test.each(["http://127.0.0.1:3000/hooks", "http://localhost/", "https://10.0.0.1/"])("%s is allowed", (url) =>
    expect(faultOf(url, true)).toBeUndefined(),
  );

  test("other schemes are not", () => {
    expect(faultOf("ftp://127.0.0.1/", true)).toBe("must be an https or http URL, such as https://example.com/webhooks");
  });
});
