/** Screens of users, roles, API tokens and the editor's account, loaded when one of them opens. */
import { Route, Switch } from 'wouter';
import { NotFound } from '../../parts/not-found.tsx';
import { settings } from '../../settings.ts';
import { useModel } from '../app.tsx';
import { AccountScreen } from './account.tsx';
import { hasScreen } from './navigation.tsx';
import { RoleScreen } from './role.tsx';
import { RolesScreen } from './roles.tsx';
import { TokensScreen } from './tokens.tsx';
import { UsersScreen } from './users.tsx';

export default function PeopleScreens() {
  const { people } = useModel();
  const has = (screen: string): boolean => hasScreen(people, screen);
  return (
    <Switch>
      {settings.session && (
        <Route path="/account">
          <AccountScreen />
        </Route>
      )}
      {has('users') && (
        <Route path="/people/users">
          <UsersScreen />
        </Route>
      )}
      {has('roles') && (
        <Route path="/people/roles">
          <RolesScreen />
        </Route>
      )}
      {has('roles') && (
        <Route path="/people/roles/:id">{({ id }) => <RoleScreen key={id} documentId={id} />}</Route>
      )}
      {has('tokens') && (
        <Route path="/people/tokens">
          <TokensScreen />
        </Route>
      )}
      <Route path="*">
        <NotFound />
      </Route>
    </Switch>
  );
}
