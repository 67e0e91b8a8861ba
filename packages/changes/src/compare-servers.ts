import { isObject } from '@petstore/site/openapi/openapi-types.ts';
import { type At, memberOf, memberValue, textIn } from './api-document.ts';
import type { OperationContext, Report } from './report.ts';
import { isEqual } from './sameness.ts';

/** Compares the servers that a document, a path or an operation has for itself. */
export function compareServers(
  report: Report,
  { old, new: now }: { readonly old: At; readonly new: At },
  owner: string,
  context: OperationContext | null,
): void {
  const [before, after] = [serversOf(old), serversOf(now)];
  // One without servers has those around it, or that of the document itself: of these nothing is known.
  for (const [url, server] of before) {
    const subject = `server \`${url}\` of ${owner}`;
    const other = after.get(url);
    if (!other) report.add('server-removed', context, { subject, old: server, new: null });
    else compareVariables(report, context, subject, server, other);
  }
  for (const [url, server] of after)
    if (!before.has(url))
      report.add('server-added', context, {
        subject: `server \`${url}\` of ${owner}`,
        old: null,
        new: server,
      });
}

/** By address, without a slash at the end. */
function serversOf(holder: At): Map<string, At> {
  const servers = new Map<string, At>();
  const list = memberOf(holder, 'servers');
  for (const index of list && Array.isArray(list.value) ? list.value.keys() : []) {
    const server = memberOf(list as At, index) as At;
    const url = textIn(server, 'url');
    if (url !== undefined) servers.set(url.replace(/(?<=.)\/$/, ''), server);
  }
  return servers;
}

function compareVariables(
  report: Report,
  context: OperationContext | null,
  subject: string,
  old: At,
  now: At,
): void {
  const [before, after] = [memberOf(old, 'variables'), memberOf(now, 'variables')];
  for (const name of before && isObject(before.value) ? Object.keys(before.value) : []) {
    const one = memberOf(before as At, name) as At;
    const other = after && memberOf(after, name);
    const [was, is] = [memberValue(one, 'default'), other && memberValue(other, 'default')];
    if (!isEqual(was, is))
      report.add('server-variable-changed', context, {
        ...{ subject, old: one, new: other ?? now },
        said: { name, old: was, new: is ?? 'none' },
      });
    const values = memberValue(one, 'enum');
    const left = other && memberValue(other, 'enum');
    if (!Array.isArray(values) || !Array.isArray(left)) continue;
    const gone = values.filter((value) => !left.some((one) => isEqual(one, value)));
    if (gone.length > 0)
      report.add('server-variable-changed', context, {
        ...{ subject, old: one, new: other ?? now },
        said: { name, old: values, new: left },
      });
  }
}
