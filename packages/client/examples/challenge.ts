// Goes through one of the service's challenges with this client:
//
//   PETSTORE_URL=http://127.0.0.1:8080/v1 PETSTORE_KEY=pk_sand_… node packages/client/examples/challenge.ts big-ids
//
// docs/report.md tells how to start one and how to read the verdict.

import { createPetstore, type Pet, type Petstore } from '../src/client.ts';

/** The tasks say that four seconds are enough for a response. */
const TIMEOUT_MS = 4_000;

export function challenged(baseUrl: string, apiKey: string): Petstore {
  return createPetstore({ baseUrl, apiKey, timeoutMs: TIMEOUT_MS, retry: { attempts: 6 } });
}

/** Does what a challenge asks for. Rejects where the client gives up. */
export async function solve(code: string, { pets, categories }: Petstore): Promise<void> {
  const listAll = (pageSize: number): Promise<Pet[]> => Array.fromAsync(pets.list({ pageSize }));
  const practice = async (count: number) => {
    for (let i = 1; i <= count; i++) await pets.create({ name: `Practice ${i}`, categoryId: 1n });
  };
  switch (code) {
    case 'big-ids': {
      const exact = (await listAll(100)).find(({ name }) => name === 'Exact');
      if (!exact) throw new Error('there is no animal named Exact');
      await pets.create({ name: 'Copy', categoryId: exact.categoryId });
      return;
    }
    case 'add-once':
      return practice(5);
    case 'quota':
      return practice(10);
    case 'twins':
      for (let i = 0; i < 3; i++) await pets.create({ name: 'Twin', categoryId: 1n });
      return;
    case 'poll':
      for (let i = 0; i < 6; i++) {
        // The first page alone: the list goes no further than it is wanted.
        for await (const _ of pets.list({ status: 'available', pageSize: 20 })) break;
      }
      return;
    case 'manners':
      for (let i = 0; i < 10; i++) await Array.fromAsync(categories.list());
      return;
    case 'bad-hour':
      await practice(12);
      await listAll(5);
      return;
    default:
      await listAll(10);
  }
}

if (import.meta.main) {
  const { PETSTORE_URL = '', PETSTORE_KEY = '' } = process.env;
  await solve(process.argv[2] ?? '', challenged(PETSTORE_URL, PETSTORE_KEY));
}
