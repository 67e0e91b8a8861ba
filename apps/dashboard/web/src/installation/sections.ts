const exactly = { exact: true };

/** The pages of the installation, in the order of their navigation. */
export const INSTALLATION_SECTIONS = [
  { label: 'People', to: '/installation/people' },
  { label: 'Sign-in', to: '/installation/sign-in', activeOptions: exactly },
  { label: 'Groups', to: '/installation/groups' },
  { label: 'Security', to: '/installation/security', activeOptions: exactly },
  { label: 'Quotas', to: '/installation/quotas', activeOptions: exactly },
  { label: 'Audit log', to: '/installation/audit', activeOptions: exactly },
  { label: 'DNS zone', to: '/installation/zone', activeOptions: exactly },
] as const;
