import { parameterKey } from '../../src/request/build-request.ts';
import { parameterValue } from '../../src/request/example-values.ts';
import { type JsonNode, plainText, writeJson } from '../../src/request/json-text.ts';
import { isJson } from '../../src/request/media-types.ts';
import type { OperationData, ParameterData } from '../../src/request/operation-data.ts';
import type { ParameterValue } from '../../src/request/serialize.ts';
import { enteredNode, type Field } from './controls.ts';
import { element } from './dom.ts';
import { createField } from './fields.ts';

export interface ParameterSection {
  readonly element: HTMLElement;
  /** By `parameterKey`. */
  values(): Map<string, ParameterValue>;
  /** The first part of the path that has no value. */
  missing(): { readonly name: string; readonly field: Field } | undefined;
}

const TITLES = [
  ['path', 'Path'],
  ['query', 'Query'],
  ['querystring', 'Query'],
  ['header', 'Headers'],
  ['cookie', 'Cookies'],
] as const;

/** The parameters by their places, each with a field. */
export function parameterSection({ parameters = [] }: OperationData): ParameterSection {
  const all = parameters.map((parameter) => ({ parameter, field: parameterField(parameter) }));
  const groups = TITLES.map(([place, title]) => ({
    title,
    members: all.filter(({ parameter }) => parameter.in === place),
  })).filter(({ members }) => members.length > 0);
  return {
    element: element(
      'div',
      { class: 'try-sections', hidden: groups.length === 0 },
      ...groups.map(({ title, members }) =>
        section(title, ...notes(title), ...members.map(({ field }) => field.element)),
      ),
    ),
    values: () =>
      new Map(
        all.flatMap(({ parameter, field }) => {
          const node = field.value();
          return node === undefined
            ? []
            : [[parameterKey(parameter), sentValue(parameter, node)] as const];
        }),
      ),
    missing: () => {
      const found = all.find(({ parameter, field }) => {
        const node = parameter.in === 'path' ? field.value() : textless;
        return node === undefined || (node.kind === 'literal' && node.text === '""');
      });
      return found && { name: found.parameter.name, field: found.field };
    },
  };
}

/** What a reader should know before the values are entered. */
function notes(title: string): HTMLElement[] {
  if (title !== 'Cookies') return [];
  const text =
    "A page's script cannot set cookies, so these stand in the curl command alone. The browser sends those that the API has set for this very site.";
  return [element('p', { class: 'try-hint' }, text)];
}

/** Stands for a value that need not be looked at. */
const textless: JsonNode = { kind: 'literal', text: 'null' };

export function section(title: string, ...content: HTMLElement[]): HTMLElement {
  return element('section', { class: 'try-section' }, element('h3', {}, title), ...content);
}

function parameterField(parameter: ParameterData): Field {
  const {
    name,
    schema = {},
    example,
    required,
    deprecated,
    description,
    allowEmptyValue,
    contentType,
  } = parameter;
  // A parameter without a type, or with a content of its own, is text.
  const isOpen =
    schema.type === undefined && schema.choices === undefined && schema.enum === undefined;
  const shape =
    isOpen || (contentType !== undefined && !isJson(contentType))
      ? { ...schema, type: 'string' as const }
      : schema;
  const node = example === undefined ? undefined : enteredNode(shape, example);
  return createField(shape, {
    name,
    required,
    needed: required ? () => true : undefined,
    deprecated,
    hint: description,
    allowsEmpty: allowEmptyValue,
    // Only what is required is filled in: each of the others changes what the API does.
    ...(required ? { initial: node } : {}),
    placeholder:
      node && node.kind === 'literal' && !required ? `for example ${plainText(node)}` : undefined,
    ...(isOpen ? { kind: contentType ?? '' } : {}),
  });
}

function sentValue({ contentType }: ParameterData, node: JsonNode): ParameterValue {
  if (contentType === undefined) return parameterValue(node);
  return isJson(contentType) ? writeJson(node) : plainText(node);
}
