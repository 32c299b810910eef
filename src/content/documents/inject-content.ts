/** Injection tokens of the services of content types. */
import { Inject } from '@nestjs/common';
import type { ContentId } from '../../types/registry.js';

/** Types whose services the code of the process injects. */
export const requestedContents = new Set<string>();

export function getContentToken(singularApiId: string): string {
  requestedContents.add(singularApiId);
  return `ContentService:${singularApiId}`;
}

/**
 * Injects the `ContentService` of a content type.
 *
 * @publicApi
 */
export const InjectContent = (singularApiId: ContentId): ParameterDecorator & PropertyDecorator =>
  Inject(getContentToken(singularApiId));
