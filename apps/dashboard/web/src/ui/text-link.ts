/** For the link of a row to the row's page: the whole row takes its clicks and shows its focus. */
export const ROW_LINK =
  'truncate after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent';

/** How a link within text looks. */
export const TEXT_LINK =
  'rounded-sm font-medium text-ink underline decoration-outline underline-offset-3 hover:decoration-ink';
