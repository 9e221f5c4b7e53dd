// The front page: what Quintet is, and a true call of each service.
import { CodeBlock, JsonBlock } from "../components/CodeBlock.tsx";
import { Tabs } from "../components/Tabs.tsx";
import { OPERATIONS, type OperationPage } from "../content/operations.ts";
import { SERVICES, type ServicePresentation } from "../content/services.ts";
import { callOf } from "../content/snippets/call.ts";
import { shellSnippets } from "../content/snippets/shell.ts";
import { shortened } from "../content/snippets/shortened.ts";
import { explorePageOf } from "../explore/pages.ts";
import styles from "./Front.module.css";

const operationNamed = (operationId: string): OperationPage => {
  const operation = OPERATIONS.find((one) => one.operationId === operationId);
  if (operation === undefined) {
    throw new Error(`There is no operation ${operationId}`);
  }
  return operation;
};

const PROMISES = [
  ["One key, four protocols", "Every method answers as REST, Connect, gRPC and gRPC-Web on the same port. Pick one; change later."],
  [
    "Limits you can plan with",
    "A rate a second and a quota a month, both hard, both in the headers of every answer. No overage, ever.",
  ],
  ["You pay for answers", "What fails on our side is not counted. A refused call costs nothing."],
  ["Errors that say what to do", "One reason, the field it is about, and when to come back. Each has a page."],
] as const;

/** The page. */
export function Front() {
  const farkle = operationNamed("FarkleService_Score");
  return (
    <>
      <section class={styles.hero}>
        <div>
          <h1>Five data services. One key. The protocol you like.</h1>
          <p class={styles.lead}>
            Radio stations, token prices, token lists, Bitcoin valuation and Farkle scoring, behind one gateway, as REST, Connect,
            gRPC and gRPC-Web.
          </p>
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
            tabs={shellSnippets(callOf(farkle)).map(({ title, code, language }) => ({
              title,
              content: <CodeBlock code={code} language={language} />,
            }))}
          />
          <JsonBlock value={(farkle.recorded.answer as { readonly data: unknown }).data} />
        </div>
      </section>
      <section class={styles.part} aria-labelledby="services">
        <h2 id="services">The five services</h2>
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

function Service({ service }: { readonly service: ServicePresentation }) {
  const operation = operationNamed(service.example);
  const [rest] = shellSnippets(callOf(operation));
  const { data } = operation.recorded.answer as { readonly data: unknown };
  return (
    <article class={styles.service} data-service={service.name}>
      <h3>
        <a href={`/reference#${service.tag.toLowerCase()}`}>{service.title}</a>
      </h3>
      <p>
        {service.pitch} <a href={explorePageOf(service.name).path}>Try it</a>
      </p>
      <p class={styles.source}>Source: {service.source}.</p>
      <details class={styles.example}>
        <summary>
          {operation.verb} {operation.restPath}
        </summary>
        <CodeBlock code={rest?.code ?? ""} language="bash" />
        <JsonBlock value={shortened(data)} />
        <p>
          <a href={operation.path}>Everything about {operation.name}</a>
        </p>
      </details>
    </article>
  );
}
