import { Main } from '../shell/shell.tsx';
import { SideNav } from '../ui/side-nav.tsx';

const exactly = { exact: true };
const SECTIONS = [
  { label: 'Profile', to: '/account', activeOptions: exactly },
  { label: 'Security', to: '/account/security', activeOptions: exactly },
  { label: 'Tokens', to: '/account/tokens', activeOptions: exactly },
] as const;

export function AccountLayout() {
  return (
    <Main>
      <SideNav label="Account" sections={SECTIONS} />
    </Main>
  );
}
