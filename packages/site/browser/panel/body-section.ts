import type { BodyValue, FileLike, FormField } from '../../src/request/build-request.ts';
import { type ExampleChoice, withExample } from '../../src/request/choose-example.ts';
import { formField } from '../../src/request/example-values.ts';
import { formatJson, type JsonNode, parseJson, writeJson } from '../../src/request/json-text.ts';
import {
  boundaryOf,
  isFile,
  isJson,
  isMultipart,
  isText,
  isUrlencoded,
} from '../../src/request/media-types.ts';
import type { BodyData, MediaData, SchemaData } from '../../src/request/operation-data.ts';
import { jsonProblem, valueProblem } from '../../src/request/value-problem.ts';
import type { Field } from './controls.ts';
import { button, changed, element, labelled, note, select, uniqueId } from './dom.ts';
import { createField, memberFields } from './fields.ts';

/** A body that a reader fills in. */
interface BodyPart {
  readonly element: HTMLElement;
  /** undefined: there is no body. */
  value(): BodyValue | undefined;
}

export interface BodySection extends BodyPart {
  /** Fills the body with an example, in place of what was entered. */
  choose(choice: ExampleChoice): void;
}

/** The body, in one of its media types. */
export function bodySection({ content, required }: BodyData): BodySection {
  const place = element('div', { class: 'try-fields' });
  const none = required ? undefined : element('input', { type: 'checkbox' });
  const isNeeded = () => required === true;
  let part: BodyPart;
  const choose = ([at, example]: ExampleChoice) => {
    const media = content[at] as MediaData;
    const filled = element('div', {});
    const fill = (which: number) => {
      part = mediaSection(withExample(media, which), isNeeded);
      filled.replaceChildren(part.element);
    };
    fill(example);
    control.value = String(at);
    place.replaceChildren(...exampleField(media, example, fill), filled);
  };
  const types = content.map(({ type }, at) => ({ value: String(at), text: type }));
  const control = select(types, '0', { onchange: () => choose([Number(control.value), 0]) });
  choose([0, 0]);
  return {
    element: element(
      'div',
      { class: 'try-fields' },
      content.length > 1 ? labelled({ name: 'Media type', isWord: true }, control) : undefined,
      place,
      none && element('label', { class: 'try-check' }, none, 'Send no body'),
    ),
    value: () => (none?.checked ? undefined : part.value()),
    choose,
  };
}

/** Offers the examples that the page has the text of; nothing for less than two. */
function exampleField(
  { example, examples = [] }: MediaData,
  chosen: number,
  choose: (at: number) => void,
): HTMLElement[] {
  const offered = examples.flatMap(({ name, text }, at) =>
    (at === 0 ? example : text) === undefined ? [] : [{ value: String(at), text: name }],
  );
  if (offered.length < 2) return [];
  const isOffered = offered.some(({ value }) => value === String(chosen));
  const all = isOffered ? offered : [{ value: '', text: 'none of them' }, ...offered];
  const control = select(all, isOffered ? String(chosen) : '', {
    onchange: () => choose(Number(control.value)),
  });
  return [labelled({ name: 'Example', isWord: true }, control)];
}

function mediaSection(media: MediaData, isNeeded: () => boolean): BodyPart {
  const { type } = media;
  // One without names is written as it is sent: nothing tells its parts apart but their order.
  const isWritten = boundaryOf(media.example ?? '') !== undefined;
  if (isMultipart(type)) return isWritten ? textSection(media, isNeeded) : formSection(media);
  if (isUrlencoded(type)) return media.schema ? formSection(media) : textSection(media, isNeeded);
  if (isJson(type) && media.schema) return jsonSection(media, media.schema, isNeeded);
  return isText(type) || media.example !== undefined
    ? textSection(media, isNeeded)
    : fileSection(type, isNeeded);
}

const MISSING = 'This operation needs a body.';

/** The text of a body as it is sent. */
function textSection({ type, example = '' }: MediaData, isNeeded: () => boolean): BodyPart {
  const control = rawText(example);
  const problem = note(control, (isSending) => {
    if (control.value === '') return isSending && isNeeded() ? MISSING : '';
    return (isJson(type) && jsonProblem(control.value)) || '';
  });
  return {
    element: labelled({ name: 'Body', isWord: true, kind: type }, control, problem),
    value: () => (control.value === '' ? undefined : { type, text: control.value }),
  };
}

function rawText(text: string): HTMLTextAreaElement {
  const control = element('textarea', { class: 'try-input try-code try-raw', spellcheck: 'false' });
  control.value = text;
  return control;
}

/** JSON in two views: a form made of the schema, and the text. The view that is shown is the one that counts. */
function jsonSection(
  { type, example = '' }: MediaData,
  schema: SchemaData,
  isNeeded: () => boolean,
): BodyPart {
  const raw = rawText(example);
  raw.setAttribute('aria-label', 'Body as JSON');
  const problem = note(raw, (isSending) => {
    if (raw.value.trim() === '') return isSending && isNeeded() ? MISSING : '';
    const node = parseJson(raw.value);
    return (node === undefined ? jsonProblem(raw.value) : valueProblem(schema, node)) ?? '';
  });
  const form = element('div', { class: 'try-form' });
  let root: { value(): JsonNode | undefined };
  const fromText = (): boolean => {
    const node = raw.value.trim() === '' ? undefined : parseJson(raw.value);
    // Its note says that it is not JSON.
    if (node === undefined && raw.value.trim() !== '') return false;
    const field = rootField(schema, node, isNeeded);
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
function rootField(schema: SchemaData, initial: JsonNode | undefined, isNeeded: () => boolean) {
  const isPlain = schema.type === 'object' && schema.choices === undefined;
  return isPlain && (initial === undefined || initial.kind === 'object')
    ? memberFields(schema, initial, () => true)
    : createField(schema, {
        name: 'Body',
        isWord: true,
        initial,
        required: true,
        needed: isNeeded,
      });
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
}: MediaData): BodyPart {
  const initial = example === undefined ? undefined : parseJson(example);
  const files: (() => FormField[])[] = [];
  const fileNames = new Set<string>();
  const isThere = () => true;
  const form = memberFields(schema, initial, isThere, (property, options) => {
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
  const problem = fileNote(input, () => required === true);
  const field: Field = {
    element: labelled({ name, kind: isList ? 'files' : 'file', required }, input, media, problem),
    value: () => undefined,
  };
  return { field, read };
}

const fileNote = (input: HTMLInputElement, isNeeded: () => boolean) =>
  note(input, (isSending) =>
    isSending && isNeeded() && !input.files?.length ? 'A file is needed.' : '',
  );

/** A body that is one file. */
function fileSection(type: string, isNeeded: () => boolean): BodyPart {
  const input = element('input', { class: 'try-input', type: 'file' });
  const file = (): FileLike | undefined => input.files?.[0];
  return {
    element: labelled({ name: 'File', isWord: true, kind: type }, input, fileNote(input, isNeeded)),
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
