import { Resolver } from 'node:dns/promises';
import { AcmeProblem } from './acme-problem.ts';

/** RFC 8659, section 3, as far as a test needs it: rejects with AcmeProblem where a record forbids to issue. */
export async function checkCaa(
  hostname: string,
  identity: string,
  nameServer: string,
): Promise<void> {
  const resolver = new Resolver({ timeout: 3_000, tries: 1 });
  resolver.setServers([nameServer]);
  for (let name = hostname; name !== ''; name = name.slice(name.indexOf('.') + 1 || name.length)) {
    // Most names have none, and some not even that.
    const records = await resolver.resolveCaa(name).catch(() => []);
    const issuers = records.flatMap(({ issue }) => (issue === undefined ? [] : [issue]));
    if (records.length === 0) continue;
    const isAllowed = issuers.some((issue) => issue.split(';')[0]?.trim() === identity);
    if (issuers.length > 0 && !isAllowed) {
      throw new AcmeProblem('caa', `CAA record for ${name} prevents issuance`);
    }
    return;
  }
}
