/** Builds OpenAPI documents without HTTP and without a database. */
import { type Caller, Permissions } from 'nestjs-content-api';
import { describe as describeApi } from '../../src/content/openapi/describe.ts';
import type { Describe, ResponseVariant } from '../../src/content/openapi/describing.ts';
import type { ContentDocument } from '../../src/content/openapi/document.ts';
import { localePaths } from '../../src/content/openapi/locale-paths.ts';
import { modelPaths } from '../../src/content/openapi/model-paths.ts';
import { ownPaths } from '../../src/content/openapi/own-paths.ts';
import { buildSchema } from '../../src/content/model/build-schema.ts';
import type { ComponentDefinition, ContentTypeDefinition } from '../../src/content/model/definitions.ts';
import { resolveSettings, type SettingsInput } from '../../src/kernel/settings.ts';
import type { Asker } from '../access/rule.ts';

export interface ModelOptions extends SettingsInput {
  readonly contentTypes: readonly ContentTypeDefinition[];
  readonly components?: readonly ComponentDefinition[];
}

export const callerOf = (
  { grants, user }: Asker,
  kind: Caller['kind'] = user ? 'user' : 'token',
): Caller => ({
  kind,
  id: kind === 'public' ? null : '7',
  permissions: Permissions.of(...grants),
});

/** Returns the document of a model for a caller. */
export function documentOf(
  { contentTypes, components = [], ...settings }: ModelOptions,
  caller: Caller,
  { replicas = false, ...described }: Partial<ResponseVariant> & { readonly replicas?: boolean } = {},
  more: readonly Describe[] = [],
): ContentDocument {
  return describeApi(
    {
      format: 'flat',
      counts: true,
      ...described,
      caller,
      schema: buildSchema(contentTypes, components),
      settings: resolveSettings(settings),
      base: '/api',
      replicas,
      credentials: ['Authorization', 'X-Roles'],
    },
    [localePaths, modelPaths, ownPaths, ...more],
  );
}
