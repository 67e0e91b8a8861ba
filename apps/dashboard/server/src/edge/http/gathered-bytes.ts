/** Bytes that come in pieces, in one buffer: a piece of one byte that is kept by itself takes a hundred. */
export class GatheredBytes {
  readonly #max: number;
  #buffer = Buffer.alloc(0);
  #length = 0;

  /** `max`: the most bytes that will come. */
  constructor(max: number) {
    this.#max = max;
  }

  add(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (length > this.#buffer.length) {
      const size = Math.max(length, Math.min(2 * this.#buffer.length, this.#max));
      const larger = Buffer.allocUnsafeSlow(size);
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    piece.copy(this.#buffer, this.#length);
    this.#length = length;
  }

  /** All that has come. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
}
