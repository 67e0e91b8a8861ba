import { isObject } from '@petstore/site/openapi/openapi-types.ts';
import { isLongJson } from '@petstore/site/syntax/exact-text.ts';
import type { ApiDocument, At } from './api-document.ts';
import type { Allowance, Change, ChangeList, Side } from './change.ts';
import { type ExceptionsOfDay, withException } from './exceptions.ts';
import { type Announced, daysBetween, sunsetOf } from './lifecycle.ts';
import { placeInWords } from './place-in-words.ts';
import { type Code, ruleOf, type SchemaFact, VERDICTS, type Verdict } from './rules.ts';
import { announcedOf } from './schema/note-changes.ts';
import type { Mode, SchemaNode } from './schema/schema-change.ts';

/** What an operation's changes are told with. */
export interface OperationContext {
  /** `GET /pets` */
  readonly name: string;
  /** Whether its definition may break: `beta`. */
  readonly stability?: string | undefined;
}

/** A change as it is found. */
export interface Found {
  /** What has changed, in the middle of a sentence: `the request body`. */
  readonly subject: string;
  readonly old: At | null;
  readonly new: At | null;
  readonly said?: { readonly old?: unknown; readonly new?: unknown; readonly name?: string };
  /** What was removed, where it may have been announced. */
  readonly gone?: Announced | undefined;
}

/** Larger values are left out of the list: their place says where they are. */
const MAX_VALUE = 1_000;

/** Collects changes, each once for an operation, and judges them. */
export class Report {
  readonly #old: ApiDocument;
  readonly #new: ApiDocument;
  readonly #options: ExceptionsOfDay;
  readonly #changes: Change[] = [];
  readonly #told = new Set<string>();

  constructor(old: ApiDocument, now: ApiDocument, options: ExceptionsOfDay) {
    this.#old = old;
    this.#new = now;
    this.#options = options;
  }

  get today(): string {
    return this.#options.today;
  }

  add(code: Code, context: OperationContext | null, found: Found): void {
    const { old, new: now, said } = found;
    const operation = context?.name ?? null;
    const values = said ? [said.name, said.old, said.new].map(asText).join() : '';
    const key = [code, operation, old?.pointer, now?.pointer, values].join('\n');
    if (this.#told.has(key)) return;
    this.#told.add(key);
    const rule = ruleOf(code);
    const { verdict, allowed, note } = this.#judge(rule.verdict, context, found);
    const change: Change = {
      ...{ code, verdict, operation },
      message: `${sentence(found.subject, rule.says, found)}${note}`,
      old: old && sideOf(old, this.#old),
      new: now && sideOf(now, this.#new),
      ...(allowed && { allowed }),
    };
    this.#changes.push(withException(change, this.#options));
  }

  /** Adds what was found in a schema and in all schemas below it. `subject`: what the schema is of. */
  addSchemas(
    node: SchemaNode,
    { direction }: Mode,
    context: OperationContext | null,
    subject: string,
  ): void {
    // The shortest way to a schema is the one that is told.
    const paths = new Map([[node, '']]);
    for (const [one, path] of paths) {
      for (const change of one.changes) {
        const { fact, step = '', old, new: now, said, gone } = change;
        const code: `${Mode['direction']}-${SchemaFact}` = `${direction}-${fact}`;
        const announced = gone && announcedOf(gone.notes);
        this.add(code, context, {
          ...{ subject: within(subject, path + step), old, new: now, gone: announced },
          ...(said && { said }),
        });
      }
      for (const { code, old, new: now, said } of one.notes) {
        const pointer = (now ?? old)?.pointer ?? '';
        const isOwn = /^\/(?:paths|(?:x-)?webhooks)\//.test(pointer);
        const about = isOwn ? within(subject, path) : placeInWords(pointer);
        this.add(code, isOwn ? context : null, {
          subject: about,
          old,
          new: now,
          ...(said && { said }),
        });
      }
      for (const child of one.children)
        if (!paths.has(child.node)) paths.set(child.node, path + child.step);
    }
  }

  list(): ChangeList {
    return listOf(this.#changes);
  }

  /** The verdict without exceptions. */
  #judge(
    verdict: Verdict,
    context: OperationContext | null,
    { gone }: Found,
  ): { verdict: Verdict; allowed?: Allowance; note: string } {
    let [judged, note] = [verdict, '.'];
    const allow = (allowed: Allowance, why: string) => ({
      ...{ verdict: 'compatible' as const, allowed },
      note: `${note} ${why}`,
    });
    const sunset = gone && sunsetOf(gone);
    if (gone?.deprecated === true && sunset !== undefined) {
      const missing = daysBetween(this.today, sunset);
      if (missing <= 0)
        return allow({ by: 'sunset', reason: sunset }, `It was announced for ${sunset}.`);
      judged = 'breaking';
      note = `, ${missing} ${missing === 1 ? 'day' : 'days'} before the announced ${sunset}.`;
    } else if (gone?.deprecated === true)
      note = '. It was deprecated, and no day of its removal was announced.';
    if (judged !== 'breaking' && judged !== 'risky') return { verdict: judged, note };
    const { stability } = context ?? {};
    if (stability !== undefined)
      return allow(
        { by: 'stability', reason: stability },
        `The operation is ${stability}, and may break.`,
      );
    return { verdict: judged, note };
  }
}

/** What is said of a change, without the reason of the exception that allows it. */
export function saidWithoutReason({
  message,
  allowed,
}: Pick<Change, 'message' | 'allowed'>): string {
  if (allowed?.by !== 'exception' || !message.endsWith(allowed.reason)) return message;
  const said = message.slice(0, message.length - allowed.reason.length);
  return said.replace(/ Allowed until [^:]*: $/, '');
}

/** All changes, the gravest first, and how many there are. */
export function listOf(all: readonly Change[]): ChangeList {
  const changes = VERDICTS.flatMap((verdict) => all.filter((change) => change.verdict === verdict));
  const count = (verdict: Verdict) => changes.filter((one) => one.verdict === verdict).length;
  return {
    summary: {
      breaking: count('breaking'),
      risky: count('risky'),
      compatible: count('compatible'),
      documentation: count('documentation'),
    },
    changes,
  };
}

/** A subject, and a path of properties in it. */
function within(subject: string, path: string): string {
  if (path === '') return subject;
  const name = `\`${path.replace(/^\./, '')}\` of ${subject}`;
  return /\.[^.]*$/.exec(path)?.[0].includes('[')
    ? name
    : /\)$|\]$/.test(path)
      ? name
      : `property ${name}`;
}

/** The most letters of a value in a sentence. */
const MAX_SAID = 80;

function sentence(subject: string, says: string, { old, new: now, said }: Found): string {
  const values: Record<string, unknown> = {
    old: said && 'old' in said ? said.old : old?.value,
    new: said && 'new' in said ? said.new : now?.value,
    name: said?.name,
  };
  const filled = says.replace(/\{(old|new|name)\}/g, (_, name: string) =>
    name === 'name' ? asText(values.name) : quoted(values[name]),
  );
  return `${subject.charAt(0).toUpperCase()}${subject.slice(1)} ${filled}`;
}

const quoted = (value: unknown): string => {
  const text = Array.isArray(value) ? value.map(asText).join(', ') : asText(value);
  return `\`${text.length > MAX_SAID ? `${text.slice(0, MAX_SAID - 1)}…` : text}\``;
};

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'bigint' ? String(value) : (JSON.stringify(value, withBigInts) ?? '');
}

const withBigInts = (_name: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value;

function sideOf({ pointer, value }: At, { placeOf }: ApiDocument): Side {
  const { file, line, pointer: inFile } = placeOf(pointer);
  const isLarge = (isObject(value) || Array.isArray(value)) && isLongJson(value, MAX_VALUE);
  return { file, line, pointer: inFile, ...(isLarge || value === undefined ? {} : { value }) };
}
