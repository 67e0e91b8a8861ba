import { DatabaseSync } from 'node:sqlite';
import { Injectable } from '@nestjs/common';
import { DURABLE, SCHEMA, SQL } from '../schema.js';
import type { CreatePetDto, ListPetsQuery } from './pets.dto.js';

@Injectable()
export class PetsService {
  private readonly db = open(process.env.BENCH_DATA ?? '');
  private readonly selectPage = this.db.prepare(SQL.list);
  private readonly selectPageByStatus = this.db.prepare(SQL.listByStatus);
  private readonly selectOne = this.db.prepare(SQL.get);
  private readonly insert = this.db.prepare(SQL.create);

  list({ limit, status }: ListPetsQuery) {
    return status === undefined
      ? this.selectPage.all(limit)
      : this.selectPageByStatus.all(status, limit);
  }

  get(petId: string) {
    return this.selectOne.get(petId);
  }

  create({ name, categoryId, status }: CreatePetDto) {
    const { lastInsertRowid } = this.insert.run(name, categoryId, status);
    return { id: Number(lastInsertRowid), name, categoryId, status };
  }
}

function open(path: string): DatabaseSync {
  const db = new DatabaseSync(path);
  db.exec(DURABLE);
  db.exec(SCHEMA);
  return db;
}
