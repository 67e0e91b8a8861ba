import {
  isValid,
  type JsonNode,
  parseJson,
  plainText,
  writeJson,
} from '../../src/request/json-text.ts';
import type { SchemaData } from '../../src/request/operation-data.ts';
import { valueProblem } from '../../src/request/value-problem.ts';
import { element, type Labelled, labelled, note, select } from './dom.ts';

/** Something that a reader fills in. */
export interface Field {
  readonly element: HTMLElement;
  /** What was entered; undefined where it is not to be sent. */
  value(): JsonNode | undefined;
}

export interface FieldOptions extends Labelled {
  readonly initial?: JsonNode | undefined;
  /** Whether a value is asked for, as far as the others go; undefined where none is. */
  readonly needed?: (() => boolean) | undefined;
  /** An example of a value. */
  readonly placeholder?: string | undefined;
  /** Offers to send an empty text, which otherwise means nothing. */
  readonly allowsEmpty?: boolean | undefined;
}

const textNode = (text: string): JsonNode => ({
  kind: 'literal',
  text: JSON.stringify(text),
});

/** The value of a text as entered: of a string as it is, otherwise as JSON. */
export function enteredNode(schema: SchemaData | undefined, text: string): JsonNode {
  return (schema?.type === 'string' ? undefined : parseJson(text)) ?? textNode(text);
}

/** `integer <int64>`, for labels. */
export function kindOf({ type, format, enum: values }: SchemaData): string | undefined {
  if (values !== undefined && type === 'string') return 'enum';
  if (type === undefined) return undefined;
  return format ? `${type} · ${format}` : type;
}

/** Below a control, what is wrong with its value. */
export function valueNote(
  control: HTMLElement,
  { needed }: FieldOptions,
  value: Field['value'],
  problemOf: (node: JsonNode) => string | undefined,
): HTMLElement {
  return note(control, (isSending) => {
    const node = value();
    if (node === undefined) return isSending && needed?.() ? 'A value is needed.' : '';
    return problemOf(node) ?? '';
  });
}

const NOTHING = 'not sent';

/** One of the allowed values. An own value that is none of them is offered as well. */
export function choiceField(
  schema: SchemaData,
  values: readonly string[],
  options: FieldOptions,
): Field {
  const given = options.initial && nodeText(schema, options.initial);
  const all = [
    ...new Set([
      ...(given === undefined ? [] : [given]),
      ...values,
      ...(schema.nullable && schema.type !== 'string' ? ['null'] : []),
    ]),
  ];
  const ordered = values.every((value) => all.includes(value))
    ? [...new Set([...values, ...all])]
    : all;
  // An index, since an allowed value may be the empty text.
  const entries = ordered.map((text, at) => ({
    value: String(at),
    text: text === '' ? '(empty)' : text,
  }));
  const chosen = given === undefined ? '' : String(ordered.indexOf(given));
  const isOpen = !options.required || given === undefined;
  const control = select(
    [...(isOpen ? [{ value: '', text: NOTHING }] : []), ...entries],
    chosen,
    {},
  );
  const value = () =>
    control.value === '' ? undefined : enteredNode(schema, ordered[Number(control.value)] ?? '');
  const problem = valueNote(control, options, value, (node) => valueProblem(schema, node));
  return { element: labelled(options, control, problem), value };
}

const nodeText = (schema: SchemaData, node: JsonNode) =>
  schema.type === 'string' ? plainText(node) : writeJson(node);

const INPUT_TYPES: ReadonlyMap<string, string> = new Map([
  ['password', 'password'],
  ['email', 'email'],
  ['uri', 'url'],
]);

/** A text or a number, kept as it is typed, digit by digit. */
export function textField(schema: SchemaData, options: FieldOptions): Field {
  const isNumber = schema.type === 'integer' || schema.type === 'number';
  const start = options.initial ? plainText(options.initial) : '';
  const attributes = {
    class: 'try-input',
    placeholder:
      options.placeholder ??
      (schema.default === undefined ? undefined : `${schema.default} (default)`),
    autocomplete: 'off',
    spellcheck: 'false',
  };
  const control =
    start.includes('\n') || schema.media !== undefined
      ? element('textarea', { ...attributes, rows: 4 })
      : element('input', {
          ...attributes,
          type: INPUT_TYPES.get(schema.format ?? '') ?? 'text',
          inputmode: isNumber ? 'decimal' : undefined,
          autocapitalize: 'off',
        });
  control.value = start;
  const startsEmpty = options.initial !== undefined && start === '';
  const empty =
    options.allowsEmpty || startsEmpty
      ? element('input', { type: 'checkbox', checked: startsEmpty })
      : undefined;
  const value = (): JsonNode | undefined => {
    const text = control.value;
    if (text === '') return empty?.checked ? textNode('') : undefined;
    // What is no number is sent as it was typed, for the API to refuse.
    return isNumber && /^\s*-?[\d.]/.test(text) && isValid(text)
      ? { kind: 'literal', text: text.trim() }
      : textNode(text);
  };
  return {
    element: labelled(
      options,
      control,
      empty && element('label', { class: 'try-check' }, empty, 'Send it empty'),
      valueNote(control, options, value, (node) => valueProblem(schema, node)),
    ),
    value,
  };
}

/** Any value, as JSON. What is no JSON is a text. */
export function jsonField(schema: SchemaData, options: FieldOptions): Field {
  const control = element('textarea', {
    class: 'try-input try-code',
    rows: 2,
    spellcheck: 'false',
    placeholder: options.placeholder ?? 'JSON',
  });
  control.value = options.initial ? writeJson(options.initial) : '';
  const kind = options.kind ?? 'JSON';
  const value = () =>
    control.value.trim() === '' ? undefined : enteredNode(undefined, control.value);
  const problem = valueNote(control, options, value, (node) =>
    /^\s*[[{"]/.test(control.value) && !isValid(control.value)
      ? 'This is not JSON, so it is sent as a text.'
      : valueProblem(schema, node),
  );
  return { element: labelled({ ...options, kind }, control, problem), value };
}
