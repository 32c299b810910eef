/** Migrations of tables and content, for applications with their own migrator and for the command line. */
import type { MikroORM } from '@mikro-orm/core';
import { type ContentMigration, migrationTo, type Run } from '../features/evolution/migrate.js';
import type { Side } from '../features/evolution/pairs.js';
import type { Locales } from '../content/model/description.js';
import { buildSchema } from '../content/model/build-schema.js';
import { DEFAULT_SETTINGS } from '../kernel/settings.js';
import { applyMigration, connectionOf, queryUnlimited, type Report } from './content.apply-migration.js';
import { withFeatures } from './content.feature.js';
import type { ContentModel } from './content.options.js';

/** Model to migrate to, as `ContentModule.forRoot` accepts it. */
type MigratedModel = Pick<ContentModel, 'contentTypes' | 'components' | 'imports' | 'schema' | 'removed'> &
  Partial<Locales>;

export interface ContentMigrationOptions {
  /** MikroORM instance that is connected to the database. */
  readonly orm: MikroORM;
  readonly model: MigratedModel;
  /** Receives the progress of `migrateContent` after each batch of rows. Default: nothing. */
  readonly report?: Report;
}

function sideOf(options: MigratedModel): Side {
  const { contentTypes, components = [], schema, removed, ...model } = withFeatures(options);
  const defaultLocale = model.defaultLocale ?? DEFAULT_SETTINGS.defaultLocale;
  const locales = [...new Set([defaultLocale, ...(model.locales ?? [])])];
  return { schema: buildSchema(contentTypes, components, { schema, removed }), defaultLocale, locales };
}

/**
 * Compares a model with the content of a database, without changing it. `up` migrates tables and content to
 * the model. `down` reverts that, or is null if values are dropped. Run each in one transaction. `refusals`
 * lists losses that no definition allows.
 *
 * Throws a ContentModelError for a model with mistakes.
 *
 * @publicApi
 */
export function contentMigration({ orm, model }: ContentMigrationOptions): Promise<ContentMigration> {
  return migrationOn(orm, sideOf(model));
}

export function migrationOn(orm: MikroORM, side: Side): Promise<ContentMigration> {
  const connection = connectionOf(orm);
  const run: Run = (statement) => queryUnlimited(connection, statement);
  return migrationTo(run, side);
}

/**
 * Migrates tables and content of a running site to a model, and returns the changes. One transaction changes
 * tables and content; indexes that block no request follow it. If it is interrupted, call it again.
 *
 * Throws an Error that lists what would be lost, and changes nothing then.
 *
 * @publicApi
 */
export async function migrateContent(options: ContentMigrationOptions): Promise<ContentMigration> {
  return attempt(options).catch(async (error: unknown) => {
    // Another process may have migrated in the meantime, except for indexes.
    const left = await contentMigration(options);
    if (left.online.step.length > 0) throw error;
    await applyMigration(options.orm, left);
    return left;
  });
}

async function attempt(options: ContentMigrationOptions): Promise<ContentMigration> {
  const migration = await contentMigration(options);
  if (migration.refusals.length > 0)
    throw new Error(
      `Content would be lost:\n${migration.refusals.map(({ text }) => `  - ${text}`).join('\n')}`,
    );
  await applyMigration(options.orm, migration, options.report);
  return migration;
}
