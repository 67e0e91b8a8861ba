import { hash } from 'node:crypto';
import { Html, html } from '@petstore/http/html.ts';
import { accentColors } from '@petstore/site/site/accent.ts';
import { DEFAULT_COLOR } from '@petstore/site/site/theme.ts';
import { PATHS } from './paths.ts';

/** Colours that are legible on light and on dark pages. */
export interface Accent {
  readonly light: string;
  readonly dark: string;
}

const USUAL = accentColors(DEFAULT_COLOR);

interface SignInPage {
  /** The project's name. */
  readonly name: string;
  /** Of the site; undefined: the usual ones. */
  readonly accent: Accent | undefined;
  readonly hasPassword: boolean;
  /** Whether links can be signed. */
  readonly hasLinks: boolean;
  /** Where to go after signing in. */
  readonly to: string;
  /** What went wrong; undefined: nothing yet. */
  readonly problem?: string | undefined;
  /** For whoever can read the site already. */
  readonly isReader?: boolean;
  /** It is looked at, and nobody signs in on it. */
  readonly isPreview?: boolean;
}

/** The page of a private site on which visitors sign in. No script is needed, and none is allowed. */
export function signInPage(page: SignInPage): Html {
  const { name, problem, isReader } = page;
  const [initial = ''] = [...name.trim()];
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Sign in – ${name}</title><style>${new Html(styleOf(page))}</style></head>
<body><main>
<div class="mark" aria-hidden="true">${initial.toUpperCase()}</div>
<h1>${name}</h1>
<p class="lead">${isReader ? 'You can read this documentation.' : 'This documentation is private.'}</p>
<div class="card">
${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
${isReader ? leaving(page) : ways(page)}
</div>
${!isReader && page.hasLinks ? html`<p class="note">Did you come by a link? Open it again where you found it: links end after a while.</p>` : ''}
</main></body></html>
`;
}

/** The style of a page, by which its policy allows it. */
export const styleHash = (page: Pick<SignInPage, 'accent'>): string =>
  `sha256-${hash('sha256', styleOf(page), 'base64')}`;

function ways(page: SignInPage): Html {
  const account = `${PATHS.account}?${new URLSearchParams({ to: page.to })}`;
  if (!page.hasPassword)
    return html`<a class="button" href="${account}">Sign in with your account</a>`;
  return html`<form method="post" action="${PATHS.signIn}">
<input type="hidden" name="to" value="${page.to}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="200"${page.isPreview ? '' : html` autofocus`}${page.problem === undefined ? '' : html` aria-invalid="true"`}>
<button class="button">Continue</button>
</form>
<p class="or"><span>or</span></p>
<a class="button second" href="${account}">Sign in with your account</a>`;
}

function leaving({ to }: SignInPage): Html {
  return html`<a class="button" href="${to}">Go to the documentation</a>
<form method="post" action="${PATHS.signOut}"><button class="button second">Sign out</button></form>`;
}

const STYLE = `
*{box-sizing:border-box}
body{margin:0;min-height:100dvh;display:grid;place-items:center;padding:2rem 1rem;font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans",sans-serif;background:light-dark(#f6f7f9,#0f1115);color:light-dark(#16181d,#e8eaf0)}
main{width:100%;max-width:23rem;display:grid;justify-items:center}
.mark{width:3rem;height:3rem;border-radius:.8rem;display:grid;place-items:center;font-size:1.35rem;font-weight:650;background:var(--accent);color:light-dark(#fff,#0f1115)}
h1{font-size:1.375rem;line-height:1.3;letter-spacing:-.015em;margin:1.1rem 0 .2rem;text-align:center;overflow-wrap:anywhere;text-wrap:balance}
.lead,.note{margin:0;text-align:center;color:light-dark(#565b66,#a2a8b5)}
.note{margin-top:1.25rem;font-size:.875rem;text-wrap:balance}
.card{width:100%;margin-top:1.5rem;padding:1.5rem;border:1px solid light-dark(#e0e3e9,#282c35);border-radius:.9rem;background:light-dark(#fff,#171a21);box-shadow:0 1px 2px rgb(0 0 0/.05)}
form{display:grid}
label{font-weight:550;margin-bottom:.4rem}
input[type=password]{width:100%;height:2.75rem;padding:0 .8rem;font:inherit;color:inherit;background:light-dark(#fff,#0f1115);border:1px solid light-dark(#8b909c,#666c79);border-radius:.5rem}
input[aria-invalid]{border-color:light-dark(#b01c1c,#fb8a8a)}
.button{display:block;width:100%;margin-top:1rem;padding:.65rem 1rem;font:inherit;font-weight:600;line-height:1.4;text-align:center;text-decoration:none;border:1px solid transparent;border-radius:.5rem;cursor:pointer;background:var(--accent);color:light-dark(#fff,#0f1115)}
.button:hover{filter:brightness(1.08)}
.second{background:transparent;color:inherit;border-color:light-dark(#c6cad3,#3c424e)}
.second:hover{background:light-dark(#f6f7f9,#1e222b);filter:none}
.card>.button:first-child{margin-top:0}
.or+.second{margin-top:0}
.or{display:flex;align-items:center;gap:.75rem;margin:1rem 0;font-size:.875rem;color:light-dark(#565b66,#a2a8b5)}
.or::before,.or::after{content:"";flex:1;border-top:1px solid light-dark(#e0e3e9,#282c35)}
.problem{margin:0 0 1rem;padding:.6rem .8rem;border-radius:.5rem;font-size:.9375rem;overflow-wrap:anywhere;background:light-dark(#fdeeee,#2e1517);color:light-dark(#8f1616,#fba3a3)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
`;

const styleOf = ({ accent = USUAL }: Pick<SignInPage, 'accent'>) =>
  `:root{color-scheme:light dark;--accent:light-dark(${accent.light},${accent.dark})}${STYLE}`;
