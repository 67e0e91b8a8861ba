import { requirementsOf, schemeNames } from '../openapi/security.ts';
import { schemeWords } from '../openapi/security-words.ts';
import type { ReferenceContext } from '../reference/reference-context.ts';
import { securityData } from '../reference/security-data.ts';
import { FLOW_NAMES } from '../request/flow-names.ts';
import type { FlowData, NeededScheme, SchemeData } from '../request/operation-data.ts';
import { bulletList, code, inline, joined } from './markdown-text.ts';

/** How an operation is authorized, each way with the scopes that it needs; empty where the API needs nothing. */
export function securityMarkdown(
  context: ReferenceContext,
  operation: Record<string, unknown>,
): string {
  const { security = [], schemes = [] } = securityData(context, operation);
  if (security.length === 0) {
    // Said only where it is an exception.
    const isException = requirementsOf(context.document, {}).length > 0;
    return isException ? '## Authentication\n\nNone is needed.' : '';
  }
  const known = new Map(schemes.map((scheme) => [scheme.name, scheme]));
  const ways = security.map((needed) =>
    needed.length === 0 ? 'None' : needed.map((one) => needText(one, known)).join(' and '),
  );
  const intro = ways.length > 1 ? 'One of these:' : '';
  const details = schemes.map(schemeDetails);
  return joined(['## Authentication', intro, bulletList(ways), ...details]);
}

/** All schemes that the document declares; empty where it declares none. */
export function schemesMarkdown(context: ReferenceContext): string {
  const names = schemeNames(context.document);
  const { schemes = [] } = securityData(context, {
    security: names.map((name) => ({ [name]: [] })),
  });
  if (schemes.length === 0) return '';
  return joined([
    '## Authentication',
    bulletList(schemes.map((scheme) => `${code(scheme.name)}: ${schemeText(scheme)}`)),
    ...schemes.map(schemeDetails),
  ]);
}

function needText(
  [name, scopes = []]: NeededScheme,
  known: ReadonlyMap<string, SchemeData>,
): string {
  const scheme = known.get(name);
  const needed = scopes.length > 0 ? `, with ${scopes.map(code).join(', ')}` : '';
  return `${code(name)}${scheme ? `: ${schemeText(scheme)}` : ''}${needed}`;
}

/** What a scheme is, in a few words. */
function schemeText(scheme: SchemeData): string {
  return `${kindText(scheme)}${scheme.deprecated ? ', deprecated' : ''}`;
}

function kindText(scheme: SchemeData): string {
  const { text, name } = schemeWords({ ...scheme, name: scheme.key });
  const { discovery, metadata } = scheme;
  return [
    inline(text),
    ...(name === undefined ? [] : [` ${code(name)}`]),
    ...(discovery ? [`, found at ${code(discovery)}`] : []),
    ...(metadata ? [`, described at ${code(metadata)}`] : []),
  ].join('');
}

/** The description of a scheme and its flows, with the meaning of scopes. */
function schemeDetails({ name, description, flows = [] }: SchemeData): string {
  const lines = flows.flatMap(flowLines);
  if (!description && lines.length === 0) return '';
  return joined([
    `${code(name)}${description ? `: ${inline(description)}` : ':'}`,
    lines.join('\n'),
  ]);
}

function flowLines(flow: FlowData): string[] {
  const addresses = [
    ...(flow.authorizationUrl ? [`authorization at ${code(flow.authorizationUrl)}`] : []),
    ...(flow.deviceAuthorizationUrl ? [`devices at ${code(flow.deviceAuthorizationUrl)}`] : []),
    ...(flow.tokenUrl ? [`tokens at ${code(flow.tokenUrl)}`] : []),
    ...(flow.refreshUrl ? [`refreshed at ${code(flow.refreshUrl)}`] : []),
  ];
  const scopes = (flow.scopes ?? []).map(
    ([scope, about]) => `  - ${code(scope)}${about ? `: ${inline(about)}` : ''}`,
  );
  const where = addresses.length > 0 ? `: ${addresses.join(', ')}` : '';
  return [`- Flow ${FLOW_NAMES[flow.type].toLowerCase()}${where}`, ...scopes];
}
