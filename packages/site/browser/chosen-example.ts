import type { ExampleChoice } from '../src/request/choose-example.ts';
import { find } from './dom.ts';

const LABELS = 'label[data-body] > input';

/** The example of the body that the reader chose beside the operation. */
export function chosenExample(): ExampleChoice {
  const text = find(`${LABELS}:checked`)?.parentElement?.dataset.body ?? '';
  const [media = 0, example = 0] = text.split(' ').map(Number);
  return [media, example];
}

/** Calls `act` when the reader has chosen another example. */
export function onExampleChosen(act: () => void): void {
  for (const input of document.querySelectorAll(LABELS)) input.addEventListener('change', act);
}
