// Shown instead of a page whose script could not be loaded.
import { Button } from "../components/ui/Button.tsx";
import { Heading } from "../components/ui/Heading.tsx";
import { Notice } from "../components/ui/Notice.tsx";

export const PageFailed = () => (
  <>
    <Heading title="This page could not be loaded" />
    <Notice tone="bad">The server cannot be reached, or it was updated while this page was open.</Notice>
    <p>
      <Button onClick={() => location.reload()}>Reload</Button>
    </p>
  </>
);
