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
  readonly deprecated?: boolean | undefined;
  readonly hint?: string | undefined;
}

/** A control with its label above and its hint below. */
export function labelled(labels: Labelled, control: HTMLElement, ...more: Child[]): HTMLElement {
  control.id ||= uniqueId();
  const hint = labels.hint
    ? element('p', { class: 'try-hint', id: uniqueId() }, labels.hint)
    : undefined;
  if (hint) control.setAttribute('aria-describedby', hint.id);
  return element(
    'div',
    { class: 'try-field' },
    element('label', { class: 'try-label', for: control.id }, ...labelParts(labels)),
    control,
    ...more,
    hint,
  );
}

/** The parts of a label, with spaces for those who hear it. */
export function labelParts({ name, isWord, kind, required, deprecated }: Labelled): Child[] {
  const parts = [
    element(
      'span',
      { class: isWord ? 'try-word' : deprecated ? 'try-name try-old' : 'try-name' },
      name,
    ),
    kind ? element('span', { class: 'try-kind' }, kind) : undefined,
    required ? element('span', { class: 'try-needed' }, 'required') : undefined,
    deprecated ? element('span', { class: 'try-kind' }, 'deprecated') : undefined,
  ];
  return parts.flatMap((part) => (part === undefined ? [] : [part, ' ']));
}
