import assert from 'node:assert/strict';
import type { Page } from '@petstore/test-support/browser.ts';
import { timeUntil } from '@petstore/test-support/within.ts';

// A message stays for seconds, and the next one covers it. Whoever looks for it from time to time may come too late, so
// pages tell their messages as they appear.

/** Tells the text of each message of a page. */
const TELL_MESSAGES = `new MutationObserver((changes) => {
  for (const { target, addedNodes } of changes) {
    if (!target.closest?.('[role=region][aria-label=Notifications]')) continue;
    for (const { textContent } of addedNodes) tellMessage(textContent);
  }
}).observe(document, { childList: true, subtree: true });`;

/** Apart from the page's own scripts: frames in which none may run would complain of it otherwise. */
const WORLD = 'messages';

/** How long a page is waited for elsewhere, in milliseconds. */
const PATIENCE_MS = 90_000;

/** What a page has said, from the first message that no test has waited for. */
const messages = new WeakMap<Page, string[]>();

/** Has a page, before anything is opened in it, tell what it says. */
export async function noteMessages(page: Page): Promise<void> {
  const told: string[] = [];
  messages.set(page, told);
  const devtools = await page.context().newCDPSession(page);
  devtools.on('Runtime.bindingCalled', ({ name, payload }) => {
    if (name === 'tellMessage') told.push(payload);
  });
  await devtools.send('Page.enable');
  await devtools.send('Runtime.enable');
  await devtools.send('Runtime.addBinding', { name: 'tellMessage', executionContextName: WORLD });
  const script = { source: TELL_MESSAGES, worldName: WORLD };
  await devtools.send('Page.addScriptToEvaluateOnNewDocument', script);
}

/** Waits until a page has said something, since what was waited for last. */
export async function said(page: Page, text: string): Promise<void> {
  const told = messages.get(page);
  assert.ok(told, 'noteMessages has to be called first');
  const at = () => told.findIndex((message) => message.includes(text));
  const begun = performance.now();
  await timeUntil(async () => {
    if (at() >= 0) return true;
    const isOver = performance.now() - begun > PATIENCE_MS;
    assert.ok(!isOver, `“${text}” was not said, but: ${told.join(' ') || 'nothing'}`);
    return false;
  });
  told.splice(0, at() + 1);
}
