import { DATA_ID, type OperationData } from '../src/request/operation-data.ts';
import { OWN_ORIGIN, SAMPLE_LANGUAGES } from '../src/samples/languages.ts';
import { chosenExample, onExampleChosen } from './chosen-example.ts';
import { find } from './dom.ts';

const REMEMBERED = 'sample-language';

/** A code that the page was built with. */
interface BuiltSample {
  readonly language: string;
  readonly title: string;
  readonly code: readonly Node[];
  /** Whether it shows the first example of the body, and is made anew for another; otherwise it is the document's own. */
  readonly isMade: boolean;
}

/** Offers the other languages of the page's code sample, and shows the one that was chosen before. */
export function startSamples(root: ParentNode = document): void {
  const sample = find('.ref-sample:not([data-started])', root);
  if (!sample) return;
  sample.dataset.started = '';
  for (const text of sample.querySelectorAll('code span')) {
    if (text.firstElementChild) continue;
    text.textContent = text.textContent.replace(OWN_ORIGIN, location.origin);
  }
  const built = builtSamples(sample);
  const box = oneBox(sample);
  const code = box && find('code', box);
  if (box && code) offerLanguages(box, code, built);
}

function builtSamples(sample: HTMLElement): BuiltSample[] {
  const labels = [...sample.querySelectorAll<HTMLElement>(':scope > label')];
  if (labels.length === 0) {
    return [{ language: 'curl', title: 'curl', code: codeOf(sample), isMade: true }];
  }
  return labels.map((label) => ({
    language: label.dataset.language ?? '',
    title: label.textContent ?? '',
    code: codeOf(label.nextElementSibling),
    isMade: label.dataset.made !== undefined,
  }));
}

const codeOf = (within: Element | null) => [
  ...((within && find('code', within))?.childNodes ?? []),
];

/** In place of the tabs of a document's own samples, the box of the first of them. */
function oneBox(sample: HTMLElement): HTMLElement | null {
  if (sample.matches('.code-box')) return sample;
  const box = find('.code-box', sample);
  if (!box) return null;
  box.classList.add('ref-sample');
  const title = document.createElement('span');
  title.textContent = 'Request';
  find('.code-head', box)?.prepend(title, document.createElement('span'));
  sample.replaceWith(box);
  return box;
}

function offerLanguages(box: HTMLElement, code: HTMLElement, built: readonly BuiltSample[]): void {
  const select = document.createElement('select');
  select.className = 'ref-language';
  select.setAttribute('aria-label', 'Language of the code sample');
  const made = Object.entries(SAMPLE_LANGUAGES).filter(
    ([id]) => !built.some(({ language }) => language === id),
  );
  for (const [at, { title }] of built.entries()) select.add(new Option(title, String(at)));
  for (const [id, title] of made) select.add(new Option(title, id));
  // The page has the language's name there for readers without scripts.
  box.querySelector('.code-head > span + span')?.replaceWith(select);

  let shown = select.value;
  let turn = 0;
  const show = async () => {
    turn += 1;
    const mine = turn;
    const wanted = select.value;
    try {
      const nodes = await codeFor(wanted, built[Number(wanted)]);
      // Another one may have been chosen meanwhile.
      if (mine !== turn) return;
      code.replaceChildren(...nodes);
      shown = wanted;
    } catch (error) {
      if (mine === turn) select.value = shown;
      throw error;
    }
  };
  onExampleChosen(show);
  select.addEventListener('change', () => {
    remember(built[Number(select.value)]?.language ?? select.value);
    return show();
  });
  const before = remembered();
  const at = built.findIndex(({ language }) => language === before);
  const isOffered = at >= 0 || made.some(([id]) => id === before);
  if (before === null || !isOffered) return;
  select.value = at >= 0 ? String(at) : before;
  if (select.value !== shown) void show();
}

/** The code in a language, with the example that is chosen. The snippets are loaded when the first of them is shown. */
async function codeFor(wanted: string, own: BuiltSample | undefined): Promise<readonly Node[]> {
  const choice = chosenExample();
  if (own && !(own.isMade && choice.some((at) => at > 0))) return own.code;
  const { snippetNodes } = await import('./snippets.ts');
  const data = JSON.parse(document.getElementById(DATA_ID)?.textContent ?? '') as OperationData;
  return snippetNodes(data, own?.language ?? wanted, choice);
}

function remember(language: string): void {
  try {
    localStorage.setItem(REMEMBERED, language);
  } catch {
    // Then the choice lasts as long as the page.
  }
}

function remembered(): string | null {
  try {
    return localStorage.getItem(REMEMBERED);
  } catch {
    return null;
  }
}
