// The front page: what Quintet is, and a real call of each service, with its response on the free plan.
import { CodeBlock, JsonBlock } from "../components/CodeBlock.tsx";
import { Tabs } from "../components/Tabs.tsx";
import { exampleCall, exampleOperation, heroCalls, recordedResponse } from "../content/front.ts";
import { PROMISES } from "../content/promises.ts";
import { SERVICES, type ShownService, TITLES_OF_SERVICES } from "../content/services.ts";
import { explorePageOf } from "../explore/pages.ts";
import styles from "./Front.module.css";

/** The page. */
export function Front() {
  return (
    <>
      <section class={styles.hero}>
        <div>
          <h1>One gateway. One key. The protocol you like.</h1>
          <p class={styles.lead}>{TITLES_OF_SERVICES}. All behind one gateway, as REST, Connect, gRPC and gRPC-Web.</p>
          <p class={styles.actions}>
            <a class={styles.primary} href="/app/sign-up">
              Get a key
            </a>
            <a class={styles.secondary} href="/reference">
              Browse the reference
            </a>
            <a class={styles.secondary} href="/plans">
              See the plans
            </a>
          </p>
        </div>
        <div class={styles.demo}>
          <Tabs
            name="hero"
            label="Protocol"
            tabs={heroCalls().map((call) => ({
              title: call.snippet.title,
              content: (
                <>
                  <CodeBlock code={call.snippet.code} language={call.snippet.language} />
                  <div class={styles.response}>
                    <JsonBlock value={recordedResponse(call)} />
                  </div>
                </>
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
          {PROMISES.map(([term, words]) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{words}</dd>
            </div>
          ))}
        </dl>
      </section>
    </>
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
      <p class={styles.source}>Source: {service.source || "computed here"}.</p>
      <details class={styles.example}>
        <summary>
          {operation.verb} {operation.restPath}
        </summary>
        <CodeBlock code={call.snippet.code} language="bash" />
        <JsonBlock value={recordedResponse(call)} />
        <p>
          <a href={operation.path}>Everything about {operation.name}</a>
        </p>
      </details>
    </article>
  );
}
