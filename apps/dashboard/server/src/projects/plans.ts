import type { Plan } from '../store/schema.ts';
import type { PlanLimits } from './project.ts';

/** What each plan allows. The operator's lever over resources: nothing is paid for here. */
export const PLANS: Record<Plan, PlanLimits> = {
  free: { plan: 'free', members: 3, keptDeploys: 10, customDomains: 0 },
  pro: { plan: 'pro', members: 25, keptDeploys: 50, customDomains: 10 },
  enterprise: { plan: 'enterprise', members: null, keptDeploys: 500, customDomains: null },
};
