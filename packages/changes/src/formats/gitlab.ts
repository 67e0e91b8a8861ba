import type { ChangeList } from '../change.ts';
import type { Verdict } from '../rules.ts';
import { sideOf } from './grouped.ts';

const SEVERITIES: Readonly<Record<Verdict, string>> = {
  breaking: 'critical',
  risky: 'minor',
  compatible: 'info',
  documentation: 'info',
};

/** A Code Quality report of GitLab's, which it shows in a merge request. */
export function changesGitlab({ changes }: ChangeList): string {
  const report = changes.map((change) => {
    const { code, verdict, operation, message } = change;
    const side = sideOf(change);
    return {
      description: `${operation === null ? '' : `${operation}: `}${message}`,
      check_name: code,
      // The same for the same change of the next commit, wherever its line is then.
      fingerprint: fingerprint([
        code,
        operation,
        change.old?.pointer,
        change.new?.pointer,
        message,
      ]),
      severity: SEVERITIES[verdict],
      location: { path: side?.file ?? '', lines: { begin: side?.line ?? 1 } },
    };
  });
  return `${JSON.stringify(report, undefined, 2)}\n`;
}

/** 64 bits of FNV-1a: no secret, and no two changes of a document have the same by chance. */
export function fingerprint(parts: readonly unknown[]): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(JSON.stringify(parts)))
    hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  return hash.toString(16).padStart(16, '0');
}
