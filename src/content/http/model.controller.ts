import { Controller, Get, Inject, Param, Req, UseFilters, UseGuards, VERSION_NEUTRAL } from '@nestjs/common';
import { notFound } from '../../kernel/errors.js';
import { CONTENT_SCHEMA, type Schema } from '../model/model.js';
import { MODEL_GRANT } from '../model/naming.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../../kernel/settings.js';
import { AccountGuard, callerWith } from './account.guard.js';
import { ContentErrorFilter } from './error.filter.js';
import { Description } from './metadata.js';
import {
  type ComponentShape,
  componentShapes,
  type ModelReader,
  type TypeShape,
  typeShapes,
} from './model-shapes.js';

/** Finds a shape by its uid. Throws a 404 if the caller sees none. */
function findShape<S extends { readonly uid: string }>(shapes: readonly S[], uid: string): S {
  const shape = shapes.find((one) => one.uid === uid);
  if (shape === undefined) throw notFound();
  return shape;
}

/**
 * Routes `GET /api/content-type-builder/…`: the model for programs such as code generators and static site
 * loaders. They require the grant `find` on `content-type-builder`, and show the types, components and
 * attributes that the caller can read.
 */
@Controller({ path: MODEL_GRANT, version: VERSION_NEUTRAL })
@UseFilters(ContentErrorFilter)
@UseGuards(AccountGuard)
@Description()
export class ModelController {
  constructor(
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
  ) {}

  @Get('content-types')
  types(@Req() request: object): { readonly data: readonly TypeShape[] } {
    return { data: typeShapes(this.readerOf(request)) };
  }

  @Get('content-types/:uid')
  type(@Req() request: object, @Param('uid') uid: string): { readonly data: TypeShape } {
    return { data: findShape(typeShapes(this.readerOf(request)), uid) };
  }

  @Get('components')
  components(@Req() request: object): { readonly data: readonly ComponentShape[] } {
    return { data: componentShapes(this.readerOf(request)) };
  }

  @Get('components/:uid')
  component(@Req() request: object, @Param('uid') uid: string): { readonly data: ComponentShape } {
    return { data: findShape(componentShapes(this.readerOf(request)), uid) };
  }

  private readerOf(request: object): ModelReader {
    const caller = callerWith(request, MODEL_GRANT, 'find');
    return { schema: this.schema, caller, limits: this.settings.limits };
  }
}
