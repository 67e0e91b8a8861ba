import { timingSafeEqual } from 'node:crypto';
import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  UnauthorizedException,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

@Injectable()
export class KeyGuard implements CanActivate {
  private readonly expected = Buffer.from(`Bearer ${process.env.BENCH_KEY}`);

  canActivate(context: ExecutionContext): boolean {
    const { authorization = '' } = context.switchToHttp().getRequest<FastifyRequest>().headers;
    const given = Buffer.from(authorization);
    if (given.length === this.expected.length && timingSafeEqual(given, this.expected)) return true;
    throw new UnauthorizedException();
  }
}
