import { open } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { interruption } from '@petstore/service/interruption.ts';
import { type Progress, showProgress } from '@petstore/service/progress.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { Command } from 'commander';
import { parseInt64 } from '../int64.ts';
import type { AuditStore } from '../store/contract/audit-store.ts';
import type { AddOutcome, BulkPetStore, ImportedPet } from '../store/contract/pet-store.ts';
import { reason, StoreUnavailableError } from '../store/store-errors.ts';
import { batchInserter, GROUP_SIZE } from './batch-inserter.ts';
import { escapeControls } from './escape-controls.ts';
import { type Line, MAX_LINE_BYTES, readLines, readPetLine } from './pet-line.ts';
import { ResumeMark } from './resume-mark.ts';
import { subcommand } from './subcommand.ts';
import { onRecord, recordStart, withStore } from './with-store.ts';

export function importCommand(): Command {
  return subcommand('import')
    .description('Add the animals of a file, a line of JSON each. Works beside the service.')
    .argument('<file>', 'file as `petstore export` writes it, or - for standard input')
    .option('--from-line <n>', 'continue at this line, after an interrupted import')
    .addHelpText(
      'after',
      `
A line with an id keeps it, and is left out where the same animal is there
already; a line without one is given a new id. Bad lines are reported, and
everything else is stored.

After an interruption: lines with ids can be imported again from the start. For
lines without, FILE.next-line holds the number to give to --from-line; it is
removed at the end of the file.`,
    )
    .action(async (file: string, options: { fromLine?: string }) => {
      await importFile(file, readLineNumber(options.fromLine));
    });
}

function readLineNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = parseInt64(text);
  if (value === undefined || value < 1n || value > Number.MAX_SAFE_INTEGER) {
    throw new UserError(
      `--from-line must be the number of a line, from 1 on; got ${JSON.stringify(text)}.`,
    );
  }
  return Number(value);
}

/** Lines that are reported one by one. Of further ones only the number is reported. */
const MAX_REPORTS = 20;

/** How much of a file is read at once, in bytes. */
const CHUNK_BYTES = 64 * 1024;

const STDIN = '-';

/**
 * Adds the animals of a file, or of standard input (`-`), to the configured store, from a line on. Throws UserError for
 * a file that cannot be read, and where the store does not accept writes.
 */
async function importFile(file: string, fromLine: number | undefined): Promise<void> {
  const source = await openSource(file);
  const progress = await showProgress(source.size || undefined);
  await withStore({}, ({ pets, audit }) =>
    new Import(pets, source, progress, fromLine).run(audit, file),
  );
}

interface Source {
  readonly input: Readable & { readonly bytesRead?: number };
  /** In bytes; undefined for anything but a regular file. */
  readonly size: number | undefined;
  readonly mark: ResumeMark | undefined;
}

async function openSource(file: string): Promise<Source> {
  if (file === STDIN) return { input: process.stdin, size: undefined, mark: undefined };
  const handle = await open(file).catch((error) => {
    throw new UserError(`${file} cannot be read (${error.code}).`, { cause: error });
  });
  const stats = await handle.stat();
  if (stats.isDirectory()) {
    await handle.close();
    throw new UserError(`${file} is a folder. Name a file, or - for standard input.`);
  }
  const input = handle.createReadStream({ highWaterMark: CHUNK_BYTES });
  if (!stats.isFile()) return { input, size: undefined, mark: undefined };
  return { input, size: stats.size, mark: new ResumeMark(file) };
}

/** Animals that are stored together, and the lines they come from. */
interface Group {
  readonly pets: ImportedPet[];
  readonly lines: number[];
}

const emptyGroup = (): Group => ({ pets: [], lines: [] });

class Import {
  readonly #source: Source;
  readonly #stop = interruption();
  readonly #progress: Progress;
  readonly #adding: ReturnType<typeof batchInserter>;
  readonly #fromLine: number;
  /** Lines before this one that have no id may have been stored already, by an import that was interrupted. */
  readonly #doubtfulBefore: number;
  readonly #counts = { added: 0, present: 0, conflict: 0, bad: 0 };
  #group = emptyGroup();
  /** Every line before it is stored or reported. */
  #nextLine: number;
  #isMarked = true;

  constructor(
    pets: BulkPetStore,
    source: Source,
    progress: Progress,
    fromLine: number | undefined,
  ) {
    this.#source = source;
    this.#progress = progress;
    this.#adding = batchInserter(pets);
    this.#fromLine = fromLine ?? 1;
    this.#nextLine = this.#fromLine;
    this.#doubtfulBefore = fromLine === undefined ? (source.mark?.read() ?? 1) : 1;
  }

  /** `name`: the name of the source in the audit log. */
  async run(audit: AuditStore, name: string): Promise<void> {
    const start = performance.now();
    await onRecord(
      audit,
      () => this.#addAll(audit, name),
      () => ({ action: 'pets.imported', subject: name, detail: { ...this.#counts } }),
      () => this.#summary((performance.now() - start) / 1000),
    );
  }

  async #addAll(audit: AuditStore, name: string): Promise<void> {
    try {
      await recordStart(audit, 'pets.import_started', name, { fromLine: this.#fromLine });
      const isWhole = await this.#addLines();
      if (isWhole) this.#source.mark?.remove();
      else this.#tellWhereToContinue();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      throw new UserError(
        `The database does not accept writes (${reason(error)}). When it does again, continue with --from-line ${this.#nextLine}.`,
        { cause: error },
      );
    } finally {
      this.#progress.stop();
      this.#source.mark?.close();
      this.#source.input.destroy();
    }
  }

  /** Tells whether it came to the end. */
  async #addLines(): Promise<boolean> {
    let last = this.#fromLine - 1;
    let lines = 0;
    let isWhole = false;
    try {
      const input = addAbortSignal(this.#stop, this.#source.input);
      for await (const line of readLines(input, MAX_LINE_BYTES)) {
        lines = line.number;
        if (line.number < this.#fromLine) continue;
        this.#take(line);
        last = line.number;
        if (this.#group.pets.length === GROUP_SIZE) await this.#store(last);
      }
      if (lines < this.#fromLine - 1) {
        throw new UserError(
          `--from-line ${this.#fromLine} is beyond the end: there ${lines === 1 ? 'is 1 line' : `are ${lines} lines`}.`,
        );
      }
      await this.#store(last);
      isWhole = true;
    } catch (error) {
      if (!this.#stop.aborted) throw error;
    } finally {
      // The group under way ends in any case, and what it stored counts.
      await this.#adding.finish();
    }
    return isWhole;
  }

  #take(line: Line): void {
    if (line.bytes?.every((byte) => byte === 0x20 || byte === 0x09)) return;
    const pet = readPetLine(line);
    if ('refused' in pet) {
      this.#counts.bad++;
      this.#report(line.number, pet.refused);
      return;
    }
    if (pet.id === undefined && line.number < this.#doubtfulBefore) {
      throw new UserError(
        `Line ${line.number} has no id, and an import that stopped before line ${this.#doubtfulBefore} may have added it. Continue with --from-line ${this.#doubtfulBefore}, or add it once more with --from-line 1.`,
      );
    }
    this.#group.pets.push(pet);
    this.#group.lines.push(line.number);
  }

  /** Hands over what has gathered, up to and with line `last`. */
  async #store(last: number): Promise<void> {
    const { pets, lines } = this.#group;
    this.#group = emptyGroup();
    const done = this.#source.input.bytesRead ?? 0;
    await this.#adding.add(pets, (outcomes) => {
      for (const [i, outcome] of outcomes.entries()) this.#count(outcome, pets[i], lines[i]);
      this.#nextLine = last + 1;
      this.#mark();
      this.#progress.update(done, `lines up to ${last} are stored`);
    });
  }

  #count(outcome: AddOutcome, pet: ImportedPet | undefined, line = 0): void {
    this.#counts[outcome]++;
    if (outcome === 'conflict') this.#report(line, `Another animal has the id ${pet?.id}.`);
  }

  #report(line: number, message: string): void {
    const { conflict, bad } = this.#counts;
    if (conflict + bad <= MAX_REPORTS)
      this.#progress.say(`line ${line}: ${escapeControls(message)}`);
    process.exitCode ||= 1;
  }

  #mark(): void {
    const { mark } = this.#source;
    if (!mark || !this.#isMarked) return;
    this.#isMarked = mark.write(this.#nextLine);
    if (!this.#isMarked) {
      this.#progress.say(
        'The line to continue from cannot be kept beside the file; a crash loses it.',
      );
    }
  }

  #tellWhereToContinue(): void {
    this.#progress.stop();
    this.#progress.say(
      `Stopped by ${this.#stop.reason} before line ${this.#nextLine}. Continue with --from-line ${this.#nextLine}.`,
    );
  }

  #summary(seconds: number): string {
    const { added, present, conflict, bad } = this.#counts;
    const unreported = conflict + bad - MAX_REPORTS;
    if (unreported > 0) this.#progress.say(`and ${unreported} more lines like these`);
    return `Added ${added}, already there ${present}, conflicts ${conflict}, bad lines ${bad}, in ${seconds.toFixed(1)} s.`;
  }
}
