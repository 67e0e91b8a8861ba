/** Why an archive is not read. The message is for the one who uploaded it. */
export class ArchiveRefusal extends Error {
  override name = 'ArchiveRefusal';
  /** The entry, as the archive names it; empty when it is about the archive as a whole. */
  readonly entry: string;

  constructor(message: string, entry = '') {
    super(message);
    this.entry = entry;
  }
}
