/**
 * The way of a certificate, in order. Each is written down before what it does is asked of the authority, and
 * the next one after the answer: a process that dies anywhere leaves a step that the next one can do again.
 */
export const STEPS = ['account', 'order', 'challenge', 'validate', 'finalize', 'download'] as const;
export type Step = (typeof STEPS)[number];

/** What the timeline says when a step is reached. */
export const STEP_MESSAGES: Readonly<Record<Step, string>> = {
  account: 'Connecting to the certificate authority.',
  order: 'Ordering a certificate.',
  challenge: 'The certificate authority took the order. Preparing the proof of control.',
  validate: 'The certificate authority looks at the host, to see that it is served from here.',
  finalize: 'The host is proven. Asking for the certificate.',
  download: 'The certificate is made. Fetching it.',
};

/** Throws on text that is none, which only a newer program can have written. */
export function stepOf(text: string): Step {
  const step = STEPS.find((known) => known === text);
  if (step === undefined) throw new Error(`no step of an issuance is named ${text}`);
  return step;
}
