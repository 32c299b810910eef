/** Types whose statements are alike, so that the n-th statement of one process suits another process's table. */
import { defineCollectionType } from 'nestjs-content-api';

const typeNamed = (singularApiId: string, pluralApiId: string) =>
  defineCollectionType({
    singularApiId,
    pluralApiId,
    attributes: { title: { type: 'string' }, count: { type: 'integer' } },
  });

export const contentTypes = [
  typeNamed('plain', 'plains'),
  typeNamed('secret', 'secrets'),
  typeNamed('shared', 'shareds'),
];
