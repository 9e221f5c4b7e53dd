// What a reader sees at an address of the application that no page has.
import { Heading } from "../../components/ui/Heading.tsx";

export default function AppNotFound() {
  return (
    <>
      <Heading title="There is no such page" />
      <p>
        The address may be mistyped. Start from the <a href="/app">overview</a> or the <a href="/docs">docs</a>.
      </p>
    </>
  );
}
