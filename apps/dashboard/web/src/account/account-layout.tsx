import { Main } from '../shell/shell.tsx';
import { SideNav } from '../ui/side-nav.tsx';
import { ACCOUNT_SECTIONS } from './account-sections.ts';

const exactly = { exact: true };
const SECTIONS = ACCOUNT_SECTIONS.map((section) => ({ ...section, activeOptions: exactly }));

export function AccountLayout() {
  return (
    <Main>
      <SideNav label="Account" sections={SECTIONS} />
    </Main>
  );
}
