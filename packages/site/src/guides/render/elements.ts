import type { Element, ElementContent, Properties, Text } from 'hast';

export const element = (
  tagName: string,
  properties: Properties,
  children: ElementContent[],
): Element => ({
  type: 'element',
  tagName,
  properties,
  children,
});

export const text = (value: string): Text => ({ type: 'text', value });

/** An icon, which the style draws in the colour of the text. */
function icon(outline: string): Element {
  const properties = { viewBox: '0 0 24 24', width: 18, height: 18, ariaHidden: 'true' };
  return element('svg', properties, [element('path', { d: outline }, [])]);
}

const INFO = 'M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20zM12 16v-4M12 8h.01';
const STOP = 'M7.86 2h8.28L22 7.86v8.28L16.14 22H7.86L2 16.14V7.86zM12 8v4M12 16h.01';

/** The kinds of notes, each with an outline of Lucide's icons (ISC licence). */
export const NOTES: Readonly<Record<string, { readonly name: string; readonly outline: string }>> =
  {
    NOTE: { name: 'Note', outline: INFO },
    INFO: { name: 'Info', outline: INFO },
    TIP: {
      name: 'Tip',
      outline:
        'M15 14c.2-1 .7-1.7 1.5-2.5 1-.9 1.5-2.2 1.5-3.5A6 6 0 0 0 6 8c0 1 .2 2.2 1.5 3.5.7.7 1.3 1.5 1.5 2.5M9 18h6M10 22h4',
    },
    CHECK: { name: 'Check', outline: 'M20 6 9 17l-5-5' },
    IMPORTANT: {
      name: 'Important',
      outline: 'M21 15a2 2 0 0 1-2 2H7l-4 4V5a2 2 0 0 1 2-2h14a2 2 0 0 1 2 2zM12 7v2M12 13h.01',
    },
    WARNING: {
      name: 'Warning',
      outline:
        'm21.73 18-8-14a2 2 0 0 0-3.48 0l-8 14A2 2 0 0 0 4 21h16a2 2 0 0 0 1.73-3M12 9v4M12 17h.01',
    },
    CAUTION: { name: 'Caution', outline: STOP },
    DANGER: { name: 'Danger', outline: STOP },
  };

/** A note of one of the `NOTES`, with a title of its own or that of its kind. */
export function noteBox(kind: string, title: string, children: ElementContent[]): Element {
  const note = NOTES[kind] ?? { name: kind, outline: INFO };
  const head = element('p', { className: ['note-title'] }, [
    icon(note.outline),
    text(title || note.name),
  ]);
  return element('div', { className: ['note', `note-${kind.toLowerCase()}`] }, [head, ...children]);
}
