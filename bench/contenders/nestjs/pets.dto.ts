import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Length, Max, Min } from 'class-validator';

const STATUSES = ['available', 'pending', 'sold'];

export class ListPetsQuery {
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100)
  limit: number = 20;

  @IsOptional()
  @IsIn(STATUSES)
  status?: string;
}

export class CreatePetDto {
  @IsString()
  @Length(1, 255)
  name!: string;

  @IsInt()
  categoryId!: number;

  @IsOptional()
  @IsIn(STATUSES)
  status: string = 'available';
}
