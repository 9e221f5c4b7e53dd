// `quintet incident`: announces incidents and maintenance, on the status page.
import { type Command, Option } from "commander";
import { addIncidentUpdate, createIncident, editIncidentUpdate, noUpdate, updateIncident } from "../account/incidents.ts";
import { SERVICE_NAMES, type ServiceName } from "../catalogue/service-names.ts";
import {
  INCIDENT_UPDATES_MAX,
  type Incident,
  type IncidentImpact,
  type IncidentState,
  incidentStateAt,
} from "../store/incident-records.ts";
import type { AdminStore } from "../store/store.ts";
import { parseCount, parsePastTime, parseServices, parseTime } from "./arguments.ts";
import { CommandRefused } from "./command-refused.ts";
import type { CommandContext } from "./context.ts";
import { incidentDocument } from "./documents.ts";
import { examples, type JsonOption, jsonOption } from "./help.ts";
import { json, minute, table } from "./output.ts";

const IMPACTS: readonly IncidentImpact[] = ["degraded", "partial_outage", "major_outage"];
const STATES: readonly IncidentState[] = ["investigating", "identified", "monitoring", "resolved"];
const UPDATE_STATES: readonly IncidentState[] = [...STATES, "in_progress", "completed"];
const EXAMPLE_ID = "7d0c2f4e-5a1b-4c3d-8e9f-0a1b2c3d4e5f";

const NOTES = `
Everybody sees what you write here, on every server within a minute: at the top of /status while the incident is open, and further down for 90 days
after it has ended. It is plain text.
`;

interface CreateOptions extends JsonOption {
  readonly title: string;
  readonly text: string;
  readonly impact: IncidentImpact;
  readonly services?: readonly ServiceName[];
  readonly state?: IncidentState;
  readonly begins?: number;
  readonly ends?: number;
}

type EditOptions = Partial<Omit<CreateOptions, "text" | "state">>;

export function addIncidentCommands(program: Command, context: CommandContext): void {
  const incident = program.command("incident").description("Announce incidents and maintenance, on /status.");
  addCreate(incident, context);
  addSchedule(incident, context);
  addUpdate(incident, context);
  addResolve(incident, context);
  addEdit(incident, context);
  addEditUpdate(incident, context);
  addList(incident, context);
  addDelete(incident, context);
}

const titleOption = (): Option => new Option("--title <text>", "what it is, in a few words: 1 to 100 characters");
const textOption = (): Option => new Option("--text <text>", "what is known: 1 to 1000 characters").makeOptionMandatory();
const impactOption = (): Option => new Option("--impact <impact>", "how it affects the services").choices(IMPACTS);
const servicesOption = (defaultText: string): Option =>
  new Option("--services <names>", `the affected services, separated by commas, or all; ${defaultText}`).argParser((text) =>
    text === "all" ? [] : parseServices(text),
  );

function addCreate(incident: Command, context: CommandContext): void {
  const { clock, randomness } = context;
  incident
    .command("create")
    .description("Announce an incident.")
    .addOption(titleOption().makeOptionMandatory())
    .addOption(textOption())
    .addOption(impactOption().makeOptionMandatory())
    .addOption(servicesOption("all by default"))
    .addOption(new Option("--state <state>", "its state; investigating by default").choices(STATES))
    .addOption(
      new Option("--begins <when>", "when it started: 90m for 90 minutes ago, or 2026-11-21T03:00Z; now by default").argParser(
        (text) => parsePastTime(text, clock.nowMs()),
      ),
    )
    .addOption(jsonOption())
    .addHelpText(
      "after",
      NOTES +
        examples('quintet incident create --title "Searches are slow" --impact degraded --services radio --text "A mirror fails."'),
    )
    .action(async ({ json: asJson, begins, services = [], ...input }: CreateOptions) => {
      const created = await context.withStore((store) =>
        createIncident({ store, clock, randomness }, { ...input, services, beginsAtMs: begins }),
      );
      print(context, created, asJson, "will be on /status within a minute");
    });
}

function addSchedule(incident: Command, context: CommandContext): void {
  const { clock, randomness } = context;
  const moment = (flags: string, description: string): Option =>
    new Option(flags, description).argParser((text) => parseTime(text, clock.nowMs())).makeOptionMandatory();
  incident
    .command("schedule")
    .description("Announce maintenance. It begins and ends automatically at the times that you give.")
    .addOption(titleOption().makeOptionMandatory())
    .addOption(textOption())
    .addOption(moment("--begins <when>", "when it will begin: how long from now (2d, 12h) or when (2026-12-01T03:00Z)"))
    .addOption(moment("--ends <when>", "when it will end, at most 7 days later"))
    .addOption(servicesOption("all by default"))
    .addOption(jsonOption())
    .addHelpText(
      "after",
      NOTES +
        examples(
          'quintet incident schedule --title "New database" --begins 2026-12-01T03:00Z --ends 2026-12-01T04:00Z --text "Calls may fail for a minute."',
        ),
    )
    .action(async ({ json: asJson, begins, ends, services = [], title, text }: CreateOptions) => {
      const input = { title, text, services, impact: "maintenance", beginsAtMs: begins, endsAtMs: ends } as const;
      const created = await context.withStore((store) => createIncident({ store, clock, randomness }, input));
      print(context, created, asJson, "will be on /status within a minute");
    });
}

function addUpdate(incident: Command, context: CommandContext): void {
  incident
    .command("update")
    .description("Add an update to an incident or maintenance.")
    .argument("<incident>", "its id")
    .addOption(textOption())
    .addOption(new Option("--state <state>", "its new state; unchanged by default").choices(UPDATE_STATES))
    .addOption(jsonOption())
    .addHelpText("after", examples(`quintet incident update ${EXAMPLE_ID} --state identified --text "A mirror is down."`))
    .action(async (id: string, { state, text, json: asJson }: { text: string; state?: IncidentState } & JsonOption) => {
      const changed = await context.withStore(async (store) =>
        addIncidentUpdate({ store, clock: context.clock }, await requireIncident(store, id), { state, text }),
      );
      print(context, changed, asJson, `is now: ${words(incidentStateAt(changed, context.clock.nowMs()))}`);
    });
}

function addResolve(incident: Command, context: CommandContext): void {
  incident
    .command("resolve")
    .description("Mark an incident or maintenance as over.")
    .argument("<incident>", "its id")
    .addOption(textOption())
    .addOption(jsonOption())
    .addHelpText("after", examples(`quintet incident resolve ${EXAMPLE_ID} --text "The mirror is back."`))
    .action(async (id: string, { text, json: asJson }: { text: string } & JsonOption) => {
      const changed = await context.withStore(async (store) => {
        const found = await requireIncident(store, id);
        const state = found.impact === "maintenance" ? "completed" : "resolved";
        return addIncidentUpdate({ store, clock: context.clock }, found, { state, text });
      });
      print(context, changed, asJson, "is over; it stays on /status for 90 days");
    });
}

function addEdit(incident: Command, context: CommandContext): void {
  const { clock } = context;
  const moment = (text: string): number => parseTime(text, clock.nowMs());
  incident
    .command("edit")
    .description("Correct the details of an incident or maintenance.")
    .argument("<incident>", "its id")
    .addOption(titleOption())
    .addOption(impactOption())
    .addOption(servicesOption("unchanged by default"))
    .addOption(new Option("--begins <when>", "when it started or will begin, such as 2026-12-01T03:00Z").argParser(moment))
    .addOption(new Option("--ends <when>", "when the maintenance will end").argParser(moment))
    .addOption(jsonOption())
    .addHelpText("after", examples(`quintet incident edit ${EXAMPLE_ID} --impact major_outage --services all`))
    .action(async (id: string, { json: asJson, begins, ends, ...changes }: EditOptions) => {
      if (begins === undefined && ends === undefined && Object.keys(changes).length === 0) {
        throw new CommandRefused("usage", "Say what to correct, such as --impact major_outage.");
      }
      const given = { ...changes, beginsAtMs: begins, endsAtMs: ends };
      const changed = await context.withStore(async (store) =>
        updateIncident({ store, clock }, await requireIncident(store, id), given),
      );
      print(context, changed, asJson, "was corrected");
    });
}

function addEditUpdate(incident: Command, context: CommandContext): void {
  incident
    .command("edit-update")
    .description("Correct the text of an update. Its time and state stay as they are.")
    .argument("<incident>", "its id")
    .argument(
      "<number>",
      "the update's number: 1 is the first; `incident list --json` shows them",
      parseCount(1, INCIDENT_UPDATES_MAX),
    )
    .addOption(textOption())
    .addOption(jsonOption())
    .addHelpText("after", examples(`quintet incident edit-update ${EXAMPLE_ID} 2 --text "A mirror of the directory is down."`))
    .action(async (id: string, number: number, { text, json: asJson }: { text: string } & JsonOption) => {
      const changed = await context.withStore(async (store) =>
        editIncidentUpdate({ store }, requireUpdate(await requireIncident(store, id), number), { number, text }),
      );
      print(context, changed, asJson, "was corrected");
    });
}

function addList(incident: Command, context: CommandContext): void {
  incident
    .command("list")
    .description("List incidents and maintenance: what is open, and what ended in the last 90 days.")
    .addOption(jsonOption())
    .addHelpText("after", examples("quintet incident list"))
    .action(async ({ json: asJson }: JsonOption) => {
      const incidents = await context.withStore((store) => store.incidents());
      const nowMs = context.clock.nowMs();
      if (asJson === true) {
        context.out(json({ incidents: incidents.map((one) => incidentDocument(one, nowMs)) }));
        return;
      }
      const headings = ["title", "impact", "state", "services", "begins", "ends", "id"].map((heading) => ({ heading }));
      context.out(
        incidents.length === 0
          ? "There are no incidents; `quintet incident create` creates one.\n"
          : table(
              headings,
              incidents.map((one) => [
                ...[one.title, words(one.impact), words(incidentStateAt(one, nowMs)), servicesOf(one), minute(one.beginsAtMs)],
                ...[one.endsAtMs === null ? "-" : minute(one.endsAtMs), one.id],
              ]),
            ),
      );
    });
}

function addDelete(incident: Command, context: CommandContext): void {
  incident
    .command("delete")
    .description("Delete an incident or maintenance with its updates. To mark it as over, use resolve.")
    .argument("<incident>", "its id")
    .addOption(jsonOption())
    .addHelpText("after", examples(`quintet incident delete ${EXAMPLE_ID}`))
    .action(async (id: string, { json: asJson }: JsonOption) => {
      const { title } = await context.withStore(async (store) => {
        const found = await requireIncident(store, id);
        await store.deleteIncident(id);
        return found;
      });
      context.out(asJson === true ? json({ id, deleted: true }) : `“${title}” was deleted.\n`);
    });
}

async function requireIncident(store: AdminStore, id: string): Promise<Incident> {
  const found = await store.findIncident(id);
  if (found === undefined) {
    throw new CommandRefused("notFound", `There is no incident with the ID ${id}; \`quintet incident list\` shows them.`);
  }
  return found;
}

function requireUpdate(incident: Incident, number: number): Incident {
  if (!incident.updates.some((update) => update.number === number)) {
    throw new CommandRefused("notFound", noUpdate(incident, number));
  }
  return incident;
}

const words = (name: string): string => name.replaceAll("_", " ");
const servicesOf = ({ services }: Incident): string =>
  services.length === 0 || services.length === SERVICE_NAMES.length ? "all" : services.join(",");

function print(context: CommandContext, incident: Incident, asJson: boolean | undefined, what: string): void {
  context.out(
    asJson === true
      ? json(incidentDocument(incident, context.clock.nowMs()))
      : `“${incident.title}” ${what}. Its ID is ${incident.id}.\n`,
  );
}
