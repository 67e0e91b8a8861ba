import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { BENCH, ROOT } from './paths.ts';

// Each generator as its users run it: installed by its language's own client, on the document that the service has.
// Generated code is compiled as it is, beside a program of bench/generators that uses it.

const PROGRAMS = `${BENCH}generators`;

/** Versions of all generators and linters, in one place. */
export const VERSIONS: Record<string, string> = JSON.parse(
  readFileSync(`${PROGRAMS}/versions.json`, 'utf8'),
);

/** What a run is given. */
interface Bench {
  /** An empty folder of its own. */
  readonly folder: string;
  /** Where the documents are: files with the names under which the service has them. */
  readonly documents: string;
  /** PETSTORE_URL and PETSTORE_KEY, for the program. */
  readonly env: Readonly<Record<string, string>>;
}

export interface Run {
  readonly name: string;
  /** Its member of VERSIONS. */
  readonly of: string;
  readonly document: string;
  /** Programs that the machine must have. */
  readonly needs: readonly string[];
  /** Does all of it, and gives what the last program printed. Throws Error where a step fails. */
  run(bench: Bench): string;
}

const OPENAPI_31 = 'openapi.json';
const OPENAPI_30 = 'openapi-3.0.json';

export const RUNS: readonly Run[] = [
  {
    ...generatorRun('python', ['java', 'mvn', 'python3']),
    run: ({ folder, documents, env }) => {
      generate(folder, documents, 'python', ['packageName=petstore_client']);
      const python = virtualEnvironment(folder, './generated');
      return call(folder, python, [`${PROGRAMS}/openapi-generator.py`], env);
    },
  },
  {
    ...generatorRun('go', ['java', 'mvn', 'go']),
    run: ({ folder, documents, env }) => {
      // docs/decisions.md tells what this mapping is for.
      const mapping = ['--model-name-mappings', 'NewPet=PetInput'];
      const host = ['--git-host', 'example.com'];
      const module = [...host, '--git-user-id', 'bench', '--git-repo-id', 'petstore'];
      generate(folder, documents, 'go', ['packageName=petstore'], [...mapping, ...module]);
      return runGo(folder, 'openapi-generator.go', 'example.com/bench/petstore', env);
    },
  },
  {
    ...generatorRun('java', ['java', 'mvn']),
    run: ({ folder, documents, env }) => {
      const packages = ['apiPackage=petstore.api', 'modelPackage=petstore.model'];
      const error = 'errorObjectType=petstore.model.Error';
      generate(folder, documents, 'java', ['invokerPackage=petstore', ...packages, error]);
      const project = `${folder}/generated`;
      const name = 'OpenapiGenerator.java';
      copyFileSync(`${PROGRAMS}/${name}`, `${project}/src/main/java/${name}`);
      call(project, 'mvn', ['-q', '-B', 'compile', 'dependency:copy-dependencies']);
      const classes = ['-cp', 'target/classes:target/dependency/*', 'OpenapiGenerator'];
      return call(project, 'java', classes, env);
    },
  },
  {
    ...generatorRun('typescript-fetch', ['java', 'mvn']),
    run: ({ folder, documents, env }) => {
      generate(folder, documents, 'typescript-fetch', ['importFileExtension=.js']);
      renameSync(`${folder}/generated`, `${folder}/client`);
      copyFileSync(`${PROGRAMS}/openapi-generator.ts`, `${folder}/main.ts`);
      writeFileSync(`${folder}/package.json`, '{"type": "module"}');
      writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions: TS_OPTIONS }));
      call(folder, `${ROOT}tools/node_modules/.bin/tsc`, ['-p', '.']);
      return call(folder, process.execPath, ['built/main.js'], env);
    },
  },
  {
    name: 'oapi-codegen',
    of: 'oapi-codegen',
    document: OPENAPI_31,
    needs: ['go'],
    run: ({ folder, documents, env }) => {
      const version = VERSIONS['oapi-codegen'];
      const tool = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${version}`;
      call(folder, 'go', ['install', tool], { GOBIN: folder });
      const module = `${folder}/generated`;
      mkdirSync(module);
      writeFileSync(`${module}/go.mod`, 'module example.com/bench/petstore\n\ngo 1.24\n');
      const options = ['-generate', 'types,client', '-package', 'petstore', '-o', 'client.go'];
      call(module, `${folder}/oapi-codegen`, [...options, `${documents}/${OPENAPI_31}`]);
      call(module, 'go', ['mod', 'tidy']);
      return runGo(folder, 'oapi-codegen.go', 'example.com/bench/petstore', env);
    },
  },
  {
    name: 'openapi-python-client',
    of: 'openapi-python-client',
    document: OPENAPI_31,
    needs: ['python3'],
    run: ({ folder, documents, env }) => {
      const version = VERSIONS['openapi-python-client'];
      const python = virtualEnvironment(folder, `openapi-python-client==${version}`);
      const options = ['--path', `${documents}/${OPENAPI_31}`, '--output-path', 'petstore_client'];
      call(folder, 'venv/bin/openapi-python-client', ['generate', '--meta', 'none', ...options]);
      const program = `${PROGRAMS}/openapi-python-client.py`;
      return call(folder, python, [program], { ...env, PYTHONPATH: folder });
    },
  },
  {
    name: 'progenitor',
    of: 'progenitor',
    document: OPENAPI_30,
    needs: ['cargo'],
    run: ({ folder, documents, env }) => {
      const crate = `cargo-progenitor@${VERSIONS.progenitor}`;
      // It runs once, so it is not worth the time that optimizing it takes.
      call(folder, 'cargo', ['install', '--quiet', '--debug', '--locked', '--root', folder, crate]);
      const paths = ['-i', `${documents}/${OPENAPI_30}`, '-o', 'generated'];
      const names = ['-n', 'petstore-client', '-v', '0.1.0'];
      call(folder, 'bin/cargo-progenitor', ['progenitor', ...paths, ...names]);
      mkdirSync(`${folder}/src`);
      copyFileSync(`${PROGRAMS}/progenitor.rs`, `${folder}/src/main.rs`);
      writeFileSync(`${folder}/Cargo.toml`, CARGO_TOML);
      return call(folder, 'cargo', ['run', '--quiet'], env);
    },
  },
];

export const TS_OPTIONS = {
  ...{ strict: true, module: 'nodenext', target: 'es2022', rootDir: '.', outDir: 'built' },
  ...{ types: ['node'], typeRoots: [`${ROOT}node_modules/@types`] },
};

const CARGO_TOML = `[package]
name = "bench"
version = "0.1.0"
edition = "2024"

[dependencies]
petstore-client = { path = "generated" }
reqwest = { version = "0.13", default-features = false }
tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
`;

/** Linters of both documents. Each prints nothing that counts; it fails where it finds an error. */
export const LINTERS: readonly Run[] = [OPENAPI_31, OPENAPI_30].flatMap((document): Run[] => [
  {
    ...{ name: 'Spectral', of: 'spectral', document, needs: ['npm'] },
    run: ({ folder, documents }) => {
      writeFileSync(`${folder}/.spectral.yaml`, 'extends: ["spectral:oas"]\n');
      const version = `@stoplight/spectral-cli@${VERSIONS.spectral}`;
      return lint(folder, version, 'spectral', `${documents}/${document}`);
    },
  },
  {
    ...{ name: 'Redocly', of: 'redocly', document, needs: ['npm'] },
    run: ({ folder, documents }) => {
      const version = `@redocly/cli@${VERSIONS.redocly}`;
      return lint(folder, version, 'redocly', `${documents}/${document}`);
    },
  },
  {
    ...{ name: 'openapi-spec-validator', of: 'openapi-spec-validator', document },
    needs: ['python3'],
    run: ({ folder, documents }) => {
      const version = `openapi-spec-validator==${VERSIONS['openapi-spec-validator']}`;
      const python = virtualEnvironment(folder, version);
      return call(folder, python, ['-m', 'openapi_spec_validator', `${documents}/${document}`]);
    },
  },
]);

/** The description of one of openapi-generator's clients. */
function generatorRun(language: string, needs: readonly string[]): Omit<Run, 'run'> {
  return {
    name: `openapi-generator ${language}`,
    of: 'openapi-generator',
    document: OPENAPI_31,
    needs,
  };
}

/** Makes a client of the document in `documents` into the folder `generated` of another. */
export function generate(
  folder: string,
  documents: string,
  generator: string,
  properties: readonly string[],
  options: readonly string[] = [],
): void {
  const version = VERSIONS['openapi-generator'];
  const artifact = `org.openapitools:openapi-generator-cli:${version}`;
  const copied = [`-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`];
  call(folder, 'mvn', ['-q', '-B', 'dependency:copy', ...copied]);
  const jar = `openapi-generator-cli-${version}.jar`;
  const from = ['-i', `${documents}/${OPENAPI_31}`, '-g', generator, '-o', 'generated'];
  const named = ['--additional-properties', properties.join(',')];
  call(folder, 'java', ['-jar', jar, 'generate', ...from, ...named, ...options]);
}

/** Runs a Go program beside the module that was generated into `generated`. */
function runGo(folder: string, program: string, module: string, env: Bench['env']): string {
  const main = `${folder}/main`;
  mkdirSync(main);
  copyFileSync(`${PROGRAMS}/${program}`, `${main}/main.go`);
  const replace = `replace ${module} => ../generated\n`;
  writeFileSync(`${main}/go.mod`, `module bench\n\ngo 1.24\n\n${replace}`);
  call(main, 'go', ['mod', 'tidy']);
  return call(main, 'go', ['run', '.'], env);
}

/** Gives the Python of a new environment in which a package is. */
export function virtualEnvironment(folder: string, wanted: string): string {
  call(folder, 'python3', ['-m', 'venv', 'venv']);
  const python = `${folder}/venv/bin/python`;
  call(folder, python, ['-m', 'pip', 'install', '--quiet', wanted]);
  return python;
}

/** Has a linter that is a package of npm read a document. */
function lint(folder: string, version: string, program: string, document: string): string {
  const options = ['--silent', '--no-audit', '--no-fund', '--prefix', folder];
  call(folder, 'npm', ['install', ...options, version]);
  return call(folder, `${folder}/node_modules/.bin/${program}`, ['lint', document]);
}

/** How long a step may take, in milliseconds: compilers and downloads are slow. */
const STEP_TIMEOUT_MS = 1_800_000;

/** Runs a program to its end and gives its output. Throws Error with the end of what it said where it fails. */
export function call(
  cwd: string,
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    ...{ cwd, encoding: 'utf8', timeout: STEP_TIMEOUT_MS, maxBuffer: 2 ** 26 },
    env: { ...process.env, ...env },
  });
  if (status === 0) return stdout;
  const said = `${stdout}\n${stderr}`.trim().split('\n').slice(-15).join('\n');
  throw new Error(`${program} ${args.slice(0, 3).join(' ')}: ${error?.message ?? said}`);
}
