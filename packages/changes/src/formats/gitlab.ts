import type { ChangeList } from '../change.ts';
import type { Verdict } from '../rules.ts';
import { sentenceOf, sideOf } from './grouped.ts';

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
      description: sentenceOf(change),
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
      location: { path: (side?.file ?? '').toWellFormed(), lines: { begin: side?.line ?? 1 } },
    };
  });
  return `${JSON.stringify(report, undefined, 2)}\n`;
}

/** 64 bits of two hashes: no secret, and no two changes of a document have the same by chance. */
export function fingerprint(parts: readonly unknown[]): string {
  const text = JSON.stringify(parts);
  let [one, other] = [0x811c9dc5, 0x9747b28c];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    // FNV-1a, and the same with a multiplier of MurmurHash's.
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x5bd1e995);
    other ^= other >>> 15;
  }
  return [one, other].map((part) => (part >>> 0).toString(16).padStart(8, '0')).join('');
}
