import { button } from './dom.ts';

/** A button that copies a text, and says so. */
export function copyButton(name: string, text: () => string): HTMLButtonElement {
  const made = button(name, {
    'aria-live': 'polite',
    onclick: async () => {
      const isCopied = await navigator.clipboard?.writeText(text()).then(
        () => true,
        () => false,
      );
      made.textContent = isCopied ? 'Copied' : 'Not allowed';
      setTimeout(() => {
        made.textContent = name;
      }, 2000);
    },
  });
  return made;
}
