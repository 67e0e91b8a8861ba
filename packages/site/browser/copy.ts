import { button, find } from './dom.ts';

/** How long a button tells what came of it, in milliseconds. */
const TOLD = 2_000;

/** Gives each box of code a button that copies it, and the page one that copies its Markdown. */
export function addCopyButtons(within: ParentNode): void {
  for (const box of within.querySelectorAll('.code-box')) {
    const head = find('.code-head', box);
    if (!head || find('.code-copy', head)) continue;
    // The code may be exchanged for that of another language, so it is read when it is wanted.
    const code = async () => find('pre:not([hidden]) code', box)?.textContent ?? '';
    head.append(copies(button('code-copy', 'Copy', 'Copy code'), code));
  }
  for (const link of within.querySelectorAll<HTMLAnchorElement>('a[data-copy-page]')) {
    // It has its place in the page already, so that nothing moves.
    const copy = find<HTMLButtonElement>('.page-copy', link.parentElement ?? within);
    if (!copy?.hidden) continue;
    copies(copy, () => fetch(link.href).then(textOf));
    copy.hidden = false;
  }
}

async function textOf(response: Response): Promise<string> {
  if (!response.ok) throw new Error(`${response.url} was answered with ${response.status}.`);
  return response.text();
}

/** Makes a button copy `content`, and tell what came of it. Returns the button. */
export function copies(copy: HTMLButtonElement, content: () => Promise<string>): HTMLButtonElement {
  const { textContent: text, ariaLabel: label } = copy;
  const tell = (told: string, name: string) => {
    copy.textContent = told;
    if (label !== null) copy.ariaLabel = name;
  };
  copy.addEventListener('click', async () => {
    const told = await writeToClipboard(content()).then(
      () => 'Copied',
      () => 'Not copied',
    );
    tell(told, told);
    setTimeout(() => tell(text, label ?? text), TOLD);
  });
  return copy;
}

/** Safari allows it only as part of the click, so the text may come later than the call. */
async function writeToClipboard(text: Promise<string>): Promise<void> {
  const type = 'text/plain';
  const blob = text.then((value) => new Blob([value], { type }));
  await navigator.clipboard.write([new ClipboardItem({ [type]: blob })]);
}
