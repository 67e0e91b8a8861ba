import { forbidden } from '../api-error.ts';
import { PLANS } from '../projects/project.ts';
import type { Plan } from '../store/schema.ts';

/** Throws ApiError `forbidden` where a plan has no custom domains. */
export function refuseWithoutDomains(plan: Plan): void {
  if (PLANS[plan].customDomains === 0) {
    throw forbidden(
      `Custom domains need the plan Pro or above; this project is on ${planInWords(plan)}. The owner of the installation can switch it, on the project's page Plan.`,
    );
  }
}

export function planInWords(plan: Plan): string {
  return `${plan.charAt(0).toUpperCase()}${plan.slice(1)}`;
}
