// What callers of an unknown method are told.
import { expect, test } from "vitest";
import { createMethodHint } from "../../src/gateway/rpc-dispatcher.ts";

const account = "quintet.account.v1.AccountService";
const farkle = "quintet.farkle.v1.FarkleService";
const many = Array.from({ length: 10 }, (_, index) => `/${account}/Other${index}Thing`);
const hint = createMethodHint([...many, `/${account}/EndSessions`, `/${account}/ListWebhookDeliveries`, `/${farkle}/Score`]);

test.each([
  ["a misspelt method", `/${account}/EndSesions`, ` Did you mean /${account}/EndSessions?`],
  ["a misspelt service", "/quintet.farkle.v1.FarkelService/Score", ` Did you mean /${farkle}/Score?`],
  ["both misspelt", "/quintet.farkle.v2.FarkleService/score", ` Did you mean /${farkle}/Score?`],
  ["a method with a long path", `/${account}/ListWebhookDelivery`, ` Did you mean /${account}/ListWebhookDeliveries?`],
  ["another method of a service with few", `/${farkle}/Roll`, ` ${farkle} has Score.`],
  ["a method that has nothing in common with any", `/${account}/Nope`, ""],
  ["a service that has nothing in common with any", "/weather.v1.WeatherService/Score", ""],
  ["no service", "/Score", ""],
])("%s", (_, path, expected) => {
  expect(hint(path)).toBe(expected);
});
