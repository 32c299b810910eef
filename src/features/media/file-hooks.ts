/** Hooks on files. They run for every write: a route or the host's service. */
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { compileFindRecords } from '../../content/compile/compile-record.js';
import { Database } from '../../content/store/database.js';
import { runnerOf } from '../../pool/runner.js';
import { type ContentEvent, Hooks } from '../../content/documents/hooks.js';
import { compileAddFormer, compileRemoveFormer } from './compile-former-files.js';
import { FileSweeps } from './file-sweeps.js';
import { FileTable } from './file-table.js';

@Injectable()
export class FileHooks implements OnModuleInit {
  constructor(
    @Inject(Hooks) private readonly hooks: Hooks,
    @Inject(FileTable) private readonly files: FileTable,
    @Inject(FileSweeps) private readonly sweeps: FileSweeps,
    @Inject(Database) private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.hooks.add(
      { moment: 'before', type: this.files.type.singularApiId, actions: ['update', 'delete'] },
      (event) => this.letGo(event),
    );
  }

  /**
   * Runs under the lock of the document, so that each of several writers sees the previous writer's content.
   */
  private async letGo({ action, data, documentId, em }: ContentEvent): Promise<void> {
    if (em === null || documentId === null) return;
    if (action === 'update' && data['storageKey'] === undefined) return;
    const runner = runnerOf(em);
    const rows = await runner.run(
      compileFindRecords(this.files.type, [{ documentId }], ['storageKey', 'hash']),
    );
    for (const { storageKey: key, hash } of rows) {
      await runner.run(
        action === 'delete'
          ? compileRemoveFormer(this.files.formers, documentId)
          : compileAddFormer(this.files.formers, String(hash), documentId),
      );
      if (typeof key === 'string' && key !== data['storageKey'])
        this.database.afterCommit(em, () => {
          this.sweeps.soon(key);
          return Promise.resolve();
        });
    }
  }
}
