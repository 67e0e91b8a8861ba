import type { Node } from 'yaml';
import { isDay } from '../syntax/days.ts';
import type { ConfigReader } from './config-reader.ts';

/** A change of the API that is meant. */
interface ConfigException {
  /** The code of the change, as it is written; undefined: every change of the operation. */
  readonly code: string | undefined;
  /** `GET /pets`; undefined: every operation, and the document itself. */
  readonly operation: string | undefined;
  readonly reason: string;
  /** The last day on which it holds: `2026-12-31`. */
  readonly until: string;
  /** Where it is in the configuration. */
  readonly line: number;
}

/** What a project's own rules for changes of its API are. */
export interface ChangesConfig {
  /** The fewest days between the announcement of a removal and its day; 0 for no rule. */
  readonly deprecationDays: number;
  readonly exceptions: readonly ConfigException[];
}

export const NO_CHANGES_CONFIG: ChangesConfig = { deprecationDays: 0, exceptions: [] };

/** More than anyone keeps apart. */
const MAX_EXCEPTIONS = 500;
const MAX_DAYS = 3_650;

/** `changes`: how early removals are announced, and which breaking changes are meant. */
export function changesOf(reader: ConfigReader, node: Node | undefined): ChangesConfig {
  if (!node) return NO_CHANGES_CONFIG;
  const at = reader.members(node, ['deprecationDays', 'exceptions'], '`changes`');
  const list = at.get('exceptions');
  const items = list ? reader.items(list, '`changes.exceptions`') : [];
  if (items.length > MAX_EXCEPTIONS)
    reader.problem(
      `\`changes.exceptions\` has ${items.length} entries; it may have ${MAX_EXCEPTIONS}.`,
      list,
    );
  return {
    deprecationDays: daysOf(reader, at.get('deprecationDays')),
    exceptions: items.slice(0, MAX_EXCEPTIONS).flatMap((item) => exceptionOf(reader, item) ?? []),
  };
}

function daysOf(reader: ConfigReader, node: Node | undefined): number {
  const days = node ? Number(String(node)) : 0;
  if (Number.isInteger(days) && days >= 0 && days <= MAX_DAYS) return days;
  reader.problem(
    `\`changes.deprecationDays\` must be a whole number of 0 to ${MAX_DAYS} days.`,
    node,
  );
  return 0;
}

/** Which codes there are, what compares documents knows. */
const CODE = /^[a-z]+(?:-[a-z]+)*$/;

/** A method and a path, as changes name operations: `GET /pets`. */
export const isOperation = (text: string): boolean => OPERATION.test(text);

const OPERATION = /^[!#$%&'*+.^_`|~\w-]{1,40} \S+$/;

function exceptionOf(reader: ConfigReader, node: Node): ConfigException | undefined {
  const at = reader.members(node, ['code', 'operation', 'reason', 'until'], 'An exception');
  const text = (name: string, most: number) => {
    const value = at.get(name);
    return value && reader.text(value, `\`${name}\` of an exception`, most);
  };
  const [code, operation] = [text('code', 100), text('operation', 2_000)];
  const [reason, until] = [text('reason', 500), text('until', 10)];
  if (code === '' || operation === '' || reason === '' || until === '') return undefined;
  if (code === undefined && operation === undefined) {
    reader.problem('An exception must have a `code`, an `operation`, or both.', node);
    return undefined;
  }
  if (reason === undefined || until === undefined) {
    reader.problem('An exception must have a `reason`, and a day `until` which it holds.', node);
    return undefined;
  }
  if (code !== undefined && !CODE.test(code)) {
    const wanted = 'a code such as `operation-removed`: `dashboard diff` shows that of each change';
    reader.problem(`\`code\` must be ${wanted}.`, at.get('code'));
    return undefined;
  }
  if (operation !== undefined && !isOperation(operation)) {
    reader.problem(
      '`operation` must be a method and a path, such as `GET /pets`.',
      at.get('operation'),
    );
    return undefined;
  }
  if (!isDay(until)) {
    reader.problem('`until` must be a day such as `2026-12-31`.', at.get('until'));
    return undefined;
  }
  return { code, operation, reason, until, line: reader.line(node) };
}
