/** How a link within text looks. */
export const TEXT_LINK =
  'rounded-sm font-medium text-ink underline decoration-outline underline-offset-3 hover:decoration-ink';
