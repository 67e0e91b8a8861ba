import assert from 'node:assert/strict';
import { answer } from '@petstore/lab/name-server/answer.ts';
import { readQuery, writeReply } from '@petstore/lab/name-server/name-server.ts';
import type { Zone } from '@petstore/lab/name-server/zone.ts';
import { readAnswer, writeQuery } from '../../../../server/src/domains/dns/message.ts';
import type { DnsServer } from '../../../../server/src/domains/dns/servers.ts';

/** The lab's name server without a network: the same answers, through the same bytes. */
export function modelSource(zones: readonly Zone[]): DnsServer {
  return {
    label: 'model',
    async lookUp(name, type) {
      const query = writeQuery({ name, type, isRecursive: true }, { edns: true });
      const read = readQuery(query.bytes);
      assert.ok(read);
      const reply = answer(zones, { name, type, isRecursive: true });
      const outcome = readAnswer(query, writeReply(read, reply));
      assert.ok(typeof outcome === 'object');
      return outcome;
    },
  };
}
