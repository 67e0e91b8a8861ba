/** What openapi-generator's TypeScript client does with the service. PETSTORE_URL and PETSTORE_KEY say which. */
import assert from 'node:assert/strict';
import {
  Configuration,
  ModelErrorFromJSON,
  type Pet,
  PetsApi,
  ResponseError,
} from './client/index.js';

const { PETSTORE_URL: basePath = '', PETSTORE_KEY = '' } = process.env;
const api = (accessToken: string) => new PetsApi(new Configuration({ basePath, accessToken }));

async function refused(status: number, code: string, call: Promise<unknown>): Promise<void> {
  const error = await call.catch((thrown: unknown) => thrown);
  assert.ok(error instanceof ResponseError);
  assert.equal(error.response.status, status);
  const body = ModelErrorFromJSON(await error.response.json());
  assert.deepEqual([body.status, body.code], [status, code]);
}

const pets = api(PETSTORE_KEY);
const made: Pet[] = [];
for (let i = 0; i < 3; i++) {
  made.push(await pets.createPet({ newPet: { name: `Rex ${i}`, categoryId: 1 } }));
}
console.log('create');

const seen = new Map<number, Pet>();
for (let cursor: string | undefined; ; ) {
  const page = await pets.listPetsRaw({ limit: 2, ...(cursor && { cursor }) });
  for (const pet of await page.value()) seen.set(pet.id, pet);
  const link = page.raw.headers.get('link') ?? '';
  cursor = /[?&]cursor=([^&>]+).*rel="next"/.exec(link)?.[1];
  if (cursor === undefined) break;
}
for (const pet of made) assert.deepEqual(seen.get(pet.id), pet);
console.log('list');

const petId = made[0]?.id ?? 0;
assert.deepEqual(await pets.getPet({ petId }), made[0]);
console.log('get');
assert.equal(await pets.deletePet({ petId }), undefined);
console.log('delete');
await refused(404, 'not_found', pets.getPet({ petId }));
await refused(401, 'unauthorized', api('pk_live_wrong').listPets());
await refused(400, 'invalid_cursor', pets.listPets({ cursor: 'x' }));
console.log('errors');
