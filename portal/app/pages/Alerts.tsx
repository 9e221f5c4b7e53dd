// The account's alerts, and where they are sent: webhooks and e-mail.
import { useLocation } from "preact-iso";
import { AccountService } from "../../../gen/quintet/account/v1/account_pb.js";
import type { ListAlertsResponse } from "../../../gen/quintet/account/v1/alert_pb.js";
import { MemberRole } from "../../../gen/quintet/account/v1/member_pb.js";
import { WebhookService } from "../../../gen/quintet/account/v1/webhook_pb.js";
import { useQuery } from "../../api/use-query.ts";
import { ButtonLink } from "../../components/ui/Button.tsx";
import { EmptyState } from "../../components/ui/EmptyState.tsx";
import { Heading } from "../../components/ui/Heading.tsx";
import { Loaded } from "../../components/ui/Loaded.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import { Table } from "../../components/ui/Table.tsx";
import { DateTime } from "../../components/ui/Time.tsx";
import { RoleNote } from "../RoleNote.tsx";
import { useHasRole } from "../role.ts";
import styles from "./Account.module.css";
import pageStyles from "./Alerts.module.css";
import { alertText } from "./alerts/alert-text.ts";
import { MailForm } from "./alerts/MailForm.tsx";
import { WebhookSection } from "./alerts/WebhookSection.tsx";

const PAGE_ALERTS = 25;

export default function AlertsPage() {
  const { offset = "0" } = useLocation().query;
  const first = /^\d{1,5}$/.test(offset) ? Math.min(Number(offset), 10_000) : 0;
  const account = useQuery(AccountService.method.getAccount, {});
  const alerts = useQuery(AccountService.method.listAlerts, { limit: PAGE_ALERTS, offset: first });
  const endpoints = useQuery(WebhookService.method.listWebhookEndpoints, {});
  // The account that came with a new session has no settings yet.
  const isWaiting =
    (account.data?.settings === undefined && account.problem === undefined) ||
    (endpoints.data === undefined && endpoints.problem === undefined);
  // All parts are shown together, so that nothing moves when a later response arrives.
  const all = isWaiting ? { ...alerts, data: undefined } : alerts;
  const { account: own, settings, sendsMail = false } = account.data ?? {};
  const mayChange = useHasRole(MemberRole.DEVELOPER);
  const isShared = own?.role !== undefined;
  return (
    <>
      <Heading title="Alerts" lead="What needs your attention: quotas running out, keys about to expire, calls that fail." />
      <RoleNote needs={MemberRole.DEVELOPER} what="change webhooks, or choose which alerts are sent by e-mail" />
      <Loaded query={all} rem={32}>
        {(page) => (
          <>
            {page.results.length === 0 ? (
              <EmptyState title={first === 0 ? "No alerts" : "No older alerts"}>
                <p>
                  You get an alert when half of a monthly quota is used, when a key is about to expire, or when calls suddenly fail.
                </p>
              </EmptyState>
            ) : (
              <AlertList page={page} first={first} />
            )}
            <section id="webhooks" class={pageStyles.webhooks}>
              <h2>Webhooks</h2>
              {endpoints.problem !== undefined && <Notice tone="bad">{endpoints.problem.message}</Notice>}
              {endpoints.data !== undefined && <WebhookSection endpoints={endpoints.data.results} mayChange={mayChange} />}
            </section>
            {mayChange && (
              <section class={styles.section}>
                <h2>E-mail</h2>
                <MailForm
                  mailed={settings?.alerts?.mailed ?? []}
                  problem={account.problem}
                  // Only the primary owner of an account can verify its address.
                  {...{ email: own?.email, isVerified: isShared || own?.emailVerifiedAt !== undefined, sendsMail }}
                />
              </section>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

function AlertList({ page: { results, nextOffset }, first }: { readonly page: ListAlertsResponse; readonly first: number }) {
  return (
    <>
      <Table
        label="Alerts, newest first"
        stacks
        columns={[{ heading: "Time" }, { heading: "Alert" }, { heading: "What to do" }]}
        rows={results.map((alert) => {
          const { what, todo, path } = alertText(alert);
          return {
            key: alert.id,
            cells: [
              alert.createdAt && <DateTime key="at" at={alert.createdAt} />,
              what,
              <a key="todo" href={path}>
                {todo}
              </a>,
            ],
          };
        })}
      />
      <p>
        {first > 0 && <ButtonLink href={`/app/alerts?offset=${Math.max(0, first - PAGE_ALERTS)}`}>Newer</ButtonLink>}{" "}
        {nextOffset !== undefined && <ButtonLink href={`/app/alerts?offset=${nextOffset}`}>Older</ButtonLink>}
      </p>
    </>
  );
}
