import { element } from './dom.ts';
import { keepKeys, keysOf, type SchemeName } from './keys.ts';

/** A secret of a scheme: not shown, and kept as it is typed. */
export function secretInput(scheme: SchemeName, field: 'value' | 'clientSecret'): HTMLInputElement {
  const input = element('input', {
    class: 'try-input',
    type: 'password',
    autocomplete: 'off',
    spellcheck: 'false',
    oninput: () => keepKeys(scheme, { ...keysOf(scheme), [field]: input.value }),
  });
  input.value = keysOf(scheme)[field] ?? '';
  return input;
}
