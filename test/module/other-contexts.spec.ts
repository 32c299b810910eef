/** Handlers of other kinds than HTTP in an application with content, such as resolvers of GraphQL. */
import { Injectable, NotFoundException } from '@nestjs/common';
import { ExternalContextCreator } from '@nestjs/core';
import { ContentError, type ContentService, defineCollectionType, InjectContent } from 'nestjs-content-api';
import { createTestApp, type TestApp } from '../support/app.ts';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  attributes: { title: { type: 'string', required: true } },
});

@Injectable()
class Resolvers {
  constructor(@InjectContent('note') private readonly notes: ContentService) {}

  fails(): never {
    throw new Error('the resolver failed');
  }

  misses(): never {
    throw new NotFoundException('No such note');
  }

  async writes(): Promise<unknown> {
    return this.notes.create({});
  }

  async counts(): Promise<number> {
    return this.notes.count();
  }
}

describe('a resolver of GraphQL', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp({ contentTypes: [note], providers: [Resolvers] });
  });
  afterAll(() => test.close());

  /** Calls a method as the modules of Nest for GraphQL do. */
  const resolve = async (name: 'fails' | 'misses' | 'writes' | 'counts'): Promise<unknown> => {
    const resolvers = test.app.get(Resolvers, { strict: false });
    const creator = test.app.get(ExternalContextCreator, { strict: false });
    const enhancers = { guards: true, interceptors: true, filters: true };
    const handler = creator.create(
      resolvers,
      resolvers[name],
      name,
      undefined,
      undefined,
      undefined,
      undefined,
      enhancers,
      'graphql',
    );
    return handler(null, {}, { request: {} }, {});
  };

  it('returns its result', async () => {
    expect(await resolve('counts')).toBe(0);
  });

  it('fails with its own error, which is not answered as a request', async () => {
    await expect(resolve('fails')).rejects.toThrow('the resolver failed');
    await expect(resolve('misses')).rejects.toThrow(NotFoundException);
    await expect(resolve('writes')).rejects.toThrow(ContentError);
  });
});
