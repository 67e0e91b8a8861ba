import { createHmac } from 'node:crypto';
import type {
  AddedFactor,
  AuthenticatorAppDraft,
  Factors,
} from '../../../server/src/accounts/factors/factor.ts';
import { json, PASSWORD, type Service, type Visitor } from '../../support/service.ts';
import type { SoftwarePasskey } from './software-passkey.ts';

const STEP_MS = 30_000;

/** The code that an app with this secret shows, by RFC 6238. */
export function codeOf(secret: string, now: number): string {
  const bits = [...secret]
    .map((letter) =>
      'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
    )
    .join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(now / STEP_MS)));
  const mac = createHmac('sha1', key).update(counter).digest();
  const number = mac.readUInt32BE((mac[19] ?? 0) & 15) & 0x7fffffff;
  return `${number % 1_000_000}`.padStart(6, '0');
}

/** A code that such an app does not show within half an hour. */
export function wrongCode(secret: string, now: number): string {
  const shown = Array.from({ length: 121 }, (_, at) => codeOf(secret, now + (at - 60) * STEP_MS));
  let wrong = '000000';
  while (shown.includes(wrong)) wrong = `${Number(wrong) + 1}`.padStart(6, '0');
  return wrong;
}

/** Sets up an app as the Account page does; its secret, and the recovery codes. */
export async function addApp(
  visitor: Visitor,
  now: number,
): Promise<{ secret: string; recoveryCodes: readonly string[] | null }> {
  const drafted = await visitor.call('POST', '/api/account/authenticator-app/draft');
  const { secret, draft } = await json<AuthenticatorAppDraft>(drafted);
  const body = { draft, code: codeOf(secret, now) };
  const added = await visitor.call('PUT', '/api/account/authenticator-app', body);
  return { secret, ...(await json<AddedFactor>(added)) };
}

type Options = { options: Parameters<SoftwarePasskey['get']>[0] };

export const optionsOf = async (visitor: Visitor, path: string) =>
  (await json<Options>(await visitor.call('POST', `/api${path}/options`))).options;

/** Adds a passkey as the Account page does. */
export async function addPasskey(
  visitor: Visitor,
  passkey: SoftwarePasskey,
): Promise<readonly string[] | null> {
  const options = await optionsOf(visitor, '/account/passkeys');
  const added = await visitor.call('POST', '/api/account/passkeys', passkey.create(options));
  return (await json<AddedFactor>(added, 201)).recoveryCodes;
}

/** Uses a passkey at an address of the API: `/session/passkey`, say. */
export async function answerWith(
  visitor: Visitor,
  path: string,
  passkey: SoftwarePasskey,
  lies: Parameters<SoftwarePasskey['get']>[1] = {},
): Promise<Response> {
  const options = await optionsOf(visitor, path);
  return visitor.call('POST', `/api${path}`, passkey.get(options, lies));
}

/** A browser in which the password was right. */
export async function withPassword(
  service: Service,
  email: string,
  { status = 202, headers = {}, password = PASSWORD } = {},
): Promise<Visitor> {
  const visitor = service.visitor();
  const answer = await visitor.call('POST', '/api/session', { email, password }, headers);
  await json(answer, status);
  return visitor;
}

export const factorsOf = async (visitor: Visitor) =>
  json<Factors>(await visitor.call('GET', '/api/account/factors'));

export const statusOf = async (visitor: Visitor) =>
  (await visitor.call('GET', '/api/session')).status;
