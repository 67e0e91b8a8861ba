import { domainToASCII } from 'node:url';
import { type Expression, type SqlBool, sql } from 'kysely';
import { visibleProjectIds } from './projects.ts';
import type { Db, Row } from './schema.ts';

/** Who searches, and where. */
export interface SearchedBy {
  readonly userId: string;
  /** Whether every project is searched. */
  readonly isEverywhere: boolean;
  /** The id of the one project that is searched; undefined: all that the user sees. */
  readonly only: string | undefined;
}

interface ProjectName {
  readonly slug: string;
  readonly name: string;
}

export type FoundDeployRow = ProjectName &
  Pick<
    Row<'deploys'>,
    | 'id'
    | 'number'
    | 'state'
    | 'branch'
    | 'version'
    | 'message'
    | 'source_commit'
    | 'source_name'
    | 'created_by_email'
    | 'created_by_name'
    | 'created_at'
  >;

/** How many of each kind are found at most. */
const MOST = 6;

/** How many deploys are looked at: the newest of each project, shared out among them. */
const LOOKED_AT = 20_000;

/**
 * The best of each kind with all of these words; without words nothing. `slug`: a project whose deploys come first, all
 * of them looked at.
 */
export async function searchAll(
  db: Db,
  by: SearchedBy,
  words: readonly string[],
  slug: string | undefined,
) {
  if (words.length === 0) return { projects: [], deploys: [], domains: [], people: [] };
  return {
    projects: await searchProjects(db, by, words),
    deploys: await searchDeploys(db, by, words, slug),
    domains: await searchDomains(db, by, words),
    people: await searchPeople(db, by, words),
  };
}

function searchProjects(db: Db, by: SearchedBy, words: readonly string[]): Promise<ProjectName[]> {
  const [first = ''] = words;
  const begins = sql`CASE WHEN slug = ${words.join(' ')} THEN 0 WHEN ${has('slug', first, 'begins')} THEN 1
    WHEN ${has('lower(name)', first, 'begins')} THEN 2 ELSE 3 END`;
  return db
    .selectFrom('projects')
    .select(['slug', 'name'])
    .where('id', 'in', visibleProjectIds(db, by))
    .where(({ and, or }) =>
      and(words.map((word) => or([has('slug', word), ...hasName('name', word)]))),
    )
    .orderBy(begins)
    .orderBy('slug')
    .limit(MOST)
    .execute();
}

async function searchDeploys(
  db: Db,
  by: SearchedBy,
  words: readonly string[],
  slug: string | undefined,
): Promise<FoundDeployRow[]> {
  const [word = ''] = words;
  const known = words.length === 1 && /^[a-z2-7]{12}$/.test(word) ? word : undefined;
  const groups = [
    known === undefined ? [] : await deploysOf(db, by).where('deploys.id', '=', known).execute(),
    slug === undefined
      ? []
      : await newestDeploys(db, by, words, LOOKED_AT).where('projects.slug', '=', slug).execute(),
  ];
  const { count } = await visibleProjectIds(db, by)
    .clearSelect()
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const ofEach = Math.max(1, Math.floor(LOOKED_AT / Math.max(1, Number(count))));
  groups.push(await newestDeploys(db, by, words, ofEach).execute());
  const found = new Map(groups.flat().map((row) => [row.id, row]));
  return [...found.values()].slice(0, MOST);
}

function deploysOf(db: Db, by: SearchedBy) {
  return db
    .selectFrom('projects')
    .innerJoin('deploys', 'deploys.project_id', 'projects.id')
    .select(['projects.slug', 'projects.name'])
    .select(['deploys.id', 'deploys.number', 'deploys.state', 'deploys.branch', 'deploys.version'])
    .select(['deploys.message', 'deploys.source_commit', 'deploys.source_name'])
    .select(['deploys.created_by_email', 'deploys.created_by_name', 'deploys.created_at'])
    .where('projects.id', 'in', visibleProjectIds(db, by));
}

/** Of the newest deploys of each project those with all words, by the index of their numbers. */
function newestDeploys(db: Db, by: SearchedBy, words: readonly string[], ofEach: number) {
  return deploysOf(db, by)
    .where('deploys.number', '>', sql<number>`projects.last_deploy_number - ${ofEach}`)
    .where(({ and }) => and(words.map((word) => has('deploys.search_text', word))))
    .orderBy('deploys.created_at', 'desc')
    .limit(MOST);
}

async function searchDomains(db: Db, by: SearchedBy, words: readonly string[]) {
  const rows = await db
    .selectFrom('domains')
    .innerJoin('projects', 'projects.id', 'domains.project_id')
    .select(['domains.hostname', 'projects.slug', 'projects.name'])
    .where('domains.project_id', 'in', visibleProjectIds(db, by))
    .where('domains.removed_at', 'is', null)
    // Names in other alphabets are stored as the DNS has them.
    .where(({ and, or }) =>
      and(
        words.map((word) =>
          or([word, domainToASCII(word)].filter(Boolean).map((part) => has('hostname', part))),
        ),
      ),
    )
    .orderBy('domains.hostname')
    .orderBy('projects.slug')
    .limit(MOST)
    .execute();
  return rows.map(({ hostname, ...project }) => ({ project, hostname }));
}

/** Members of the projects; of the whole installation everybody. */
function searchPeople(db: Db, by: SearchedBy, words: readonly string[]) {
  const everybody = by.isEverywhere && by.only === undefined;
  const query = db
    .selectFrom('users')
    .leftJoin('role_grants', 'role_grants.user_id', 'users.id')
    .leftJoin('projects', 'projects.id', 'role_grants.project_id')
    .select(['users.name', 'users.email'])
    .select((select) => select.fn.min('projects.slug').as('project'))
    .where(({ and, or }) =>
      and(words.map((word) => or([has('users.email', word), ...hasName('users.name', word)]))),
    )
    .groupBy(['users.id', 'users.name', 'users.email'])
    .orderBy('users.name')
    .orderBy('users.email')
    .limit(MOST);
  return (
    everybody ? query : query.where('role_grants.project_id', 'in', visibleProjectIds(db, by))
  ).execute();
}

/** Whether a column, or an expression, has a word in it or begins with it. */
function has(column: string, word: string, where: 'in' | 'begins' = 'in'): Expression<SqlBool> {
  const text = word.replaceAll(/[\\%_]/g, String.raw`\$&`);
  const pattern = where === 'begins' ? `${text}%` : `%${text}%`;
  return sql<SqlBool>`${sql.raw(column)} LIKE ${pattern} ESCAPE '\\'`;
}

/**
 * Whether a name has a word. Databases know small letters beyond ASCII only where their locale does, so that the word
 * is looked for in three spellings.
 */
function hasName(column: string, word: string): Expression<SqlBool>[] {
  const [first = '', ...rest] = word;
  const spellings = new Set([first.toUpperCase() + rest.join(''), word.toUpperCase()]);
  return [has(`lower(${column})`, word), ...[...spellings].map((each) => has(column, each))];
}
