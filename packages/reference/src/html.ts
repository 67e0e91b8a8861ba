/** HTML that is safe to send: made by `html` alone. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | number | Html | readonly Html[];

/** A template for HTML. What is put into it is text unless it is HTML itself. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  let text = strings[0] ?? '';
  for (const [at, value] of values.entries()) text += toText(value) + (strings[at + 1] ?? '');
  return new Html(text);
}

function toText(value: Value): string {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(toText).join('');
  return escaped(String(value));
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as HTML has it, in elements and in attributes between quotation marks. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ESCAPES[char] ?? char);
}

/** JSON for a script element, which nothing in it can end. */
export function scriptJson(value: object): Html {
  return new Html(JSON.stringify(value).replaceAll('<', '\\u003c'));
}
