import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  Outlet,
  type RouteComponent,
  redirect,
} from '@tanstack/react-router';
import { AccountLayout } from './account/account-layout.tsx';
import { ProfilePage } from './account/profile-page.tsx';
import { SecurityPage } from './account/security-page.tsx';
import { auditFilterIn } from './audit/audit-filter.ts';
import { AuditPage, InstallationAuditPage } from './audit/audit-list.tsx';
import { DeployListPage } from './deploys/deploy-list-page.tsx';
import { DeployPage } from './deploys/deploy-page.tsx';
import { DomainListPage } from './domains/domain-list-page.tsx';
import { DomainPage } from './domains/domain-page.tsx';
import { LinkedDomainPage } from './domains/linked-domain-page.tsx';
import { LeavePage } from './domains/move/leave-page.tsx';
import { MovePage } from './domains/move/move-page.tsx';
import { RehearsalPage } from './domains/rehearsal/rehearsal-page.tsx';
import { CheckNamePage } from './domains/simulation/check-name-page.tsx';
import { GroupPage } from './installation/group-page.tsx';
import { GroupsPage } from './installation/groups-page.tsx';
import { InstallationLayout } from './installation/installation-layout.tsx';
import { PeoplePage } from './installation/people-page.tsx';
import { PersonPage } from './installation/person-page.tsx';
import { QuotasPage } from './installation/quotas-page.tsx';
import { InstallationSecurityPage } from './installation/security-page.tsx';
import { InstallationSignInPage } from './installation/sign-in-page.tsx';
import { NewProjectPage } from './projects/new-project-page.tsx';
import { OverviewPage } from './projects/overview-page.tsx';
import { ProjectLayout } from './projects/project-layout.tsx';
import { ProjectListPage } from './projects/project-list-page.tsx';
import { periodIn } from './readers/periods.ts';
import { ReadersPage } from './readers/readers-page.tsx';
import { RepositoryPage } from './repository/repository-page.tsx';
import { ConfirmEmailPage } from './session/confirm-email-page.tsx';
import { ForgottenPasswordPage } from './session/forgotten-password-page.tsx';
import { InvitationPage } from './session/invitation-page.tsx';
import { LinkAccountPage } from './session/link-account-page.tsx';
import { OncePage } from './session/once-page.tsx';
import { ResetPasswordPage } from './session/reset-password-page.tsx';
import { SignInPage } from './session/sign-in-page.tsx';
import { SignUpPage } from './session/sign-up-page.tsx';
import { SignedIn } from './session/signed-in.tsx';
import { SiteAccessPage } from './session/site-access-page.tsx';
import { AllowedChangesPage } from './settings/allowed-changes-page.tsx';
import { DangerPage } from './settings/danger-page.tsx';
import { GeneralPage } from './settings/general-page.tsx';
import { MembersPage } from './settings/members-page.tsx';
import { NotificationsPage } from './settings/notifications-page.tsx';
import { PlanPage } from './settings/plan-page.tsx';
import { SettingsLayout } from './settings/settings-layout.tsx';
import { Main } from './shell/shell.tsx';
import { AccessPage } from './site-access/access-page.tsx';
import { AccountTokensPage, TokensPage } from './tokens/token-list.tsx';
import { NotFound } from './ui/not-found.tsx';
import { Failure } from './ui/query-view.tsx';
import { WebhookPage } from './webhooks/webhook-page.tsx';
import { ZonePage } from './zone/zone-page.tsx';

const root = createRootRoute({ component: Outlet });

/** A page below another one. */
const page = <Parent extends AnyRoute, const Path extends string>(
  parent: Parent,
  path: Path,
  component: RouteComponent,
) => createRoute({ getParentRoute: () => parent, path, component });

/** An address that leads to another page. */
const moved = <Parent extends AnyRoute, const Path extends string>(
  parent: Parent,
  path: Path,
  to: string,
) =>
  createRoute({
    getParentRoute: () => parent,
    path,
    beforeLoad: () => {
      throw redirect({ to, replace: true });
    },
  });

const nextOnly = ({ next }: Record<string, unknown>): { next?: string } =>
  typeof next === 'string' ? { next } : {};

/** Those parameters of an address that are texts. */
const textsOf = <const Name extends string>(
  search: Record<string, unknown>,
  ...names: Name[]
): Partial<Record<Name, string>> =>
  Object.fromEntries(
    names.flatMap((name) => (typeof search[name] === 'string' ? [[name, search[name]]] : [])),
  ) as Partial<Record<Name, string>>;

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>) => ({
    ...nextOnly(search),
    ...textsOf(search, 'problem', 'provider', 'with'),
  }),
  component: SignInPage,
});
const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  validateSearch: nextOnly,
  component: SignUpPage,
});
const forgottenPassword = page(root, '/forgotten-password', ForgottenPasswordPage);
const resetPassword = page(root, '/reset-password', ResetPasswordPage);
const confirmEmail = page(root, '/confirm-email', ConfirmEmailPage);
const linkAccount = page(root, '/sign-in/link-account', LinkAccountPage);
const once = page(root, '/sign-in/once', OncePage);
const invitation = page(root, '/invitations/$secret', InvitationPage);
const linkedDomain = page(root, '/d/$secret', LinkedDomainPage);
/** What a private site sends its visitors with. */
const siteAccess = createRoute({
  getParentRoute: () => root,
  path: '/site-access',
  validateSearch: ({ host = '', state = '', to = '/' }: Record<string, unknown>) => ({
    host: `${host}`,
    state: `${state}`,
    to: `${to}`,
  }),
  component: SiteAccessPage,
});

const signedIn = createRoute({ getParentRoute: () => root, id: 'signed-in', component: SignedIn });
const projects = page(signedIn, '/', ProjectListPage);
const newProject = page(signedIn, '/new', NewProjectPage);

const project = page(signedIn, '/projects/$slug', ProjectLayout);

const readers = createRoute({
  getParentRoute: () => project,
  path: '/readers',
  validateSearch: periodIn,
  component: ReadersPage,
});

const deploy = createRoute({
  getParentRoute: () => project,
  path: '/deploys/$id',
  // From the bar of a preview: the page asks whether to put the deploy live.
  validateSearch: (search: Record<string, unknown>): { 'go-live'?: true } =>
    search['go-live'] === true ? { 'go-live': true } : {},
  component: DeployPage,
});

const projectPages = [
  page(project, '/', OverviewPage),
  page(project, '/deploys', DeployListPage),
  deploy,
  readers,
] as const;

const settings = page(project, '/settings', SettingsLayout);
const settingsPages = [
  page(settings, '/', GeneralPage),
  page(settings, '/access', AccessPage),
  page(settings, '/domains', DomainListPage),
  page(settings, '/domains/check', CheckNamePage),
  page(settings, '/domains/$hostname', DomainPage),
  page(settings, '/domains/$hostname/move', MovePage),
  page(settings, '/domains/$hostname/leave', LeavePage),
  page(settings, '/domains/$hostname/rehearsal', RehearsalPage),
  page(settings, '/allowed-changes', AllowedChangesPage),
  page(settings, '/repository', RepositoryPage),
  page(settings, '/notifications', NotificationsPage),
  page(settings, '/notifications/$id', WebhookPage),
  page(settings, '/members', MembersPage),
  page(settings, '/plan', PlanPage),
  page(settings, '/tokens', TokensPage),
  createRoute({
    getParentRoute: () => settings,
    path: '/audit',
    validateSearch: auditFilterIn,
    component: AuditPage,
  }),
  page(settings, '/danger', DangerPage),
] as const;

const account = page(signedIn, '/account', AccountLayout);
const accountPages = [
  page(account, '/', ProfilePage),
  createRoute({
    getParentRoute: () => account,
    path: '/security',
    validateSearch: (search: Record<string, unknown>) =>
      textsOf(search, 'problem', 'provider', 'linked'),
    component: SecurityPage,
  }),
  page(account, '/tokens', AccountTokensPage),
  moved(account, '/audit', '/installation/audit'),
  moved(account, '/zone', '/installation/zone'),
] as const;

const installation = page(signedIn, '/installation', InstallationLayout);
const installationPages = [
  moved(installation, '/', '/installation/people'),
  page(installation, '/people', PeoplePage),
  page(installation, '/groups', GroupsPage),
  page(installation, '/groups/$groupId', GroupPage),
  page(installation, '/people/$id', PersonPage),
  page(installation, '/security', InstallationSecurityPage),
  page(installation, '/sign-in', InstallationSignInPage),
  createRoute({
    getParentRoute: () => installation,
    path: '/audit',
    validateSearch: auditFilterIn,
    component: InstallationAuditPage,
  }),
  page(installation, '/quotas', QuotasPage),
  page(installation, '/zone', ZonePage),
] as const;

const nothing = page(signedIn, '/$', NothingHere);

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    signUp,
    forgottenPassword,
    resetPassword,
    confirmEmail,
    linkAccount,
    once,
    invitation,
    linkedDomain,
    siteAccess,
    signedIn.addChildren([
      projects,
      newProject,
      project.addChildren([...projectPages, settings.addChildren(settingsPages)]),
      account.addChildren(accountPages),
      installation.addChildren(installationPages),
      nothing,
    ]),
  ]),
  scrollRestoration: true,
  defaultErrorComponent: PageFailure,
});

function NothingHere() {
  return (
    <Main>
      <NotFound />
    </Main>
  );
}

function PageFailure({ error }: ErrorComponentProps) {
  return (
    <Main>
      <Failure error={error} onRetry={() => window.location.reload()} />
    </Main>
  );
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
