/** What narrows a log, as the API takes it; what is empty is left out. */
export type AuditFilter = Readonly<
  Partial<Record<'actor' | 'action' | 'project' | 'target' | 'from' | 'to', string>>
>;

/** A filter of what was typed. */
export function auditFilter(values: Record<string, string>): AuditFilter {
  const given = Object.entries(values).map(([name, value]) => [name, value.trim()] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}
