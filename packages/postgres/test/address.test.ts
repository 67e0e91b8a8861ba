import assert from 'node:assert/strict';
import { test } from 'node:test';
import '@petstore/test-support/clean-up.ts';
import { postgresAddress } from '@petstore/service/postgres-address.ts';
import { UserError } from '@petstore/service/user-error.ts';

const read = (rest: string) => postgresAddress('THE_URL', `postgres://${rest}`);

test('an address names one host, or several in their order, each with its port', () => {
  const one = read('u:p@db.example/pets');
  assert.deepEqual(one.hosts, [{ host: 'db.example', port: 5432 }]);
  assert.deepEqual([one.server, one.place], ['db.example:5432', 'db.example:5432/pets']);
  const several = read('u:p@a,b:5433,[::1]:5434,[fe80::1]/db?target_session_attrs=read-write');
  assert.deepEqual(several, {
    hosts: [
      { host: 'a', port: 5432 },
      { host: 'b', port: 5433 },
      { host: '::1', port: 5434 },
      { host: 'fe80::1', port: 5432 },
    ],
    user: 'u',
    password: 'p',
    database: 'db',
    sslMode: 'disable',
    channelBinding: 'prefer',
    target: 'read-write',
    settings: {},
    server: 'a:5432,b:5433,[::1]:5434,[fe80::1]:5432',
    place: 'a:5432,b:5433,[::1]:5434,[fe80::1]:5432/db',
  });
  assert.equal(postgresAddress('THE_URL', 'POSTGRESQL://u@a:1/db').hosts[0]?.port, 1);
});

test('an address means a host that takes writes, and not a standby, unless it says otherwise', () => {
  assert.equal(read('u:p@a/db').target, 'primary');
  assert.equal(read('u:p@a,b/db').target, 'read-write');
  for (const target of ['any', 'read-write', 'read-only', 'primary', 'standby']) {
    for (const hosts of ['a', 'a,b']) {
      assert.equal(read(`u:p@${hosts}/db?target_session_attrs=${target}`).target, target);
    }
  }
});

test('user, password and database may hold any character, as escapes', () => {
  const { user, password, database, place } = read('us%40er:p%40s%2Fs%3A%25w%C3%A4@a/d%20b');
  assert.deepEqual([user, password, database], ['us@er', 'p@s/s:%wä', 'd b']);
  assert.equal(place, 'a:5432/d b');
  assert.equal(read('u@a/db').password, undefined);
  assert.equal(read('u:@a/db').password, undefined);
  assert.equal(read('u:one@a/db?password=t%26wo').password, 't&wo', 'as libpq has it');
});

test('what an address says of TLS is understood, and no typing error turns it off', () => {
  assert.equal(read('u:p@a/db').sslMode, 'disable');
  for (const mode of ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']) {
    assert.equal(read(`u:p@a/db?sslmode=${mode}`).sslMode, mode);
  }
  assert.equal(read('u:p@a/db?ssl=true').sslMode, 'verify-full');
  assert.equal(read('u:p@a/db?ssl=false').sslMode, 'disable');
  assert.equal(read('u:p@a/db?ssl=false&sslmode=require').sslMode, 'require');
  for (const value of ['', '1', 'yes', 'require', 'True', 'constructor']) {
    assert.throws(() => read(`u:p@a/db?ssl=${value}`), {
      name: 'UserError',
      message: `ssl in THE_URL must be one of true, false; got "${value}".`,
    });
  }
});

test('channel binding is preferred unless the address says, and cannot be had without TLS', () => {
  assert.equal(read('u:p@a/db').channelBinding, 'prefer');
  for (const binding of ['disable', 'prefer', 'require']) {
    const { channelBinding, settings } = read(
      `u:p@a/db?sslmode=require&channel_binding=${binding}`,
    );
    assert.deepEqual([channelBinding, settings], [binding, {}]);
  }
  assert.throws(
    () => read('u:p@a/db?channel_binding=on'),
    /one of disable, prefer, require; got "on"/,
  );
  assert.throws(() => read('u:p@a/db?channel_binding=require'), /needs a secure connection/);
});

test('other parameters are settings of the sessions', () => {
  const { settings } = read(
    'u:p@a/db?application_name=docs+one&options=-c%20work_mem%3D8MB&ssl=false&sslmode=prefer&connect_timeout=10&target_session_attrs=any&password=x',
  );
  assert.deepEqual(settings, { application_name: 'docs one', options: '-c work_mem=8MB' });
});

test('a value that is not allowed is refused with those that are', () => {
  assert.throws(() => read('u:p@a/db?sslmode=verify'), {
    name: 'UserError',
    message:
      'sslmode in THE_URL must be one of disable, allow, prefer, require, verify-ca, verify-full; got "verify".',
  });
  assert.throws(() => read('u:p@a,b/db?target_session_attrs=prefer-standby'), {
    name: 'UserError',
    message:
      'target_session_attrs in THE_URL must be one of any, read-write, read-only, primary, standby; got "prefer-standby".',
  });
});

test('an address that cannot be read is refused, and nothing of its password is shown', () => {
  const secret = 'ss%2Fw0rd';
  const bad = [
    `u:${secret}@/db`,
    `u:${secret}@a`,
    `u:${secret}@a/`,
    `:${secret}@a/db`,
    `u:${secret}@a,/db`,
    `u:${secret}@a,,b/db`,
    `u:${secret}@a:0/db`,
    `u:${secret}@a:65536/db`,
    `u:${secret}@a:123456/db`,
    `u:${secret}@a:x/db`,
    `u:${secret}@a:/db`,
    `u:${secret}@::1/db`,
    `u:${secret}@[::1/db`,
    `u:${secret}@[nowhere]/db`,
    `u:${secret}@a b/db`,
    `u:${secret}@a/db/x`,
    `u:${secret}@a/d%2Fb`,
    `u:${secret}@a/db#x`,
    `u:${secret}%@a/db`,
    `u:${secret}%ff@a/db`,
    `u:${secret}@${secret}@a/db`,
    `u:${secret}/${secret}@a/db`,
    `u:${secret}?x@a/db`,
    'u:ss/w0rd@a/db',
  ];
  for (const rest of bad) {
    assert.throws(
      () => read(rest),
      (error) => {
        assert.ok(error instanceof UserError, rest);
        assert.match(error.message, /^THE_URL must read postgres:\/\/USER:PASSWORD@HOST:PORT\//);
        assert.ok(!/ss(%2F|\/)w|w0rd/i.test(`${error.stack} ${error.cause}`), rest);
        return true;
      },
      rest,
    );
  }
  // A value is quoted where it is wrong; the password beside it is not.
  for (const rest of [`u:${secret}@a/db?sslmode=no`, `u@a/db?sslmode=no&password=${secret}`]) {
    assert.throws(
      () => read(rest),
      ({ message }: Error) => !message.includes('w0rd'),
    );
  }
});
