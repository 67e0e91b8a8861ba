/** What the person at the terminal can understand and mend; shown without a stack. */
export class BenchError extends Error {}
