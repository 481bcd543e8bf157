/**
 * `retrywise/ledger`: a payment, an order or a renewal is carried out once, through timeouts, lost
 * answers, restarts and two workers at once, and people can read what happened.
 *
 * @module
 */

export type {
	Cause,
	LedgerRecord,
	LedgerState,
	Resolution,
	ReviewAction,
	ReviewItem,
	TrailEntry,
	TrailState,
} from './core.ts';
export { type DurableObjectStorage, durableObjectStore } from './durable-object.ts';
export {
	isLeaseLost,
	isLedgerConflict,
	isStoreError,
	LeaseLost,
	LedgerConflict,
	StoreError,
} from './errors.ts';
export type { Teller } from './heard.ts';
export { createLedger } from './ledger.ts';
export { memoryStore } from './memory.ts';
export type {
	Decision,
	Ledger,
	LedgerAttempt,
	LedgerCall,
	LedgerClock,
	LedgerOptions,
	ListOptions,
	Lookup,
	LookupAnswer,
	LookupCall,
	LookupReply,
	Page,
	PageOptions,
	PurgeOptions,
	RecoverOptions,
	RecoverProgress,
	ReviewOptions,
	RunResult,
	Send,
	ShownCall,
	Transition,
} from './options.ts';
export {
	type PostgresClient,
	type PostgresOptions,
	type PostgresStore,
	type PostgresValue,
	postgresStore,
} from './postgres.ts';
export {
	type IoRedisClient,
	type NodeRedisClient,
	type RedisArguments,
	type RedisOptions,
	redisStore,
} from './redis.ts';
export {
	type SqliteDatabase,
	type SqliteOptions,
	type SqliteStatement,
	type SqliteValue,
	sqliteStore,
} from './sqlite.ts';
export {
	type CallFacts,
	type Change,
	doneOf,
	dueOf,
	type Labels,
	type LedgerStore,
	type StoredCall,
	type StoreQuery,
} from './store.ts';
