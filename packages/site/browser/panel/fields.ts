import type { JsonNode } from '../../src/request/json-text.ts';
import type { PropertyData, SchemaData } from '../../src/request/operation-data.ts';
import { ownProblem } from '../../src/request/value-problem.ts';
import {
  choiceField,
  type Field,
  type FieldOptions,
  jsonField,
  kindOf,
  textField,
  valueNote,
} from './controls.ts';
import { button, changed, element, labelled, labelParts, select } from './dom.ts';

/** A field for values of a schema. A given value that does not fit the schema is shown as JSON, and kept. */
export function createField(schema: SchemaData, given: FieldOptions): Field {
  const options = { ...given, kind: given.kind ?? kindOf(schema) };
  const { initial } = options;
  if (initial !== undefined && !fits(schema, initial)) return jsonField(schema, options);
  if (schema.enum !== undefined) return choiceField(schema, schema.enum, options);
  if (schema.type === 'boolean') return choiceField(schema, ['true', 'false'], options);
  if (schema.type === 'array') return listField(schema, options);
  if (schema.choices !== undefined) return alternativesField(schema, schema.choices, options);
  if (schema.type === 'object') return objectField(schema, options);
  if (schema.type === undefined || schema.type === 'null') return jsonField(schema, options);
  return textField(schema, options);
}

function fits({ type, choices, enum: values }: SchemaData, node: JsonNode): boolean {
  if (node.kind === 'array') return type === 'array';
  if (node.kind === 'object')
    return type === 'object' || (type === undefined && choices !== undefined);
  const isText = node.text.startsWith('"');
  if (values !== undefined) return isText === (type === 'string');
  if (type === 'string') return isText;
  if (type === 'boolean') return /^(?:true|false)$/.test(node.text);
  return (type === 'integer' || type === 'number') && /^-?\d/.test(node.text);
}

/** The members of an object, each with its field; those that the schema does not know can be added and named. */
function objectField(schema: SchemaData, options: FieldOptions): Field {
  const { initial, required, needed = () => required === true } = options;
  const isThere = () => needed() || !isEmptyObject(members.value());
  const members = memberFields(schema, initial, isThere);
  const isOpen = required === true || initial !== undefined;
  return {
    element: group(options, isOpen, members.element),
    value: () => {
      const value = members.value();
      return isEmptyObject(value) && !required && initial === undefined ? undefined : value;
    },
  };
}

const isEmptyObject = (node: JsonNode) => node.kind === 'object' && node.members.size === 0;

/** The fields of an object, without a frame around them. `isThere`: whether it is sent, so that its members are needed. */
export function memberFields(
  schema: SchemaData,
  initial: JsonNode | undefined,
  isThere: () => boolean,
  make: (property: PropertyData, options: FieldOptions) => Field = (property, options) =>
    createField(property.schema, options),
): { readonly element: HTMLElement; value(): JsonNode } {
  const given: ReadonlyMap<string, JsonNode> =
    initial?.kind === 'object' ? initial.members : new Map();
  const properties = schema.properties ?? [];
  const fields = properties.map((property) => {
    const { name, required } = property;
    const needed = required ? isThere : undefined;
    return { name, field: make(property, { name, required, needed, initial: given.get(name) }) };
  });
  const known = new Set(properties.map(({ name }) => name));
  const others = [...given].filter(([name]) => !known.has(name));
  const rows = namedRows(schema.additional, others);
  return {
    element: element(
      'div',
      { class: 'try-fields' },
      ...fields.map(({ field }) => field.element),
      rows.element,
    ),
    value: () => {
      const entries = fields.map(({ name, field }) => [name, field.value()] as const);
      const all = [...entries, ...rows.entries()];
      return {
        kind: 'object',
        members: new Map(all.filter((entry) => entry[1] !== undefined) as [string, JsonNode][]),
      };
    },
  };
}

/** Members with names of the reader's own. */
function namedRows(
  schema: SchemaData | undefined,
  given: readonly (readonly [string, JsonNode])[],
) {
  const rows = new Map<HTMLElement, () => readonly [string, JsonNode | undefined]>();
  const list = element('div', { class: 'try-rows' });
  const add = (name: string, initial?: JsonNode) => {
    const key = element('input', {
      class: 'try-input',
      'aria-label': 'Name of the member',
      placeholder: 'name',
    });
    key.value = name;
    const field = createField(schema ?? {}, { name: 'Value', initial });
    const row = removable(
      element('div', { class: 'try-pair' }, key, field.element),
      'Remove this member',
      () => rows.delete(row),
    );
    rows.set(row, () => [key.value, field.value()]);
    list.append(row);
    return key;
  };
  for (const [name, node] of given) add(name, node);
  const adder = button('Add a member', { class: 'try-add', onclick: () => add('').focus() });
  return {
    element: element(
      'div',
      { hidden: schema === undefined && given.length === 0 },
      list,
      schema === undefined ? undefined : adder,
    ),
    entries: () => [...rows.values()].map((read) => read()).filter(([name]) => name !== ''),
  };
}

function listField(schema: SchemaData, options: FieldOptions): Field {
  const { initial, required, name } = options;
  const rows = new Map<HTMLElement, Field>();
  const list = element('div', { class: 'try-rows' });
  const add = (node?: JsonNode) => {
    const item = createField(schema.items ?? {}, {
      name: `${name}, item`,
      kind: '',
      initial: node,
      required: true,
      isItem: true,
    });
    const row = removable(
      element('div', { class: 'try-item' }, item.element),
      `Remove this item of ${name}`,
      () => rows.delete(row),
    );
    rows.set(row, item);
    list.append(row);
    return row;
  };
  for (const node of initial?.kind === 'array' ? initial.items : []) add(node);
  const adder = button('Add an item', {
    class: 'try-add',
    onclick: () => add().querySelector<HTMLElement>('input, select, textarea, button')?.focus(),
  });
  const items = schema.items && kindOf(schema.items);
  const kind = items ? `array of ${items}` : 'array';
  const value = (): JsonNode | undefined => {
    const nodes = [...rows.values()]
      .map((field) => field.value())
      .filter((node) => node !== undefined);
    const isEmpty = nodes.length === 0 && !(required && initial !== undefined);
    return isEmpty ? undefined : { kind: 'array', items: nodes };
  };
  // Items have notes of their own.
  const problem = valueNote(adder, options, value, (node) => ownProblem(schema, node));
  return { element: group({ ...options, kind }, true, list, adder, problem), value };
}

/** One of several schemas: the reader says which. */
function alternativesField(
  schema: SchemaData,
  choices: readonly SchemaData[],
  options: FieldOptions,
): Field {
  const { properties = [], additional } = schema;
  // What stands beside `oneOf` holds for each of them.
  const merged = choices.map(
    (choice): SchemaData =>
      properties.length === 0 || choice.type !== 'object'
        ? choice
        : {
            ...(additional && { additional }),
            ...choice,
            properties: [...properties, ...(choice.properties ?? [])],
          },
  );
  const place = element('div', {});
  let field: Field;
  const show = (at: number, initial: JsonNode | undefined) => {
    field = createField(merged[at] ?? {}, {
      name: options.name,
      required: options.required,
      needed: options.needed,
      initial,
    });
    place.replaceChildren(field.element);
  };
  const { initial } = options;
  const start = initial === undefined ? 0 : Math.max(0, bestChoice(merged, initial));
  const names = choices.map(({ title, type }, at) => ({
    value: String(at),
    text: title ?? type ?? `Choice ${at + 1}`,
  }));
  const control = select(names, String(start), {
    onchange: () => {
      show(Number(control.value), undefined);
      changed(place);
    },
  });
  show(start, initial);
  return {
    element: element(
      'div',
      { class: 'try-fields' },
      labelled({ ...options, kind: 'one of' }, control),
      place,
    ),
    value: () => field.value(),
  };
}

/** The choice that knows the most of a value's members. */
function bestChoice(choices: readonly SchemaData[], node: JsonNode): number {
  const score = (schema: SchemaData) => {
    if (!fits(schema, node)) return -1;
    if (node.kind !== 'object') return 1;
    const known = schema.properties ?? [];
    const missing = known.filter(({ name, required }) => required && !node.members.has(name));
    return known.filter(({ name }) => node.members.has(name)).length - 2 * missing.length;
  };
  const scores = choices.map(score);
  return scores.indexOf(Math.max(...scores));
}

function group(options: FieldOptions, isOpen: boolean, ...content: HTMLElement[]): HTMLElement {
  return element(
    'details',
    { class: 'try-group', open: isOpen },
    element('summary', {}, ...labelParts(options)),
    options.hint ? element('p', { class: 'try-hint' }, options.hint) : undefined,
    ...content,
  );
}

/** A row with a button that takes it away. */
function removable(row: HTMLElement, label: string, remove: () => void): HTMLElement {
  row.append(
    button('\u00d7', {
      class: 'try-remove',
      'aria-label': label,
      title: label,
      onclick: () => {
        remove();
        const list = row.parentElement;
        row.remove();
        if (list === null) return;
        changed(list);
        list.parentElement?.querySelector<HTMLElement>(':scope > .try-add')?.focus();
      },
    }),
  );
  return row;
}
