/** What an operator bounds, and of what. */
export const QUOTAS = {
  projects: { of: 'account', unit: 'count', what: 'projects that an account owns' },
  'account-bytes': {
    of: 'account',
    unit: 'bytes',
    what: 'bytes that all projects of an account hold',
  },
  bytes: { of: 'project', unit: 'bytes', what: 'bytes that a project holds' },
  'builds-per-hour': { of: 'project', unit: 'count', what: 'deploys of a project in an hour' },
  domains: {
    of: 'project',
    unit: 'count',
    what: 'custom domains of a project, in place of its plan',
  },
} as const satisfies Record<
  string,
  { of: 'account' | 'project'; unit: 'count' | 'bytes'; what: string }
>;

export type QuotaName = keyof typeof QUOTAS;
/** The names of what is of an account, or of a project. */
export type QuotaOf<Of extends 'account' | 'project'> = {
  [Name in QuotaName]: (typeof QUOTAS)[Name]['of'] extends Of ? Name : never;
}[QuotaName];

export const QUOTA_NAMES = Object.keys(QUOTAS) as QuotaName[];

export const quotasOf = <Of extends 'account' | 'project'>(of: Of) =>
  QUOTA_NAMES.filter((name): name is QuotaOf<Of> => QUOTAS[name].of === of);
