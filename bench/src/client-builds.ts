import { copyFileSync, renameSync, writeFileSync } from 'node:fs';
import { call, generate, TS_OPTIONS, VERSIONS, virtualEnvironment } from './generator-runs.ts';
import { BENCH, ROOT } from './paths.ts';

// Clients that go through the service's challenges: four as openapi-generator makes them, each beside a program of
// bench/clients, and our own.

const PROGRAMS = `${BENCH}clients`;

/** How to run a client's program; the code of a challenge is its last argument. */
export interface BuiltClient {
  readonly cwd: string;
  readonly program: string;
  readonly args: readonly string[];
}

export interface ClientBuild {
  readonly name: string;
  readonly version: string;
  readonly needs: readonly string[];
  /** Makes the client in an empty folder of its own. `documents`: where the service's document is. */
  build(folder: string, documents: string): BuiltClient;
}

const { 'openapi-generator': VERSION = '' } = VERSIONS;

export const CLIENTS: readonly ClientBuild[] = [
  {
    ...{ name: 'Python', version: VERSION, needs: ['java', 'mvn', 'python3'] },
    build(folder, documents) {
      generate(folder, documents, 'python', ['packageName=petstore_client']);
      const program = `${folder}/${virtualEnvironment(folder, './generated').split('/').slice(-3).join('/')}`;
      return { cwd: folder, program, args: [`${PROGRAMS}/challenge.py`] };
    },
  },
  {
    ...{ name: 'Go', version: VERSION, needs: ['java', 'mvn', 'go'] },
    build(folder, documents) {
      // docs/decisions.md tells what this mapping is for.
      const mapping = ['--model-name-mappings', 'NewPet=PetInput'];
      const module = [
        '--git-host',
        'example.com',
        '--git-user-id',
        'bench',
        '--git-repo-id',
        'petstore',
      ];
      generate(folder, documents, 'go', ['packageName=petstore'], [...mapping, ...module]);
      copyFileSync(`${PROGRAMS}/challenge.go`, `${folder}/main.go`);
      const replace = 'replace example.com/bench/petstore => ./generated\n';
      writeFileSync(`${folder}/go.mod`, `module bench\n\ngo 1.24\n\n${replace}`);
      call(folder, 'go', ['mod', 'tidy']);
      call(folder, 'go', ['build', '-o', 'challenge', '.']);
      return { cwd: folder, program: `${folder}/challenge`, args: [] };
    },
  },
  {
    ...{ name: 'Java', version: VERSION, needs: ['java', 'mvn'] },
    build(folder, documents) {
      const packages = ['apiPackage=petstore.api', 'modelPackage=petstore.model'];
      generate(folder, documents, 'java', ['invokerPackage=petstore', ...packages]);
      const project = `${folder}/generated`;
      copyFileSync(`${PROGRAMS}/Challenge.java`, `${project}/src/main/java/Challenge.java`);
      call(project, 'mvn', ['-q', '-B', 'compile', 'dependency:copy-dependencies']);
      const args = ['-cp', 'target/classes:target/dependency/*', 'Challenge'];
      return { cwd: project, program: 'java', args };
    },
  },
  {
    ...{ name: 'TypeScript', version: VERSION, needs: ['java', 'mvn'] },
    build(folder, documents) {
      generate(folder, documents, 'typescript-fetch', ['importFileExtension=.js']);
      renameSync(`${folder}/generated`, `${folder}/client`);
      copyFileSync(`${PROGRAMS}/challenge.ts`, `${folder}/main.ts`);
      writeFileSync(`${folder}/package.json`, '{"type": "module"}');
      writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions: TS_OPTIONS }));
      call(folder, `${ROOT}tools/node_modules/.bin/tsc`, ['-p', '.']);
      return { cwd: folder, program: process.execPath, args: ['built/main.js'] };
    },
  },
  {
    ...{ name: 'ours', version: 'packages/client', needs: [] },
    build: (folder) => ({
      ...{ cwd: folder, program: process.execPath },
      args: [`${ROOT}packages/client/examples/challenge.ts`],
    }),
  },
];
