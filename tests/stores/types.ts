/** The drivers as they are typed fit what the stores ask of them. */

import type { Cluster, Redis } from 'ioredis';
import type { Client, Pool, PoolClient } from 'pg';
import type { Sql } from 'postgres';
import type { createClient, createCluster } from 'redis';
import { type LedgerStore, postgresStore, redisStore } from '../../js/dist/node/ledger.js';

declare const sql: Sql;
declare const postgres: Client | Pool | PoolClient;
declare const io: Redis | Cluster;
declare const node: ReturnType<typeof createClient>;
declare const cluster: ReturnType<typeof createCluster>;

export const stores: LedgerStore[] = [
	postgresStore(postgres),
	postgresStore({ query: async (text, values) => ({ rows: await sql.unsafe(text, values) }) }),
	redisStore(io),
	redisStore(node),
	redisStore(cluster),
];
