import { truncate } from '@petstore/service/text.ts';
import { isObject, type OpenApiDocument, textOf } from '../openapi/openapi-types.ts';
import type { FoundOperation } from '../openapi/operations.ts';
import { parametersOf } from '../openapi/parameters.ts';
import { resolveReference } from '../openapi/references.ts';
import { cell, code, inline } from './markdown-text.ts';
import { constraints, typeText, valueText } from './schema-facts.ts';
import { MAX_SHARED } from './shared-description.ts';

/** The rows of a table, after its head; empty where there are no parameters. */
export function parametersTable(document: OpenApiDocument, found: FoundOperation): string {
  const { parameters } = found.operation;
  const own = new Set<unknown>(Array.isArray(parameters) ? parameters : []);
  const rows = parametersOf(document, found).map((parameter) => {
    const text = textOf(parameter.description);
    const description = own.has(parameter) ? text : truncate(text, MAX_SHARED);
    const cells = [
      code(parameter.name),
      parameter.in,
      valueFacts(document, parameter),
      parameter.required === true ? 'yes' : 'no',
      `${parameter.deprecated === true ? 'Deprecated. ' : ''}${description}`,
    ];
    return `| ${cells.map(cell).join(' | ')} |`;
  });
  if (rows.length === 0) return '';
  return `| Name | In | Type | Required | Description |\n|---|---|---|---|---|\n${rows.join('\n')}`;
}

/** The type of a parameter's or a header's value, its bounds, an example, and how it is written. */
export function valueFacts(document: OpenApiDocument, holder: Record<string, unknown>): string {
  const [mediaType, media] =
    (isObject(holder.content) ? Object.entries(holder.content)[0] : undefined) ?? [];
  const given = isObject(media) ? media.schema : holder.schema;
  const schema = resolveReference(document, given);
  const facts = [
    given === undefined ? '' : typeText(document, given),
    ...(isObject(schema) ? constraints(document, schema) : []),
    ...(mediaType === undefined ? [] : [`as ${code(mediaType)}`]),
    ...(typeof holder.style === 'string' ? [`style ${inline(holder.style)}`] : []),
    ...(typeof holder.explode === 'boolean' ? [holder.explode ? 'exploded' : 'not exploded'] : []),
    ...(holder.allowEmptyValue === true ? ['may be empty'] : []),
    ...examplesOf(document, holder),
  ].filter(Boolean);
  // A schema and its parameter often have the same example.
  return [...new Set(facts)].join(', ');
}

const MAX_EXAMPLES = 5;

function examplesOf(document: OpenApiDocument, holder: Record<string, unknown>): string[] {
  const named = isObject(holder.examples) ? Object.values(holder.examples) : [];
  const values = named.slice(0, MAX_EXAMPLES).map((one) => {
    const example = resolveReference(document, one);
    return isObject(example) ? example.value : undefined;
  });
  const shown = [holder.example, ...values].filter((value) => value !== undefined);
  return shown.length === 0 ? [] : [`for example ${shown.map(valueText).join(', ')}`];
}
