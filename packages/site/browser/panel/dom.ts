type Attribute = string | number | boolean | undefined | ((event: Event) => void);
export type Attributes = { readonly [name: string]: Attribute };
export type Child = Node | string | undefined;

/** An element. Functions listen: `onclick`; what is undefined or false is left out. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, '');
    else if (value !== undefined && value !== false) made.setAttribute(key, String(value));
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

export function button(text: string, attributes: Attributes): HTMLButtonElement {
  return element('button', { type: 'button', class: 'try-button', ...attributes }, text);
}

export interface Option {
  readonly value: string;
  readonly text: string;
}

export function select(
  options: readonly Option[],
  chosen: string,
  attributes: Attributes,
): HTMLSelectElement {
  return element(
    'select',
    { class: 'try-input', ...attributes },
    ...options.map(({ value, text }) =>
      element('option', { value, selected: value === chosen }, text),
    ),
  );
}

let count = 0;

/** An id that no other element of the page has. */
export function uniqueId(): string {
  count += 1;
  return `try-${count}`;
}

/** Tells the panel that what is to be sent has changed, as an `input` event of a control does. */
export function changed(from: Element): void {
  from.dispatchEvent(new Event('input', { bubbles: true }));
}

export interface Labelled {
  readonly name: string;
  /** Whether the name is the panel's word, not one of the document. */
  readonly isWord?: boolean;
  /** `integer`, `date-time`. */
  readonly kind?: string | undefined;
  readonly required?: boolean | undefined;
  /** An item of a list is always sent, but nothing asks for it. */
  readonly isItem?: boolean;
  readonly deprecated?: boolean | undefined;
  readonly hint?: string | undefined;
}

/** A control with its label above and its hint below. */
export function labelled(labels: Labelled, control: HTMLElement, ...more: Child[]): HTMLElement {
  control.id ||= uniqueId();
  const hint = labels.hint
    ? element('p', { class: 'try-hint', id: uniqueId() }, labels.hint)
    : undefined;
  if (hint) describe(control, hint);
  return element(
    'div',
    { class: 'try-field' },
    element('label', { class: 'try-label', for: control.id }, ...labelParts(labels)),
    control,
    ...more,
    hint,
  );
}

function describe(control: HTMLElement, text: HTMLElement): void {
  const before = control.getAttribute('aria-describedby');
  control.setAttribute('aria-describedby', before ? `${before} ${text.id}` : text.id);
}

/** What is wrong with a control's value; '' for nothing. `isSending`: the reader has sent it, so what is missing counts. */
type Check = (isSending: boolean) => string;

const checks = new WeakMap<Element, Check>();

/** The place below a control for what is wrong with its value. It hinders nobody: bad requests are worth trying. */
export function note(control: HTMLElement, check: Check): HTMLElement {
  const made = element('p', { class: 'try-note', role: 'status', id: uniqueId() });
  describe(control, made);
  checks.set(made, check);
  return made;
}

/** Looks at all values anew. */
export function refreshNotes(within: Element, isSending: boolean): void {
  for (const place of within.querySelectorAll('.try-note')) {
    const text = checks.get(place)?.(isSending) ?? '';
    // What has not changed is not to be said again.
    if (place.textContent !== text) place.textContent = text;
  }
}

/** The parts of a label, with spaces for those who hear it. */
export function labelParts({
  name,
  isWord,
  kind,
  required,
  isItem,
  deprecated,
}: Labelled): Child[] {
  const parts = [
    element(
      'span',
      { class: isWord ? 'try-word' : deprecated ? 'try-name try-old' : 'try-name' },
      name,
    ),
    kind ? element('span', { class: 'try-kind' }, kind) : undefined,
    required && !isItem ? element('span', { class: 'try-needed' }, 'required') : undefined,
    deprecated ? element('span', { class: 'try-kind' }, 'deprecated') : undefined,
  ];
  return parts.flatMap((part) => (part === undefined ? [] : [part, ' ']));
}
