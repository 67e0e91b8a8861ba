import { invalidRequest } from '../../api-error.ts';
import { authenticatorAppContext } from '../../certificates/sealing.ts';
import type { Deps } from '../../deps.ts';
import { findAuthenticatorApp } from '../../store/authenticator-apps.ts';
import type { UserRow } from '../../store/users.ts';
import { makeTotpSecret, otpauthAddress, stepOfCode } from './totp.ts';

type AppDeps = Pick<Deps, 'db' | 'now' | 'sealer' | 'addresses'>;

/** How long someone may take to set up an app. */
const SET_UP_MS = 30 * 60_000;

const context = ({ id }: Pick<UserRow, 'id'>) => authenticatorAppContext(id);
/** Another one, so that nothing under way passes for what is set up. */
const draftContext = (user: Pick<UserRow, 'id'>) => `new ${context(user)}`;

/** What an app is set up with. */
export interface AppDraft {
  /** In base32, to be typed where no camera is at hand. */
  readonly secret: string;
  /** What the QR code says. */
  readonly uri: string;
  /** The secret for this user and for a while, sealed: it comes back with the first code, and is stored then alone. */
  readonly draft: string;
}

/** Begins to set up an app. Nothing is stored. */
export function draftApp({ now, sealer, addresses }: AppDeps, user: UserRow): AppDraft {
  const secret = makeTotpSecret();
  const draft = sealer.seal(`${now() + SET_UP_MS} ${secret}`, draftContext(user));
  const { hostname } = new URL(addresses().dashboard);
  return { secret, uri: otpauthAddress(secret, user.email, hostname), draft };
}

/**
 * The secret of a draft, sealed to be stored, and the time step of the code that shows that the app has it. Throws
 * ApiError `invalid_request` where the code is another one, or the draft is not this user's or too old.
 */
export function checkDraft(
  { now, sealer }: Pick<AppDeps, 'now' | 'sealer'>,
  user: UserRow,
  { draft, code }: { draft: string; code: string },
): { sealedSecret: string; step: number } {
  const [until = '', secret = ''] = openDraft(sealer, user, draft).split(' ');
  if (Number(until) <= now()) throw staleDraft();
  const step = stepOfCode(secret, code, now());
  if (step === undefined) {
    throw invalidRequest(
      'code must be the one that the app shows now. If it is refused again, check the clock of your phone.',
    );
  }
  return { sealedSecret: sealer.seal(secret, context(user)), step };
}

function openDraft(sealer: AppDeps['sealer'], user: UserRow, draft: string): string {
  try {
    return sealer.open(draft, draftContext(user));
  } catch {
    throw staleDraft();
  }
}

function staleDraft() {
  return invalidRequest('draft must be the one of a set-up that began less than 30 minutes ago.');
}

/** The secret of a user's app; undefined where they have none. */
export async function secretOf(
  { db, sealer }: Pick<AppDeps, 'db' | 'sealer'>,
  user: Pick<UserRow, 'id'>,
): Promise<string | undefined> {
  const app = await findAuthenticatorApp(db, user.id);
  return app && sealer.open(app.sealed_secret, context(user));
}
