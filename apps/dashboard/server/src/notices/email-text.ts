import type { NoticeType, Payload } from './notice.ts';

const SUBJECTS: Record<NoticeType, (hostname: string) => string> = {
  'domain.verified': (hostname) => `${hostname} is verified`,
  'domain.certificate_issued': (hostname) => `${hostname} has its certificate`,
  'domain.certificate_failed': (hostname) => `${hostname} has no certificate yet`,
  'domain.certificate_expiring': (hostname) => `The certificate of ${hostname} expires soon`,
  'domain.moved_away': (hostname) => `The DNS of ${hostname} leads elsewhere`,
  'domain.claimed_elsewhere': (hostname) => `Another project claims ${hostname}`,
  'domain.lost': (hostname) => `${hostname} belongs to another project now`,
  'domain.removed': (hostname) => `${hostname} is removed`,
};

/** The subject and the text of an e-mail about a notice. `dashboard`: the origin that links lead to. */
export function emailAbout(
  { type, data: { project, hostname, message } }: Payload,
  dashboard: string,
): { subject: string; text: string } {
  const settings = `${dashboard}/projects/${encodeURIComponent(project)}/settings`;
  const domains = `${settings}/domains`;
  // What is removed has no page any more.
  const page = type === 'domain.removed' ? domains : `${domains}/${encodeURIComponent(hostname)}`;
  const text = `${message}

Domain:  ${hostname}
Project: ${project}
${page}

--\x20
You get this because you own the project in the dashboard at
${dashboard}
`;
  return { subject: SUBJECTS[type](hostname), text };
}
