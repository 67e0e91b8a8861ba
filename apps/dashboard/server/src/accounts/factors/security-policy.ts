import { conflict } from '../../api-error.ts';
import type { Deps } from '../../deps.ts';
import { writeAudit } from '../../store/audit.ts';
import type { Db } from '../../store/schema.ts';
import {
  listUsersWithoutFactor,
  readSecurityPolicy,
  saveSecurityPolicy,
} from '../../store/security-policy.ts';
import type { Caller } from '../caller.ts';
import type { InstallationSecurity, SecurityPolicy } from './factor.ts';
import { factorsOf, hasFactor } from './factors.ts';

const MAX_LISTED = 100;

/** What the installation requires, and who has no second factor. */
export async function installationSecurity(db: Db): Promise<InstallationSecurity> {
  const policy = await readSecurityPolicy(db);
  const everyone = await listUsersWithoutFactor(db, 'everyone');
  const owners = await listUsersWithoutFactor(db, 'owners');
  return {
    ...present(policy),
    without: {
      everyone: everyone.length,
      owners: owners.length,
      people: everyone.slice(0, MAX_LISTED),
    },
  };
}

/**
 * Changes what the installation requires, from the next sign-in of each on. Throws ApiError `conflict` where the caller
 * would be the first to be kept out: they set up their own factor before they require one.
 */
export async function changeSecurityPolicy(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { user, actor }: Caller,
  next: SecurityPolicy,
): Promise<void> {
  if (next.secondFactor !== 'optional' && !hasFactor(await factorsOf(db, user.id))) {
    throw conflict('Set up a second factor of your own before you require one: Account, Security.');
  }
  await db.transaction().execute(async (trx) => {
    const before = present(await readSecurityPolicy(trx));
    const isSame =
      before.secondFactor === next.secondFactor && before.afterProvider === next.afterProvider;
    if (isSame) return;
    await saveSecurityPolicy(trx, {
      second_factor: next.secondFactor,
      after_provider: next.afterProvider ? 1 : 0,
    });
    await writeAudit(trx, now(), actor, {
      action: 'security.update',
      target: 'the installation',
      details: { from: before, to: next },
    });
  });
}

function present({
  second_factor,
  after_provider,
}: Awaited<ReturnType<typeof readSecurityPolicy>>): SecurityPolicy {
  return { secondFactor: second_factor, afterProvider: after_provider === 1 };
}
