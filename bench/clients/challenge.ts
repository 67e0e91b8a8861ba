/**
 * One of the service's challenges with openapi-generator's TypeScript client, as it comes. PETSTORE_URL and PETSTORE_KEY
 * say where, the argument says which.
 */
import { CategoriesApi, Configuration, type Pet, PetStatus, PetsApi } from './client/index.js';

const { PETSTORE_URL: basePath = '', PETSTORE_KEY: accessToken = '' } = process.env;
const configuration = new Configuration({ basePath, accessToken });
const pets = new PetsApi(configuration);
const limited = () => ({ signal: AbortSignal.timeout(4_000) });

async function listAll(limit: number): Promise<Pet[]> {
  const found: Pet[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await pets.listPetsRaw({ limit, ...(cursor && { cursor }) }, limited());
    found.push(...(await page.value()));
    const link = page.raw.headers.get('link') ?? '';
    cursor = /[?&]cursor=([^&>]+).*rel="next"/.exec(link)?.[1];
    if (cursor === undefined) return found;
  }
}

async function add(name: string, categoryId = 1, idempotencyKey?: string): Promise<void> {
  const key = idempotencyKey === undefined ? {} : { idempotencyKey };
  await pets.createPet({ newPet: { name, categoryId }, ...key }, limited());
}

async function practice(count: number): Promise<void> {
  for (let i = 1; i <= count; i++) await add(`Practice ${i}`);
}

switch (process.argv[2]) {
  case 'big-ids': {
    const exact = (await listAll(100)).find(({ name }) => name === 'Exact');
    await add('Copy', exact?.categoryId);
    break;
  }
  case 'add-once':
    await practice(5);
    break;
  case 'quota':
    await practice(10);
    break;
  case 'twins':
    for (let i = 0; i < 3; i++) await add('Twin', 1, crypto.randomUUID());
    break;
  case 'poll':
    for (let i = 0; i < 6; i++) {
      await pets.listPets({ limit: 20, status: PetStatus.Available }, limited());
    }
    break;
  case 'manners':
    for (let i = 0; i < 10; i++)
      await new CategoriesApi(configuration).listCategories({}, limited());
    break;
  case 'bad-hour':
    await practice(12);
    await listAll(5);
    break;
  default:
    await listAll(10);
}
