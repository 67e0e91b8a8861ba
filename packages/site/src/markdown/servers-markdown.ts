import type { ReferenceContext } from '../reference/reference-context.ts';
import { serverData } from '../reference/server-data.ts';
import type { VariableData } from '../request/operation-data.ts';
import { code, inline, literal } from './markdown-text.ts';

/** The servers of the first holder that has any, with their variables, below a heading of the level `#` and so on. */
export function serversMarkdown(
  context: ReferenceContext,
  holders: readonly Record<string, unknown>[],
  level: string,
): string {
  const lines = serverData(context, holders).flatMap(
    ({ url, name, description, variables = [] }) => [
      `- ${code(url)}${name ? ` (${literal(name)})` : ''}${description ? `: ${inline(description)}` : ''}`,
      ...variables.map(variableLine),
    ],
  );
  return `${level} Servers\n\n${lines.join('\n')}`;
}

function variableLine({ name, description, enum: values, default: usual }: VariableData): string {
  const facts = [
    ...(usual === '' ? [] : [`default ${code(usual)}`]),
    ...(values ? [`one of ${values.map(code).join(', ')}`] : []),
    ...(description ? [inline(description)] : []),
  ];
  return `  - ${code(`{${name}}`)}${facts.length > 0 ? `: ${facts.join(', ')}` : ''}`;
}
