/** The pages about an account: their names, and where they are. */
export const ACCOUNT_SECTIONS = [
  { label: 'Profile', to: '/account' },
  { label: 'Security', to: '/account/security' },
  { label: 'Tokens', to: '/account/tokens' },
] as const;
