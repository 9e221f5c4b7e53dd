// The front page: what Quintet is, and a real call of each service, with its response on the free plan.
import { FREE_OFFER_PLACEHOLDER } from "../../src/portal/free-offer.ts";
import { LIVE_CALL_PLACEHOLDERS } from "../../src/portal/live-calls.ts";
import { CodeBlock } from "../components/CodeBlock.tsx";
import { Tabs } from "../components/Tabs.tsx";
import { compactJson } from "../content/compact-json.ts";
import { explorePageOf } from "../content/explore-pages.ts";
import { exampleCall, exampleOperation, type HeroCall, heroCalls, recordedResponse } from "../content/front.ts";
import { PROMISES } from "../content/promises.ts";
import { SENTENCE_OF_SERVICES, SERVICES, type ShownService } from "../content/services.ts";
import { wireResponse } from "../content/wire.ts";
import { wireText } from "../content/wire-text.ts";
import styles from "./Front.module.css";

export function Front() {
  return (
    <>
      <section class={styles.hero}>
        <div>
          <h1>Live data, one key, your choice of protocol</h1>
          <p class={styles.lead}>{SENTENCE_OF_SERVICES}: as REST, Connect, gRPC and gRPC-Web, from one gateway.</p>
          <p class={styles.actions}>
            <a class={`${styles.primary} ${styles.visitor}`} href="/app/sign-up">
              Start free
            </a>
            <a class={`${styles.primary} ${styles.member}`} href="/app">
              Dashboard
            </a>
            <a class={styles.secondary} href="/reference">
              Browse the reference
            </a>
            <a class={styles.secondary} href="/plans">
              View plans
            </a>
          </p>
          <template data-placeholder={FREE_OFFER_PLACEHOLDER} />
        </div>
        <div class={styles.demo}>
          <Tabs
            name="service"
            label="Service"
            tabs={heroCalls().map(({ service, calls }) => ({
              title: service.title,
              content: (
                <Tabs
                  name={`protocol-${service.name}`}
                  label="Protocol"
                  tabs={calls.map((call) => ({ title: call.protocol, content: <WireExample call={call} /> }))}
                />
              ),
            }))}
          />
        </div>
      </section>
      <section class={styles.part} aria-labelledby="services">
        <h2 id="services">The services</h2>
        <div class={styles.services}>
          {SERVICES.map((service) => (
            <Service key={service.name} service={service} />
          ))}
        </div>
      </section>
      <section class={styles.part} aria-labelledby="promises">
        <h2 id="promises">What you can count on</h2>
        <dl class={styles.promises}>
          {PROMISES.map(([term, description]) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{description}</dd>
            </div>
          ))}
        </dl>
      </section>
    </>
  );
}

function WireExample({ call: { snippet, name, protocol } }: { readonly call: HeroCall }) {
  const { body, headers, trailers, status } = wireResponse(name);
  const text = wireText({
    status,
    headers: Object.entries(headers),
    body: Buffer.from(body, "base64"),
    trailers: Object.entries(trailers),
  });
  return (
    <div class={styles.wire}>
      <CodeBlock code={snippet.code} language={snippet.language} />
      <p>
        The response, as it came over the wire
        {/* Here the server puts a button that makes the call, if it has a public key. */}
        <template data-placeholder={protocol === "gRPC" ? LIVE_CALL_PLACEHOLDERS.grpc : LIVE_CALL_PLACEHOLDERS.run} />
      </p>
      <CodeBlock code={text} language="http" />
    </div>
  );
}

function Service({ service }: { readonly service: ShownService }) {
  const operation = exampleOperation(service);
  const explore = explorePageOf(service.name);
  const call = exampleCall(service);
  return (
    <article class={styles.service} data-service={service.name}>
      <h3>
        <a href={`/reference#${service.tag.toLowerCase()}`}>{service.title}</a>
      </h3>
      <p>
        {service.summary} <a href={explore?.path ?? operation.path.replace("/reference/", "/app/console/")}>Try it</a>
      </p>
      <p class={styles.source}>{service.source ? `Source: ${service.source}.` : "Computed here, without an outside source."}</p>
      <details class={styles.example}>
        <summary>
          {operation.verb} {operation.restPath}
        </summary>
        <CodeBlock code={call.snippet.code} language="bash" />
        <CodeBlock code={compactJson(recordedResponse(call))} language="http" />
        <p>
          <a href={operation.path}>Everything about {operation.name}</a>
        </p>
      </details>
    </article>
  );
}
