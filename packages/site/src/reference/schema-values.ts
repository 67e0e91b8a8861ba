import { type Html, html } from '@petstore/http/html.ts';
import { truncate } from '@petstore/service/text.ts';
import type { AllowedValue } from './allowed-values.ts';
import { type Page, valueCode, warnOfLong } from './page-parts.ts';
import type { Shape } from './shape.ts';

/** How many allowed values are seen at once, and how many are in the page at all. */
const MAX_SEEN = 20;
const MAX_VALUES = 500;

/** The most letters of what is said of one value; it stands in a list. */
const MAX_DESCRIPTION = 1_000;

/** The allowed values, with what the document says of each. */
export function valuesHtml(page: Page, { values }: Shape, isOfItems = false): Html {
  if (values === undefined || values.length === 0) return html``;
  const shown = values.slice(0, MAX_VALUES);
  warnOfLong(
    page,
    'An allowed value',
    shown.map(({ value }) => value),
  );
  const seen = shown.length <= MAX_SEEN + 4 ? shown : shown.slice(0, MAX_SEEN);
  const others = shown.slice(seen.length);
  const list = shown.filter(isDescribed).length * 2 >= shown.length ? described : mostlyPlain;
  const rest =
    others.length > 0
      ? html`<details class="ref-more"><summary>${others.length} more values</summary>${list(page, others)}</details>`
      : '';
  const left = values.length - shown.length;
  if (left > 0) {
    page.context.warn(
      `The page shows ${MAX_VALUES} of ${values.length} allowed values.`,
      page.place,
    );
  }
  const mark =
    left > 0
      ? html`<p class="ref-cut">… and ${left} more values: see the <a href="${page.context.downloads.json}">OpenAPI document</a>.</p>`
      : '';
  return html`${list(page, seen, labelOf(values.length, isOfItems))}${rest}${mark}`;
}

function labelOf(size: number, isOfItems: boolean): string {
  if (isOfItems) return size === 1 ? 'Each is always' : 'Each is one of';
  return size === 1 ? 'Always' : 'One of';
}

/** Values of which most need no words, on one line, and below it the others. */
function mostlyPlain(page: Page, values: readonly AllowedValue[], label = ''): Html {
  const [said = [], others = []] = [true, false].map((is) =>
    values.filter((one) => isDescribed(one) === is),
  );
  return html`${plain(others, label)}${said.length > 0 ? described(page, said) : ''}`;
}

function plain(values: readonly AllowedValue[], label: string): Html {
  const codes = values.map(({ value }) => html` ${valueCode(value)}`);
  return html`<p class="ref-values">${label}${codes}</p>`;
}

const isDescribed = (one: AllowedValue) => titleOf(one) !== '' || one.description !== '';

/** What programs call a value; empty where that is the value. */
const titleOf = ({ value, name }: AllowedValue) => (name === String(value) ? '' : name);

function described({ context }: Page, values: readonly AllowedValue[]): Html {
  const rows = values.map((one) => {
    const text = context.descriptions.plain(truncate(one.description, MAX_DESCRIPTION));
    const title = titleOf(one);
    return html`<dt>${valueCode(one.value)}</dt><dd>${title && html`<b>${title}</b> `}${text}</dd>`;
  });
  return html`<dl class="ref-enum">${rows}</dl>`;
}
