import { styleText } from 'node:util';
import type { Environment } from '../config.ts';

export interface BannerFacts {
  readonly version: string;
  readonly environment: Environment;
  readonly baseUrl: string;
  /** Where the data is, for a person. */
  readonly data: string;
  /** A key that was just created, to be shown this once. */
  readonly firstKey: string | undefined;
  /** Environment variables that `petstore keys` needs to work on this store; undefined if secret. */
  readonly settings: Readonly<Record<string, string | undefined>>;
  /** Whether the store has a key that is valid. */
  readonly hasKeys: boolean;
}

/**
 * What a person sees when the service is up: where it is, the key, and one line to try. `more`: what runs
 * beside it, as label and text.
 */
export function banner(
  facts: BannerFacts,
  more: readonly (readonly [string, string])[] = [],
): string {
  const { version, environment, baseUrl, data, firstKey, settings, hasKeys } = facts;
  const bold = (text: string) => styleText('bold', text);
  const dim = (text: string) => styleText('dim', text);
  const lines = [
    `${bold('Petstore')} ${version} ${dim(`(${environment})`)}`,
    '',
    `  ${dim('API      ')} ${baseUrl}`,
    `  ${dim('Reference')} ${new URL('/reference', baseUrl).href}`,
    `  ${dim('Data     ')} ${data}`,
  ];
  if (firstKey !== undefined) {
    lines.push(`  ${dim('API key  ')} ${bold(firstKey)}  ${dim('(new; shown this once)')}`);
  }
  for (const [label, text] of more) lines.push(`  ${dim(label.padEnd(9))} ${text}`);
  lines.push('');
  if (firstKey === undefined && !hasKeys) {
    const entries = Object.entries(settings);
    const shown = entries.flatMap(([name, value]) => (value ? [`${name}=${value} `] : []));
    const secret = entries.flatMap(([name, value]) => (value ? [] : [name]));
    const where = secret.length > 0 ? ` where ${secret.join(' and ')} is set as here` : '';
    const command = `${shown.join('')}petstore keys create --name NAME`;
    lines.push(`  No API key yet. Make one${where}:  ${bold(command)}`);
  } else {
    const create = firstKey !== undefined;
    lines.push('  Try it:', '', `  ${create ? curlCreate(baseUrl, firstKey) : curlList(baseUrl)}`);
  }
  return `\n${lines.join('\n')}\n\n`;
}

function curlCreate(baseUrl: string, key: string): string {
  return `curl -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"name":"Rex","categoryId":1}' ${baseUrl}/pets`;
}

function curlList(baseUrl: string): string {
  return `curl -H "Authorization: Bearer $PETSTORE_KEY" ${baseUrl}/pets`;
}
