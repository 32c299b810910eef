/** Controllers of the library at paths below the content prefix, in addition to those of types. */
import type { Type } from '@nestjs/common';
import { LocalesController } from '../content/http/locales.controller.js';
import { Description } from '../content/http/metadata.js';
import { ModelController } from '../content/http/model.controller.js';
import { MODEL_GRANT } from '../content/model/naming.js';
import { OpenApiController } from '../features/openapi/openapi.controller.js';
import { OpenApiPageController } from '../features/openapi/openapi-page.controller.js';
import type { ContentSettings } from '../kernel/settings.js';

export interface PlacedController {
  readonly controller: Type;
  readonly path: string;
  readonly isOn: (settings: ContentSettings) => boolean;
}

/** Injection token of the placed controllers of a content module. */
export const PLACED_CONTROLLERS = Symbol('ContentPlacedControllers');

const ROWS: readonly PlacedController[] = [
  { controller: LocalesController, path: 'i18n', isOn: () => true },
  { controller: ModelController, path: MODEL_GRANT, isOn: () => true },
  { controller: OpenApiController, path: 'openapi.json', isOn: ({ openapi }) => openapi.document },
  { controller: OpenApiPageController, path: 'openapi', isOn: ({ openapi }) => openapi.page },
];

/** Returns a class with the name and the routes of a controller, and with a path of its own. */
function subclassOf(controller: Type): Type {
  const own = class extends controller {};
  Object.defineProperty(own, 'name', { value: controller.name });
  Description()(own);
  return own;
}

/** Returns the controllers for one content module. Several modules of an application have other prefixes. */
export const placedControllers = (): readonly PlacedController[] =>
  ROWS.map((row) => ({ ...row, controller: subclassOf(row.controller) }));
