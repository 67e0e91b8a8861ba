import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { KeyGuard } from './key.guard.js';
import { PetsController } from './pets.controller.js';
import { PetsService } from './pets.service.js';

@Module({
  controllers: [PetsController],
  providers: [PetsService, { provide: APP_GUARD, useClass: KeyGuard }],
})
export class AppModule {}
