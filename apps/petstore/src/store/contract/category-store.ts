import type { CategoryInput, CategoryPatch } from '../../categories/category.ts';
import type { Precondition } from '../../precondition.ts';
import type { Refusal } from '../../refusal.ts';
import type { Awaitable } from './awaitable.ts';
import type { Idempotency, IdempotentResult } from './idempotency.ts';
import type { Page, PageQuery } from './page.ts';
import type { JsonText, Written } from './written.ts';

export interface CategoryStore {
  create(category: CategoryInput): Promise<Written | Refusal>;
  createIdempotently(
    idempotency: Idempotency,
    category: CategoryInput,
  ): Promise<IdempotentResult | Refusal>;
  /** The category as a Category, or undefined. */
  get(id: bigint): Awaitable<JsonText | undefined>;
  /** A page of categories in ascending order of id. */
  list(query: PageQuery): Awaitable<Page>;
  /** `precondition`: the condition that the category must meet in the transaction that writes. */
  update(
    id: bigint,
    patch: CategoryPatch,
    precondition?: Precondition,
  ): Promise<JsonText | Refusal>;
  remove(id: bigint, precondition?: Precondition): Promise<'removed' | Refusal>;
}
