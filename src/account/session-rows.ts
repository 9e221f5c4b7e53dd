// The library for passwords and sessions on our store: what it asks for as rows, the store does, each in one transaction. Of a session's
// token only the SHA-256 is stored, as of a key; the library never learns of it, for it asks for a session by its token alone.
import { createHash } from "node:crypto";
import type { CleanedWhere, CustomAdapter } from "better-auth/adapters";
import { createAdapterFactory } from "better-auth/adapters";
import type { OwnerStore, SignInCondition, SignInRow, SignInTable } from "../store/owner-store.ts";

const SESSIONS: SignInTable = "owner_sessions";
const TOKEN = "token_hash";

/** What is stored of a token: its SHA-256, in hex. */
export function tokenHash(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** The adapter that the library is handed as its database. */
export function createSessionRows(store: OwnerStore): ReturnType<typeof createAdapterFactory> {
  return createAdapterFactory({
    config: {
      adapterId: "quintet",
      // Both databases hold times as text and flags as numbers.
      supportsDates: false,
      supportsBooleans: false,
      supportsJSON: false,
    },
    adapter: () => adapterOn(store),
  });
}

function adapterOn(store: OwnerStore): CustomAdapter {
  return {
    async create({ model, data }) {
      const table = model as SignInTable;
      const row = data as SignInRow;
      if (table === SESSIONS) {
        await forgetEnded(store, row);
      }
      const stored = await store.insertRow(table, concealed(row));
      return revealed(stored, row[TOKEN]) as typeof data;
    },
    async findOne({ model, where }) {
      const [row] = await store.selectRows(model as SignInTable, conditionsOf(where), { limit: 1, offset: 0, orderBy: undefined });
      return answer(row, where);
    },
    async findMany({ model, where = [], limit, offset = 0, sortBy }) {
      const orderBy = sortBy && { column: sortBy.field, direction: sortBy.direction };
      return (await store.selectRows(model as SignInTable, conditionsOf(where), { limit, offset, orderBy })) as never;
    },
    count: ({ model, where = [] }) => store.countRows(model as SignInTable, conditionsOf(where)),
    async update({ model, where, update }) {
      const [row] = await store.updateRows(model as SignInTable, conditionsOf(where), concealed(update as SignInRow));
      return answer(row, where);
    },
    async updateMany({ model, where, update }) {
      return (await store.updateRows(model as SignInTable, conditionsOf(where), concealed(update))).length;
    },
    async delete({ model, where }) {
      await store.deleteRows(model as SignInTable, conditionsOf(where));
    },
    deleteMany: ({ model, where }) => store.deleteRows(model as SignInTable, conditionsOf(where)),
  };
}

// Sessions that ended without being signed out would stay for ever: an owner's go when the next one begins.
async function forgetEnded(store: OwnerStore, { owner_id, created_at }: SignInRow): Promise<void> {
  await store.deleteRows(SESSIONS, [
    { column: "owner_id", operator: "=", value: owner_id ?? null },
    { column: "expires_at", operator: "<=", value: created_at ?? null },
  ]);
}

const OPERATORS: Readonly<Record<string, SignInCondition["operator"]>> = {
  eq: "=",
  ne: "!=",
  lt: "<",
  lte: "<=",
  gt: ">",
  gte: ">=",
  in: "in",
};

function conditionsOf(where: readonly CleanedWhere[]): SignInCondition[] {
  return where.map(({ field, operator, value, connector, mode }) => {
    const known = OPERATORS[operator ?? "eq"];
    if (known === undefined || connector !== "AND" || mode !== "sensitive") {
      throw new Error(`The rows of sessions cannot be asked for by ${connector} ${mode} ${operator}.`);
    }
    const plain = value as SignInCondition["value"];
    return { column: field, operator: known, value: field === TOKEN ? hashOf(plain) : plain };
  });
}

const hashOf = (value: SignInCondition["value"]): SignInCondition["value"] =>
  Array.isArray(value) ? value.map((one) => tokenHash(String(one))) : tokenHash(String(value));

function concealed(row: SignInRow): SignInRow {
  const token = row[TOKEN];
  return token === undefined ? row : { ...row, [TOKEN]: tokenHash(String(token)) };
}

const revealed = (row: SignInRow, token: SignInRow[string] | undefined): SignInRow =>
  token === undefined ? row : { ...row, [TOKEN]: token };

// Whoever asked by a token gets the row with that token.
function answer(row: SignInRow | undefined, where: readonly CleanedWhere[]): never {
  const token = where.find(({ field, operator }) => field === TOKEN && operator === "eq")?.value;
  return (row === undefined ? null : revealed(row, token as SignInRow[string] | undefined)) as never;
}
