// Shown for a path of the application that has no page.
import { Heading } from "../../components/ui/Heading.tsx";

export default function AppNotFound() {
  return (
    <>
      <Heading title="Page not found" />
      <p>
        The address may be mistyped. Start from the <a href="/app">overview</a> or the <a href="/docs">docs</a>.
      </p>
    </>
  );
}
