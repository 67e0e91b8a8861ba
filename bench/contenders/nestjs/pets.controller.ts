import { Body, Controller, Get, NotFoundException, Param, Post, Query } from '@nestjs/common';
import { CreatePetDto, ListPetsQuery } from './pets.dto.js';
import { PetsService } from './pets.service.js';

@Controller('v1/pets')
export class PetsController {
  constructor(private readonly pets: PetsService) {}

  @Get()
  list(@Query() query: ListPetsQuery) {
    return this.pets.list(query);
  }

  @Get(':petId')
  get(@Param('petId') petId: string) {
    const pet = this.pets.get(petId);
    if (!pet) throw new NotFoundException();
    return pet;
  }

  @Post()
  create(@Body() pet: CreatePetDto) {
    return this.pets.create(pet);
  }
}
