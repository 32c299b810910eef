/** Random users, roles and the actions that roles permit. */
import type { Dice } from '../../evolution/pairs/dice.ts';
import {
  randomId,
  randomTime,
  type SourceFile,
  type SourceModel,
  type SourceRole,
  type SourceUser,
} from './source.ts';
import { HASH, PASSWORD } from './values.ts';

const ACTIONS = ['find', 'findOne', 'create', 'update', 'delete'];

/** Actions of plugins, some of which have no counterpart. */
const PLUGIN_ACTIONS = [
  'plugin::users-permissions.user.me',
  'plugin::users-permissions.auth.changePassword',
  'plugin::upload.content-api.upload',
  'plugin::upload.content-api.find',
  'plugin::i18n.locales.listLocales',
];

export function rolesOf(dice: Dice, { types }: SourceModel): SourceRole[] {
  const actions = types.flatMap(({ uid, singular }) =>
    ACTIONS.map((action) => `${uid}.${action}`).concat(`api::${singular}.${singular}.custom`),
  );
  const role = (name: string, type: string): SourceRole => ({
    ...{ name, type, description: `${name} users` },
    actions: dice.some([...actions, ...PLUGIN_ACTIONS]),
  });
  const editor = dice.chance(60) ? [role('Editor', 'editor')] : [];
  return [role('Authenticated', 'authenticated'), role('Public', 'public'), ...editor];
}

interface Around {
  readonly model: SourceModel;
  readonly roles: readonly SourceRole[];
  readonly files: readonly SourceFile[];
}

export function usersOf(dice: Dice, { model, roles, files }: Around): SourceUser[] {
  const signedIn = roles.filter(({ type }) => type !== 'public');
  return Array.from({ length: dice.below(4) }, (_, i) => {
    const createdAt = randomTime(dice);
    const hasPassword = dice.chance(80);
    const values = Object.entries(model.userAttributes).map(([name, { type, multiple }]) => [
      name,
      type === 'media'
        ? dice.some(
            files.map(({ mark }) => mark),
            multiple === true ? 3 : 1,
          )
        : `nick ${i}`,
    ]);
    return {
      ...{ mark: `user ${i}`, documentId: randomId(dice), email: `user${i}@example.com` },
      ...{ createdAt, updatedAt: createdAt, publishedAt: createdAt },
      password: hasPassword ? PASSWORD : null,
      hash: hasPassword ? HASH : null,
      confirmed: dice.chance(80),
      blocked: dice.chance(15),
      role: dice.chance(10) ? null : dice.pick(signedIn).type,
      values: Object.fromEntries(values) as Record<string, unknown>,
    };
  });
}
