import type { BodyValue, FileLike, FormField } from '../../src/request/build-request.ts';
import { formField } from '../../src/request/example-values.ts';
import { formatJson, type JsonNode, parseJson, writeJson } from '../../src/request/json-text.ts';
import {
  isFile,
  isJson,
  isMultipart,
  isText,
  isUrlencoded,
} from '../../src/request/media-types.ts';
import type { BodyData, MediaData, SchemaData } from '../../src/request/operation-data.ts';
import type { Field } from './controls.ts';
import { button, changed, element, labelled, select, uniqueId } from './dom.ts';
import { createField, memberFields } from './fields.ts';

/** A body that a reader fills in. */
export interface BodySection {
  readonly element: HTMLElement;
  /** undefined: there is no body. */
  value(): BodyValue | undefined;
}

/** The body, in one of its media types. */
export function bodySection({ content, required }: BodyData): BodySection {
  const place = element('div', { class: 'try-body' });
  let part: BodySection;
  const show = (at: number) => {
    part = mediaSection(content[at] as MediaData);
    place.replaceChildren(part.element);
  };
  show(0);
  const types = content.map(({ type }, at) => ({ value: String(at), text: type }));
  const control = select(types, '0', { onchange: () => show(Number(control.value)) });
  const none = required ? undefined : element('input', { type: 'checkbox' });
  return {
    element: element(
      'div',
      { class: 'try-fields' },
      content.length > 1 ? labelled({ name: 'Media type', isWord: true }, control) : undefined,
      place,
      none && element('label', { class: 'try-check' }, none, 'Send no body'),
    ),
    value: () => (none?.checked ? undefined : part.value()),
  };
}

function mediaSection(media: MediaData): BodySection {
  const { type } = media;
  if (isMultipart(type)) return formSection(media);
  if (isUrlencoded(type)) return media.schema ? formSection(media) : textSection(media);
  if (isJson(type) && media.schema) return jsonSection(media, media.schema);
  return isText(type) || media.example !== undefined ? textSection(media) : fileSection(type);
}

/** The text of a body as it is sent. */
function textSection({ type, example = '' }: MediaData): BodySection {
  const control = rawText(example);
  return {
    element: labelled({ name: 'Body', isWord: true, kind: type }, control),
    value: () => (control.value === '' ? undefined : { type, text: control.value }),
  };
}

function rawText(text: string): HTMLTextAreaElement {
  const control = element('textarea', { class: 'try-input try-code try-raw', spellcheck: 'false' });
  control.value = text;
  return control;
}

/** JSON in two views: a form made of the schema, and the text. The view that is shown is the one that counts. */
function jsonSection({ type, example = '' }: MediaData, schema: SchemaData): BodySection {
  const raw = rawText(example);
  raw.setAttribute('aria-label', 'Body as JSON');
  const problem = element('p', { class: 'try-problem', role: 'status' });
  const form = element('div', { class: 'try-form' });
  let root: { value(): JsonNode | undefined };
  const fromText = (): boolean => {
    const node = raw.value.trim() === '' ? undefined : parseJson(raw.value);
    const isBroken = node === undefined && raw.value.trim() !== '';
    problem.textContent = isBroken ? 'This is not JSON, so it cannot be shown as a form.' : '';
    if (isBroken) return false;
    const field = rootField(schema, node);
    root = field;
    form.replaceChildren(field.element);
    return true;
  };
  const text = () => {
    const node = root.value();
    return node === undefined ? '' : (formatJson(writeJson(node)) ?? '');
  };
  let isRaw = !fromText();
  const { element: list, choose } = tabs(
    ['Form', 'JSON'],
    [form, element('div', {}, raw, problem)],
    (at) => {
      if (at === 1 && !isRaw) raw.value = text();
      if (at === 0 && isRaw && !fromText()) return false;
      isRaw = at === 1;
      changed(form);
      return true;
    },
  );
  if (isRaw || schema.type === undefined) choose(1);
  return {
    element: list,
    value: () => {
      const sent = isRaw ? raw.value : text();
      return sent === '' ? undefined : { type, text: sent };
    },
  };
}

/** The members of an object need no frame around them. */
function rootField(schema: SchemaData, initial: JsonNode | undefined) {
  const isPlain = schema.type === 'object' && schema.choices === undefined;
  return isPlain && (initial === undefined || initial.kind === 'object')
    ? memberFields(schema, initial)
    : createField(schema, { name: 'Body', isWord: true, initial, required: true });
}

/** Tabs as in https://www.w3.org/WAI/ARIA/apg/patterns/tabs/. `choosing` may refuse. */
function tabs(
  names: readonly string[],
  panels: readonly HTMLElement[],
  choosing: (at: number) => boolean,
) {
  const show = (at: number) => {
    for (const [index, tab] of buttons.entries()) {
      tab.setAttribute('aria-selected', String(index === at));
      tab.tabIndex = index === at ? 0 : -1;
      (panels[index] as HTMLElement).hidden = index !== at;
    }
  };
  const choose = (at: number) => choosing(at) && show(at);
  const buttons = names.map((name, at) => {
    const panel = panels[at] as HTMLElement;
    panel.id = uniqueId();
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-label', name);
    return button(name, {
      class: 'try-tab',
      role: 'tab',
      'aria-controls': panel.id,
      onclick: () => choose(at),
    });
  });
  const list = element(
    'div',
    { class: 'try-tabs', role: 'tablist', 'aria-label': 'Views of the body' },
    ...buttons,
  );
  list.addEventListener('keydown', ({ key }) => {
    const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    if (step === 0 || at < 0) return;
    const next = (at + step + buttons.length) % buttons.length;
    if (choose(next)) buttons[next]?.focus();
  });
  show(0);
  return { element: element('div', {}, list, ...panels), choose };
}

/** The fields of a form, of which some are files. */
function formSection({
  type,
  schema = { type: 'object', additional: {} },
  example,
  encoding,
}: MediaData): BodySection {
  const initial = example === undefined ? undefined : parseJson(example);
  const files: (() => FormField[])[] = [];
  const fileNames = new Set<string>();
  const form = memberFields(schema, initial, (property, options) => {
    const isList = property.schema.type === 'array';
    const holder = isList ? property.schema.items : property.schema;
    if (!isMultipart(type) || !holder || !isFile(holder))
      return createField(property.schema, options);
    const given = encoding?.find(({ name }) => name === property.name)?.contentType;
    const { field, read } = fileField(property.name, {
      isList,
      contentType: given,
      required: property.required,
    });
    fileNames.add(property.name);
    files.push(read);
    return field;
  });
  return {
    element: form.element,
    value: () => {
      const value = form.value();
      const members = value.kind === 'object' ? [...value.members] : [];
      const fields = members
        .filter(([name]) => !fileNames.has(name))
        .map(([name, node]) => {
          const styled = encoding?.find((one) => one.name === name);
          return formField(
            name,
            node,
            styled?.style !== undefined || styled?.explode !== undefined,
          );
        });
      return { type, fields: [...fields, ...files.flatMap((read) => read())] };
    },
  };
}

interface FileOptions {
  readonly isList: boolean;
  /** Of `encoding`: one or several media types. */
  readonly contentType?: string | undefined;
  readonly required?: boolean | undefined;
}

/** Files of a form, with the media type of their parts, which is otherwise the one that the browser sees. */
function fileField(name: string, { isList, contentType = '', required }: FileOptions) {
  const input = element('input', { class: 'try-input', type: 'file', multiple: isList });
  const [first = ''] = contentType.split(',').filter((one) => !one.includes('*'));
  const media = element('input', {
    class: 'try-input',
    'aria-label': `Media type of ${name}`,
    placeholder: 'media type of the file',
    spellcheck: 'false',
  });
  media.value = first.trim();
  const read = () =>
    [...(input.files ?? [])].map(
      (file): FormField => ({
        name,
        value: file,
        ...(media.value && { contentType: media.value }),
      }),
    );
  const field: Field = {
    element: labelled({ name, kind: isList ? 'files' : 'file', required }, input, media),
    value: () => undefined,
  };
  return { field, read };
}

/** A body that is one file. */
function fileSection(type: string): BodySection {
  const input = element('input', { class: 'try-input', type: 'file' });
  const file = (): FileLike | undefined => input.files?.[0];
  return {
    element: labelled({ name: 'File', isWord: true, kind: type }, input),
    value: () => {
      const chosen = file();
      if (chosen === undefined) return undefined;
      return {
        type: type.includes('*') ? chosen.type || 'application/octet-stream' : type,
        file: chosen,
      };
    },
  };
}
