import { type ExceptionsOfDay, isCode } from '@petstore/changes/exceptions.ts';
import { RULES } from '@petstore/changes/rules.ts';
import { didYouMean } from '@petstore/service/nearest.ts';
import { isOperation } from '@petstore/site/guides/changes-config.ts';
import { isDay } from '@petstore/site/syntax/days.ts';
import { isPrintable } from '../../accounts/account-input.ts';
import type { Caller } from '../../accounts/caller.ts';
import { randomId } from '../../accounts/secrets.ts';
import { conflict, invalidRequest, notFound } from '../../api-error.ts';
import type { Deps } from '../../deps.ts';
import { lockProjectFor } from '../../projects/lock-project.ts';
import { instant } from '../../schema-types.ts';
import { writeAudit } from '../../store/audit.ts';
import {
  type ChangeExceptionRow,
  deleteChangeException,
  deletePastChangeExceptions,
  insertChangeException,
  listChangeExceptions,
} from '../../store/change-exceptions.ts';
import type { ProjectRow } from '../../store/projects.ts';
import type { Db } from '../../store/schema.ts';
import {
  appliedExceptions,
  type ChangeException,
  type NewChangeException,
} from './change-exception.ts';

/** As many as a `docs.yaml` may have. */
const MAX_EXCEPTIONS = 500;

const MAX_LENGTHS = { operation: 2_000, reason: 500 } as const;

/** The exceptions of a project that hold at an instant, as they apply to changes. */
export async function readExceptions(
  db: Db,
  projectId: string,
  at: number,
): Promise<ExceptionsOfDay> {
  const today = dayOf(at);
  const rows = await listChangeExceptions(db, projectId, today);
  return { exceptions: appliedExceptions(rows), today };
}

/** The exceptions of a project that hold today. */
export async function listExceptions(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { id }: ProjectRow,
): Promise<ChangeException[]> {
  return (await listChangeExceptions(db, id, dayOf(now()))).map(presentException);
}

/** Allows a kind of change from now on. Throws ApiError where it cannot be. */
export async function addException(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  project: ProjectRow,
  input: NewChangeException,
  caller: Caller,
): Promise<ChangeException> {
  const at = now();
  const today = dayOf(at);
  const { code, operation, reason, until } = readInput(input, today);
  const row: ChangeExceptionRow = {
    id: `exc_${randomId(16)}`,
    project_id: project.id,
    ...{ code, operation, reason, until },
    created_at: at,
    created_by_email: caller.user.email,
  };
  await db.transaction().execute(async (trx) => {
    await lockProjectFor(trx, caller, project.id, 'exception.manage');
    // The audit log keeps them.
    await deletePastChangeExceptions(trx, project.id, today);
    const { length } = await listChangeExceptions(trx, project.id, today);
    if (length >= MAX_EXCEPTIONS)
      throw conflict(`A project has ${MAX_EXCEPTIONS} exceptions at most. End one first.`);
    await insertChangeException(trx, row);
    await writeAudit(trx, at, caller.actor, {
      action: 'exception.create',
      projectId: project.id,
      target: targetOf(row),
      details: { id: row.id, reason, until },
    });
  });
  return presentException(row);
}

/** Ends an exception. Throws ApiError `not_found` where there is none. */
export async function endException(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  project: ProjectRow,
  id: string,
  caller: Caller,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockProjectFor(trx, caller, project.id, 'exception.manage');
    const row = await deleteChangeException(trx, project.id, id);
    if (!row) throw notFound('exception');
    const { reason, until } = row;
    await writeAudit(trx, now(), caller.actor, {
      action: 'exception.end',
      projectId: project.id,
      target: targetOf(row),
      details: { id, reason, until },
    });
  });
}

type Input = Pick<ChangeExceptionRow, 'code' | 'operation' | 'reason' | 'until'>;

/** Throws ApiError for what is no exception. */
function readInput({ code, operation, reason: given, until }: NewChangeException, today: string) {
  const reason = given.trim();
  if (code === undefined && operation === undefined)
    throw invalidRequest('code or operation must be there: an exception of neither allows all.');
  if (code !== undefined && !isCode(code))
    throw invalidRequest(
      `code must be that of a change, such as operation-removed${didYouMean(code.slice(0, 100), RULES.keys())}`,
    );
  const isName = operation === undefined || isOperation(operation);
  if (!isName || (operation ?? '').length > MAX_LENGTHS.operation)
    throw invalidRequest(
      `operation must be a method and a path, such as GET /pets, ${MAX_LENGTHS.operation} characters at most.`,
    );
  if (!isPrintable(reason, MAX_LENGTHS.reason))
    throw invalidRequest(`reason must be 1 to ${MAX_LENGTHS.reason} characters on one line.`);
  if (!isDay(until) || until < today)
    throw invalidRequest(
      `until must be the last day on which it holds, such as 2026-12-31, and not before today, ${today} in UTC.`,
    );
  return { code: code ?? null, operation: operation ?? null, reason, until } satisfies Input;
}

/** The day of an instant, in UTC. */
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** What is allowed, in the audit log: `operation-removed of GET /pets`. */
const targetOf = ({ code, operation }: Input): string =>
  `${code ?? 'every change'} of ${operation ?? 'every operation'}`;

function presentException(row: ChangeExceptionRow): ChangeException {
  const { id, code, operation, reason, until, created_at, created_by_email } = row;
  return {
    ...{ id, code, operation, reason, until },
    createdAt: instant(created_at),
    createdBy: created_by_email,
  };
}
