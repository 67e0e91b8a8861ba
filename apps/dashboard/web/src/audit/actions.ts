import type { AuditAction } from '../../../server/src/audit/action.ts';

/** Actions in words, to be followed by their object. The codes are for programs. */
const ACTIONS: Record<AuditAction, string> = {
  'account.create': 'Created the account',
  'account.password': 'Changed the password of',
  'account.rename': 'Changed the name of',
  'session.begin': 'Signed in as',
  'session.end': 'Ended a session of',
  'token.create': 'Created the token',
  'token.revoke': 'Revoked the token',
  'project.create': 'Created the project',
  'project.update': 'Changed the project',
  'project.plan': 'Changed the plan of',
  'project.delete': 'Deleted the project',
  'member.role': 'Changed the role of',
  'member.remove': 'Removed the member',
  'member.leave': 'Left the project:',
  'invitation.create': 'Invited',
  'invitation.revoke': 'Took back the invitation of',
  'invitation.accept': 'Accepted the invitation of',
  'deploy.create': 'Uploaded deploy',
  'deploy.succeed': 'Built deploy',
  'deploy.fail': 'Could not build deploy',
  'deploy.activate': 'Activated deploy',
  'domain.add': 'Added the domain',
  'domain.verify': 'Verified the domain',
  'domain.primary': 'Changed the primary domain to',
  'domain.update': 'Changed the domain',
  'domain.link': 'Renewed the link of the domain',
  'domain.remove': 'Removed the domain',
  'webhook.create': 'Added the webhook',
  'webhook.delete': 'Removed the webhook',
  'webhook.disable': 'Switched off the webhook',
  'webhook.enable': 'Switched on the webhook',
};

/** An action in words. One that this page does not know yet is shown by its code. */
export function actionInWords(action: string): string {
  return action in ACTIONS ? ACTIONS[action as AuditAction] : action;
}
