// The names of the classes of CSS modules.
import { expect, test } from "vitest";
import { classNameOf } from "../../../portal/build/class-names.ts";

test("a class name starts with the name of its file, and two files must not have the same name", () => {
  expect(classNameOf("main", "/site/a/Frame.module.css")).toBe("Frame_main");
  expect(classNameOf("footer", "/site/a/Frame.module.css?used")).toBe("Frame_footer");
  expect(() => classNameOf("main", "/site/b/Frame.module.css")).toThrow(
    "/site/b/Frame.module.css and /site/a/Frame.module.css have the same name",
  );
});
