const FILTERS = ['actor', 'action', 'project', 'target', 'from', 'to'] as const;

/** What narrows a log, as the API takes it; what is empty is left out. */
export type AuditFilter = Readonly<Partial<Record<(typeof FILTERS)[number], string>>>;

/** The filter that an address names. The router reads what looks like a number as one. */
export function auditFilterIn(search: Readonly<Record<string, unknown>>): AuditFilter {
  const texts = FILTERS.flatMap((name) => {
    const value = search[name];
    return typeof value === 'string' || typeof value === 'number' ? [[name, `${value}`]] : [];
  });
  return auditFilter(Object.fromEntries(texts));
}

/** A filter of what was typed. */
export function auditFilter(values: Record<string, string>): AuditFilter {
  const given = Object.entries(values).map(([name, value]) => [name, value.trim()] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}
