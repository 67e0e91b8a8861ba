import type { Generated } from 'kysely';

export interface ReaderTables {
  /** What readers of a project's sites did, and how often: no row is about one reader. */
  reader_counts: {
    project_id: string;
    /** Hours have the names of no kind: `view` and `agent` alone, which are sums. */
    span: 'hour' | 'day' | 'month';
    /** When it begins, by UTC. */
    start: number;
    /** CountKind of readers/counted.ts. */
    kind: string;
    /** Empty: all names that are not kept by themselves. */
    name: string;
    detail: string;
    count: number;
  };

  /** What readers wrote about pages. */
  reader_sentences: {
    id: Generated<number>;
    project_id: string;
    /** The start of its day, by UTC: nothing says when on it. */
    day: number;
    page: string;
    helpful: number;
    text: string;
  };
}
