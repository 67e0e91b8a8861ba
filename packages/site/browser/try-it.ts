/** Shows the page's button for trying its operation. The panel is loaded when it is first opened. */
export function offerPanel(within: ParentNode): void {
  for (const button of within.querySelectorAll<HTMLButtonElement>('.ref-try')) {
    button.hidden = false;
    button.addEventListener('click', () => open(button));
  }
}

async function open(button: HTMLButtonElement): Promise<void> {
  button.setAttribute('aria-busy', 'true');
  try {
    const { openPanel } = await import('./panel/panel.ts');
    await openPanel(button);
  } catch (error) {
    button.textContent = 'Not loaded. Try again';
    throw error;
  } finally {
    button.removeAttribute('aria-busy');
  }
}
