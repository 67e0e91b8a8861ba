import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { serialOctets, X509Certificate } from '../../server/src/certificates/x509.ts';

// Chromium on Linux trusts, besides its own roots, those in the home folder's database of NSS: objects of
// PKCS #11 in a table of SQLite, a column for each attribute. Numbers are of 32 bits, big-endian.

const CLASS = 'a0';
const TOKEN = 'a1';
const PRIVATE = 'a2';
const LABEL = 'a3';
const VALUE = 'a11';
const CERTIFICATE_TYPE = 'a80';
const ISSUER = 'a81';
const SERIAL_NUMBER = 'a82';
const SUBJECT = 'a101';
const ID = 'a102';
const MODIFIABLE = 'a170';
const TRUST_SERVER_AUTH = 'ace536358';
const CERT_SHA1_HASH = 'ace5363b4';

const COLUMNS = [
  CLASS,
  TOKEN,
  PRIVATE,
  LABEL,
  VALUE,
  CERTIFICATE_TYPE,
  ISSUER,
  SERIAL_NUMBER,
  SUBJECT,
  ID,
  MODIFIABLE,
  TRUST_SERVER_AUTH,
  CERT_SHA1_HASH,
];

const CERTIFICATE = number(1);
const X509 = number(0);
/** CKO_NSS_TRUST: what a certificate is trusted for. */
const TRUST = number(0xce534353);
/** CKT_NSS_TRUSTED_DELEGATOR: as an authority. */
const AUTHORITY = number(0xce534352);

const YES = Buffer.of(1);
const NO = Buffer.of(0);

/** Has browsers with this home folder trust servers whose certificates lead to a root, given in PEM. */
export async function trustRoot(home: string, pem: string): Promise<void> {
  const folder = join(home, '.pki/nssdb');
  await mkdir(folder, { recursive: true });
  const root = new X509Certificate(pem);
  const value = Buffer.from(root.rawData);
  const common = {
    [TOKEN]: YES,
    [PRIVATE]: NO,
    [MODIFIABLE]: YES,
    [ISSUER]: Buffer.from(root.issuerName.toArrayBuffer()),
    [SERIAL_NUMBER]: derInteger(serialOctets(root)),
  };
  using database = new DatabaseSync(join(folder, 'cert9.db'));
  database.exec(
    `CREATE TABLE nssPublic (id PRIMARY KEY UNIQUE ON CONFLICT ABORT, ${COLUMNS.join(', ')})`,
  );
  insert(database, 1, {
    ...common,
    [CLASS]: CERTIFICATE,
    [CERTIFICATE_TYPE]: X509,
    [LABEL]: Buffer.from('root'),
    [VALUE]: value,
    [SUBJECT]: Buffer.from(root.subjectName.toArrayBuffer()),
    [ID]: Buffer.from('root'),
  });
  insert(database, 2, {
    ...common,
    [CLASS]: TRUST,
    [TRUST_SERVER_AUTH]: AUTHORITY,
    [CERT_SHA1_HASH]: createHash('sha1').update(value).digest(),
  });
}

function insert(database: DatabaseSync, id: number, attributes: Record<string, Buffer>): void {
  const names = Object.keys(attributes);
  const marks = names.map(() => '?');
  database
    .prepare(`INSERT INTO nssPublic (id, ${names.join(', ')}) VALUES (${id}, ${marks.join(', ')})`)
    .run(...Object.values(attributes));
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** X.690, section 8.3, of a number of fewer than 128 octets. */
function derInteger(octets: Buffer): Buffer {
  return Buffer.concat([Buffer.of(2, octets.length), octets]);
}
