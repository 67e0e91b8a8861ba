import { z } from 'zod';

const status = z.enum(['available', 'pending', 'sold']);

/** The checks of a query and a body, for the contenders that use Zod. */
export const petQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  status: status.optional(),
});

export const petBody = z.object({
  name: z.string().min(1).max(255),
  categoryId: z.number().int(),
  status: status.default('available'),
});
