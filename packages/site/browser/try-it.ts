/** Shows the page's button for trying its operation. The panel is loaded when it is first opened. */
export function offerPanel(within: ParentNode): void {
  for (const button of within.querySelectorAll<HTMLButtonElement>('.ref-try')) {
    button.hidden = false;
    button.addEventListener('click', () => open(button));
  }
}

async function open(button: HTMLButtonElement): Promise<void> {
  // A second click: the panel is on its way, and opens once.
  if (button.hasAttribute('aria-busy')) return;
  button.setAttribute('aria-busy', 'true');
  try {
    style ??= loadStyle();
    const [{ openPanel }] = await Promise.all([import('./panel/panel.ts'), style]);
    button.textContent = 'Try it';
    // The reader may have gone to another page of the site.
    if (button.isConnected) openPanel(button);
  } catch (error) {
    style = undefined;
    button.textContent = 'Not loaded. Try again';
    throw error;
  } finally {
    button.removeAttribute('aria-busy');
  }
}

let style: Promise<void> | undefined;

/** The panel's own style, which is there before the panel is seen. */
function loadStyle(): Promise<void> {
  const address = document.querySelector<HTMLMetaElement>('meta[name=panel-style]')?.content ?? '';
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = address;
  return new Promise((resolve, reject) => {
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      reject(new Error(`The style of the panel is not at ${address}.`));
    };
    document.head.append(link);
  });
}
